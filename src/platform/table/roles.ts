import { z } from 'zod';
import { longId, type Shown, shownFlag, shownId, shownNumber, shownText } from './wire.ts';

const Translation = z.looseObject({ id: shownId, languageCode: shownText, value: shownText });

/** Contract, "Role". */
export const Role = z.looseObject({
  id: longId,
  name: z.string().describe('ROLE_… or CUSTOM_…'),
  enabled: shownFlag,
  users: shownNumber.describe('How many users hold the role'),
  nameTranslations: z.array(Translation).nullish(),
  descriptionTranslations: z.array(Translation).nullish(),
  permissions: z
    .array(z.looseObject({ id: shownId, name: z.string() }))
    .nullish()
    .describe('Names of the form PERMISSION_OS:<AREA>:<SCOPE>'),
});
export type Role = Shown<z.infer<typeof Role>>;

/** Answer of GET community/roles: an array without `result`. */
export const RoleList = z.array(Role);
