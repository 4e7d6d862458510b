/** The platform's public API as a typed client. */
export { openPlatformClient, type PlatformClient, type PlatformClientOptions } from './client.ts';
export { checkIdentification } from './identification.ts';
export type { AnswerReader, Operation, OperationBody } from './operation.ts';
export { openPlatform } from './platform.ts';
export {
  exchangeRefreshToken,
  type RefreshCall,
  type RevokeCallOptions,
  type RevokeOutcome,
  revokeToken,
  type TokenEndpoint,
} from './resources/tokens.ts';
export { classifyFileStatus } from './user-file.ts';
