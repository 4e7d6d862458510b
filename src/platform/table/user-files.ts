import { z } from 'zod';
import { longId, oneResult, parameter, requiredText, type Shown, shownFlag, shownId, shownText } from './wire.ts';

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
