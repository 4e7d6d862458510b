import type { PlatformApi } from './client/api.ts';
import type { FeedbackPayload } from './table/growth.ts';

/** The platform's public API as a typed client: the package's entry `rollcall/platform`. */

export type { User, UserWrite } from '../core/person/fields.ts';
export { type Effect, type ErrorCode, PlatformError, type Retry, RollcallError } from '../core/run/errors.ts';
export { type Dialect, defaultDialect, defaultLimits, type Limits } from '../core/run/settings.ts';
export type { OperationBody } from '../drivers/http/message.ts';
export type {
  FileStatus,
  FileToUpload,
  Lookup,
  Platform,
  ScanPage,
  UpdateTarget,
  UploadReceipt,
} from '../ports/platform.ts';
export type { Clock, Logger } from '../ports/runtime.ts';
export type { AccessToken, AccessTokens, TokenStatus } from '../ports/tokens.ts';
export { type ImportJob, type Leaders, openPlatformApi, type PlatformApi } from './client/api.ts';
export { callOperation, type OperationAnswer, type OperationInput } from './client/calls.ts';
export { openPlatformClient, type PlatformClient, type PlatformClientOptions } from './client/client.ts';
export type { ConnectionTokens, TokenRotation } from './client/connect.ts';
export { type ConnectOptions, connectPlatform, type PlatformConnection } from './client/connect.ts';
export type { AnswerReader, Operation } from './client/operation.ts';
export { checkIdentification } from './client/operation.ts';
export type { ListPage, UnreadItem } from './client/pages.ts';
export type { UploadedFile, UploadFile, UserFiles } from './client/user-files.ts';
export type { Users } from './client/users.ts';
export type { CustodyDocument, TokenCustody } from './custody/custody.ts';
export { openFileCustody } from './custody/file-custody.ts';
export { openPlatform } from './platform.ts';
/** Types of the parts whose methods derive from the table of operations. */
export type Evaluations = PlatformApi['evaluations'];
export type FeedbackApi = PlatformApi['feedback'];
export type FeedbackToSend = FeedbackPayload;
export type Goals = PlatformApi['goals'];
export type GoalKey = Parameters<Goals['get']>[0];
export type Roles = PlatformApi['roles'];
export type {
  CountedPage,
  Evaluation,
  EvaluationListQuery,
  Feedback,
  FeedbackDeclinePayload,
  FeedbackListQuery,
  FeedbackRequestPayload,
  Goal,
  GoalListQuery,
  GoalPayload,
  GoalUpdatePayload,
  LeaderLinks,
  LeaderListQuery,
  LeaderRecord,
  LongId,
  NumberedPage,
  OperationId,
  Role,
  TotalPage,
  UpdatedUser,
  UserFileRecord,
  UserRecord,
  UserSearchQuery,
} from './table/index.ts';
export { type OpenApiDocument, type OpenApiOptions, renderOpenApi } from './table/open-api.ts';
export { operationIds, operationOf, operations } from './table/operations.ts';
export {
  exchangeRefreshToken,
  type RefreshCall,
  type RevokeCallOptions,
  revokeToken,
  type TokenEndpoint,
} from './tokens/calls.ts';
export type { RevokeOutcome } from './tokens/revoke.ts';
export { classifyFileStatus } from './user-file.ts';
