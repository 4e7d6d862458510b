import { type Handler, Refusal } from '../call.ts';
import type { World } from '../world.ts';

const permission = (id: number, area: string, scope: string) => ({ id, name: `PERMISSION_OS:${area}:${scope}` });
const translations = (id: number, english: string, spanish: string) => [
  { id, languageCode: 'en', value: english },
  { id: id + 1, languageCode: 'es', value: spanish },
];

const table = [
  {
    id: 1,
    name: 'ROLE_USER',
    enabled: true,
    nameTranslations: translations(100, 'User', 'Usuario'),
    descriptionTranslations: translations(102, 'Everybody', 'Todas las personas'),
    permissions: [permission(1, 'PROFILE', 'READ')],
  },
  {
    id: 2,
    name: 'ROLE_ADMIN',
    enabled: true,
    nameTranslations: translations(104, 'Administrator', 'Administrador'),
    descriptionTranslations: [],
    permissions: [permission(1, 'PROFILE', 'READ'), permission(2, 'USERS', 'WRITE'), permission(3, 'ROLES', 'WRITE')],
  },
  {
    id: 3,
    name: 'CUSTOM_PEOPLE_PARTNER',
    enabled: true,
    nameTranslations: translations(106, 'People partner', 'Socio de personas'),
    descriptionTranslations: [],
    permissions: [permission(1, 'PROFILE', 'READ'), permission(2, 'USERS', 'WRITE')],
  },
] as const;

function showRoles({ directory }: World) {
  let enabled = 0;
  for (const account of directory.all.values()) if (account.enabled) enabled += 1;
  const holders = { ROLE_USER: enabled, ROLE_ADMIN: 1, CUSTOM_PEOPLE_PARTNER: 0 };
  return table.map((role) => ({ ...role, users: holders[role.name] }));
}

/** Contract: an array without `result`. */
const roles: Handler = (_call, world) => ({ body: showRoles(world) });

const role: Handler = ({ parameters: { customAclCode = '' } }, world) => {
  const found = showRoles(world).find(({ name }) => name === customAclCode);
  if (found === undefined) throw new Refusal(400, 'Bad Request', 'There is no role with this code');
  return { body: found };
};

export const roleHandlers = { roles, role } as const;
