import { z } from 'zod';
import { type Shown, shownText } from './wire.ts';

/** Error body of every endpoint except the token refresh (contract, "Errors"). */
export const PlatformErrorBody = z.looseObject({
  timestamp: shownText,
  message: shownText,
  details: shownText,
  type: shownText.describe('uri=<request path>'),
  title: shownText,
  detail: shownText,
});
export type PlatformErrorBody = Shown<z.infer<typeof PlatformErrorBody>>;

/** Error body of the token refresh (contract, "Errors"; RFC 6749 section 5.2). */
export const GrantErrorBody = z.looseObject({
  error: z.string().describe('invalid_grant for an expired, revoked, unknown or already used refresh token'),
  error_description: shownText,
});
export type GrantErrorBody = Shown<z.infer<typeof GrantErrorBody>>;
