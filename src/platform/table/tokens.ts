import { z } from 'zod';
import { requiredText, type Shown } from './wire.ts';

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
