import { z } from 'zod';
import {
  longId,
  oneResult,
  parameter,
  requiredText,
  type Shown,
  shownFlag,
  shownId,
  shownNumber,
  shownText,
} from './wire.ts';

/** Body of POST token. Query parameters are ignored. */
export const TokenRequest = z.object({ grant_type: z.literal('refresh_token'), refresh_token: requiredText });
export type TokenRequest = z.infer<typeof TokenRequest>;

/** Answer of POST token. The unit of `expires_in` is not shown by the contract. */
export const TokenPair = z.looseObject({
  access_token: z.string().min(1),
  token_type: z.string(),
  expires_in: z.number(),
  refresh_token: z.string().min(1),
});
export type TokenPair = Shown<z.infer<typeof TokenPair>>;

/** Answer of POST token/revoke. */
export const RevokeAnswer = z.looseObject({ message: z.string() });
export type RevokeAnswer = Shown<z.infer<typeof RevokeAnswer>>;

const Translation = z.looseObject({ id: shownId, languageCode: shownText, value: shownText });

/** Contract, "Role". */
export const Role = z.looseObject({
  id: longId,
  name: z.string().describe('ROLE_… or CUSTOM_…'),
  enabled: shownFlag,
  users: shownNumber.describe('How many users have the role'),
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

/** Contract, "Provisioning file record". */
export const UserFileRecord = z.looseObject({
  id: longId,
  fileName: shownText,
  communityId: shownId,
  uploaderId: shownId,
  fileDate: shownText.describe('YYYY-MM-DD hh:mm:ss'),
  fileStatus: z.string().describe('Processing occurs; other values are not shown'),
  blocked: shownFlag,
});
export type UserFileRecord = Shown<z.infer<typeof UserFileRecord>>;

export const UserFileAnswer = oneResult(UserFileRecord);

/** Keys of the upload's body; as JSON, `file` holds the CSV as text or as base64 (encoding not shown). */
export const UserFileUpload = z.object({ file: requiredText, fileName: requiredText });
export type UserFileUpload = z.infer<typeof UserFileUpload>;

export const UserFileQuery = z.object({
  preprocessing: parameter(z.boolean(), 'apply the field mapping that is configured on the platform', false),
});
