import type { OperationId } from '../table/operations.ts';
import type { LongId } from '../table/wire.ts';

/** Abilities of the caller for which the contract has no call. Each absent one makes its checks `skipped`. */
export interface ContractAids {
  /** Makes every call of the operation fail with the status, until the returned function is called. */
  readonly inject?: (operation: OperationId, status: number) => Promise<() => Promise<void>>;
  /** Returns the id of the last feedback request. */
  readonly feedbackRequestId?: () => Promise<LongId>;
  /** Returns a token pair that may be consumed, and its endpoint. */
  readonly spareTokens?: () => Promise<SpareTokens>;
  /** Whether the platform's own import may be started. */
  readonly mayStartImport?: boolean;
}

export interface SpareTokens {
  readonly baseUrl: string;
  readonly applicationToken: string;
  readonly accessToken: string;
  readonly refreshToken: string;
}
