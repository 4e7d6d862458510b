import type { z } from 'zod';
import { usageError } from '../../core/run/errors.ts';
import type { RequestPurpose } from '../../core/run/requests.ts';
import {
  RevokeAnswer,
  RoleList,
  TokenPair,
  TokenRequest,
  UserFileAnswer,
  UserFileQuery,
  UserFileUpload,
} from './administration.ts';
import {
  EvaluationAnswer,
  EvaluationListAnswer,
  EvaluationListQuery,
  FeedbackAnswer,
  FeedbackDeclinePayload,
  FeedbackListAnswer,
  FeedbackListQuery,
  FeedbackPayload,
  FeedbackRequestPayload,
  GoalAnswer,
  GoalListAnswer,
  GoalListQuery,
  GoalPayload,
  GoalUpdatePayload,
} from './growth.ts';
import {
  CreatedUser,
  LeaderLinks,
  LeaderListAnswer,
  LeaderListQuery,
  UserAnswer,
  UserDeleteQuery,
  UserPayload,
  UserSearchAnswer,
  UserSearchQuery,
  UserUpdateAnswer,
  UserUpdatePayload,
} from './users.ts';
import { EmptyObject, Unshown } from './wire.ts';

export type ApiPart = 'tokens' | 'users' | 'provisioning' | 'roles' | 'leaders' | 'feedback' | 'goals' | 'evaluations';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** What the table says of one call of the contract. */
interface Row<Id extends string = string> {
  readonly id: Id;
  readonly part: ApiPart;
  /** Its name within its part, at the command line: `rollcall api goals list`. */
  readonly verb: string;
  /** Under which its requests are counted. Default `other`. */
  readonly purpose?: RequestPurpose;
  readonly summary: string;
  /** `access-token`: a community token (default); `application-token`: the token of the application. */
  readonly auth?: 'access-token' | 'application-token';
  /** Whether `Accept-Language` is listed as required. Default false. */
  readonly needsLanguage?: boolean;
  /** Query parameters. With a number of a page among them it is a list that is read page by page. */
  readonly query?: z.ZodType;
  readonly request?: z.ZodType;
  /** Content types of the request body; the first is the usual one. Default: JSON. */
  readonly requestTypes?: readonly string[];
  /** Default 200. */
  readonly successStatus?: number;
  /** Absent when a success has no body. */
  readonly response?: z.ZodType;
  /** Default: those of the area. */
  readonly errorStatuses?: readonly number[];
  /** Default `platform`. */
  readonly errorBody?: 'platform' | 'grant';
  /** What we assume because the contract does not show it. */
  readonly assumed?: string;
}

/** One operation of the contract, with the table's defaults filled in. */
export interface Operation<Id extends string = string>
  extends Omit<Row<Id>, Defaulted>,
    Required<Pick<Row, Defaulted>> {
  readonly method: Method;
  /** Exactly as the contract writes it, trailing slash included. `{name}` is a path parameter. */
  readonly path: string;
}

type Defaulted = 'auth' | 'needsLanguage' | 'successStatus' | 'errorStatuses' | 'errorBody';

/** Method and path, exactly as the contract writes them. */
type Call = `${Method} /${string}`;

const administrationErrors = [400, 401, 403, 500];
const growthErrors = [400, 401, 403, 404, 406];

