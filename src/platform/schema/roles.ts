import { z } from 'zod';
import { longId, shownFlag, shownId, shownNumber, shownText } from './wire.ts';

const Translation = z.looseObject({ id: shownId, languageCode: shownText, value: shownText });

/** Contract, "Role". */
export const Role = z.looseObject({
  id: longId,
  /** `ROLE_…` or `CUSTOM_…`. */
  name: z.string(),
  enabled: shownFlag,
  /** How many users hold the role. */
  users: shownNumber,
  nameTranslations: z.array(Translation).nullish(),
  descriptionTranslations: z.array(Translation).nullish(),
  /** Names of the form `PERMISSION_OS:<AREA>:<SCOPE>`. */
  permissions: z.array(z.looseObject({ id: shownId, name: z.string() })).nullish(),
});
export type Role = z.infer<typeof Role>;

/** Answer of GET community/roles: an array without `result`. */
export const RoleList = z.array(Role);
