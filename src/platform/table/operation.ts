import type { z } from 'zod';
import type { RequestPurpose } from '../../core/run/requests.ts';

export type ApiPart = 'tokens' | 'users' | 'provisioning' | 'roles' | 'leaders' | 'feedback' | 'goals' | 'evaluations';

/** Query parameters with which a list counts its pages. Their defaults are in the query schema. */
export interface PageParameters {
  readonly page: string;
  readonly size: string;
}

/** One operation of the contract. */
export interface Operation<Id extends string = string> {
  readonly id: Id;
  /** Its name within its part, at the command line: `rollcall api goals list`. */
  readonly verb: string;
  readonly part: ApiPart;
  readonly summary: string;
  /** Under which its requests are counted. Default `other`. */
  readonly purpose?: RequestPurpose;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Exactly as the contract writes it, trailing slash included. `{name}` is a path parameter. */
  readonly path: string;
  /** `access-token`: a community token; `application-token`: the token of the application. */
  readonly auth: 'access-token' | 'application-token';
  /** Whether `Accept-Language` is listed as required. */
  readonly needsLanguage: boolean;
  readonly query?: z.ZodType;
  /** Set for a list that is read page by page. */
  readonly paging?: PageParameters;
  readonly request?: z.ZodType;
  /** Content types of the request body; the first is the usual one. */
  readonly requestTypes?: readonly string[];
  readonly successStatus: number;
  /** Absent when a success has no body. */
  readonly response?: z.ZodType;
  readonly errorStatuses: readonly number[];
  readonly errorBody: 'platform' | 'grant';
  /** What we assume because the contract does not show it. */
  readonly assumed?: string;
}