/** The platform area of the contract: tokens, users, provisioning, roles, and the writing of leaders. */
const administration = {
  'POST /os-api/public-api/v1/token/revoke': {
    id: 'revoke',
    part: 'tokens',
    verb: 'revoke',
    purpose: 'token',
    summary: 'Invalidate the access token that is sent; an invalid token is not an error',
    response: RevokeAnswer,
  },
  'POST /os-api/public-api/v1/token': {
    id: 'token',
    part: 'tokens',
    verb: 'refresh',
    purpose: 'token',
    summary: 'Exchange a refresh token for a new token pair; the old refresh token is consumed',
    auth: 'application-token',
    request: TokenRequest,
    response: TokenPair,
    errorStatuses: [400, 401, 500],
    errorBody: 'grant',
  },
  'DELETE /os-api/public-api/v1/users/{identification}/': {
    id: 'delete',
    part: 'users',
    verb: 'delete',
    purpose: 'write',
    summary: 'Remove a user, and blacklist them on demand',
    query: UserDeleteQuery,
    errorStatuses: [400, 401, 403, 404],
  },
  'POST /os-api/public-api/v1/users/': {
    id: 'create',
    part: 'users',
    verb: 'create',
    purpose: 'write',
    summary: 'Create a user',
    request: UserPayload,
    successStatus: 201,
    response: CreatedUser,
  },
  'PUT /os-api/public-api/v1/users/': {
    id: 'update',
    part: 'users',
    verb: 'update',
    purpose: 'write',
    summary: 'Update the user with the given userId',
    request: UserUpdatePayload,
    successStatus: 202,
    response: UserUpdateAnswer,
  },
  'GET /os-api/public-api/v1/users/{identification}': {
    id: 'read',
    part: 'users',
    verb: 'read',
    purpose: 'read',
    summary: 'Read one user',
    response: UserAnswer,
  },
  'GET /os-api/public-api/v1/users': {
    id: 'search',
    part: 'users',
    verb: 'search',
    purpose: 'read',
    summary: 'Search users, a page at a time',
    query: UserSearchQuery,
    response: UserSearchAnswer,
    assumed: 'parameters travel in the query',
  },
  'POST /os-api/public-api/v1/admin/userFiles/': {
    id: 'upload',
    part: 'provisioning',
    verb: 'upload',
    purpose: 'upload',
    summary: 'Provision users in bulk from a CSV file',
    query: UserFileQuery,
    request: UserFileUpload,
    requestTypes: ['multipart/form-data', 'application/json'],
    response: UserFileAnswer,
    assumed: 'multipart with the parts file and fileName',
  },
  'GET /os-api/public-api/v1/admin/userFiles/{id}': {
    id: 'status',
    part: 'provisioning',
    verb: 'status',
    purpose: 'poll',
    summary: 'Read the record of a provisioning file',
    response: UserFileAnswer,
    assumed: 'the whole operation',
  },
  'PATCH /os-api/public-api/v1/admin/import-users-job': {
    id: 'import-job',
    part: 'provisioning',
    verb: 'start-import',
    summary: 'Start provisioning from the source that is defined on the platform',
    successStatus: 202,
    response: EmptyObject,
  },
  'GET /os-api/public-api/v1/community/roles': {
    id: 'roles',
    part: 'roles',
    verb: 'list',
    summary: 'List every role of the community',
    response: RoleList,
  },
  'GET /os-api/public-api/v1/roles/{customAclCode}': {
    id: 'role',
    part: 'roles',
    verb: 'read',
    summary: 'Read one role by its code',
    response: Unshown,
  },
  'POST /os-api/public-api/v1/leaders': {
    id: 'add-leaders',
    part: 'leaders',
    verb: 'add',
    purpose: 'leaders',
    summary: 'Add main and secondary leaders of a user',
    request: LeaderLinks,
    successStatus: 201,
    errorStatuses: growthErrors,
  },
  'DELETE /os-api/public-api/v1/leaders': {
    id: 'remove-leaders',
    part: 'leaders',
    verb: 'remove',
    purpose: 'leaders',
    summary: 'Remove main and secondary leaders of a user',
    request: LeaderLinks,
    errorStatuses: growthErrors,
  },
} as const satisfies Readonly<Record<Call, Row>>;

/** The performance-development area of the contract. */
const growth = {
  'GET /growth/public-api/v1/feedbacks/{id}': {
    id: 'feedback',
    part: 'feedback',
    verb: 'read',
    summary: 'Read one feedback',
    needsLanguage: true,
    response: FeedbackAnswer,
  },
  'GET /growth/public-api/v1/feedbacks': {
    id: 'feedbacks',
    part: 'feedback',
    verb: 'list',
    summary: 'List feedback, a page at a time from 0',
    needsLanguage: true,
    query: FeedbackListQuery,
    response: FeedbackListAnswer,
  },
  'POST /growth/public-api/v1/feedback/requests': {
    id: 'request-feedback',
    part: 'feedback',
    verb: 'request',
    summary: 'Ask for feedback',
    needsLanguage: true,
    request: FeedbackRequestPayload,
    successStatus: 201,
  },
  'PUT /growth/public-api/v1/feedback-requests/{feedback-request-id}': {
    id: 'decline-feedback',
    part: 'feedback',
    verb: 'decline',
    summary: 'Decline a feedback request',
    request: FeedbackDeclinePayload,
  },
  'POST /growth/public-api/v1/feedbacks': {
    id: 'send-feedback',
    part: 'feedback',
    verb: 'send',
    summary: 'Send feedback, answering a request on demand',
    request: FeedbackPayload,
  },
  'GET /growth/public-api/v1/goals/{code}/users/{identification}': {
    id: 'goal',
    part: 'goals',
    verb: 'read',
    summary: 'Read one goal of a user',
    response: GoalAnswer,
  },
  'GET /growth/public-api/v1/goals': {
    id: 'goals',
    part: 'goals',
    verb: 'list',
    summary: 'List goals, a page at a time from 0, without a total',
    needsLanguage: true,
    query: GoalListQuery,
    response: GoalListAnswer,
  },
  'POST /growth/public-api/v2/goals': {
    id: 'create-goal',
    part: 'goals',
    verb: 'create',
    summary: 'Create a goal for a user',
    request: GoalPayload,
    successStatus: 201,
  },
  'PUT /growth/public-api/v1/goals/{code}/users/{identification}': {
    id: 'update-goal',
    part: 'goals',
    verb: 'update',
    summary: 'Update a goal of a user',
    request: GoalUpdatePayload,
    response: GoalAnswer,
  },
  'DELETE /growth/public-api/v1/goals/{code}/users/{identification}': {
    id: 'delete-goal',
    part: 'goals',
    verb: 'delete',
    summary: 'Delete a goal of a user',
    successStatus: 204,
  },
  'GET /growth/public-api/v1/evaluations/{id}': {
    id: 'evaluation',
    part: 'evaluations',
    verb: 'read',
    summary: 'Read one evaluation with its rated topics',
    needsLanguage: true,
    response: EvaluationAnswer,
  },
  'GET /growth/public-api/v1/evaluations': {
    id: 'evaluations',
    part: 'evaluations',
    verb: 'list',
    summary: 'List evaluations of the community, a page at a time from 0',
    needsLanguage: true,
    query: EvaluationListQuery,
    response: EvaluationListAnswer,
  },
  'GET /growth/public-api/v1/users/{identification}/leaders': {
    id: 'leaders',
    part: 'leaders',
    verb: 'list',
    purpose: 'leaders',
    summary: 'List the leaders of a user, a page at a time from 1',
    needsLanguage: true,
    query: LeaderListQuery,
    response: LeaderListAnswer,
  },
  'GET /growth/public-api/v1/users/{identification}/collaborators': {
    id: 'collaborators',
    part: 'leaders',
    verb: 'collaborators',
    summary: 'List the collaborators of a user',
    response: Unshown,
  },
} as const satisfies Readonly<Record<Call, Row>>;

/** The rows of the table by their call, as types: the client's methods derive from them. */
export type OperationRows = typeof administration & typeof growth;

/** Short names of the operations: the client, the sandbox and its faults use them. */
export type OperationId = OperationRows[keyof OperationRows]['id'];

/** Every operation of the contract, in its order of parts. */
export const operations: readonly Operation<OperationId>[] = [
  ...described(administration, administrationErrors),
  ...described(growth, growthErrors),
];

export const operationIds: readonly OperationId[] = operations.map(({ id }) => id);

/** Returns the operation with this id. Throws `USAGE` for an unknown id. */
export function operationOf(id: OperationId): Operation<OperationId> {
  const operation = operations.find((entry) => entry.id === id);
  if (operation === undefined) {
    const message = `no operation of the contract is called ${id}. Operations: ${operationIds.join(', ')}`;
    throw usageError(message);
  }
  return operation;
}

function described<Id extends string>(
  rows: Readonly<Record<string, Row<Id>>>,
  errorStatuses: readonly number[],
): readonly Operation<Id>[] {
  return Object.entries(rows).map(([call, row]) => {
    const [method, path = ''] = call.split(' ');
    return {
      auth: 'access-token',
      needsLanguage: false,
      successStatus: 200,
      errorStatuses,
      errorBody: 'platform',
      ...(row.request === undefined ? {} : { requestTypes: ['application/json'] }),
      ...row,
      method: method as Method,
      path,
    };
  });
}
