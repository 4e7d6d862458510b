import type { RequestPurpose } from '../core/run/requests.ts';

/**
 * Events that this process counts as they occur. All other metrics are read from the store on request. No argument
 * identifies a person: operations are path templates.
 */
export interface Metrics {
  /** One exchange with a platform has ended. A repeated attempt of the same call counts separately. */
  requestEnded(request: RequestSeen): void;
  /** A refresh token was presented. */
  tokenPresented(connection: string, outcome: string): void;
}

export interface RequestSeen {
  readonly connection: string;
  /** `GET /os-api/public-api/v1/users/{identification}`. */
  readonly operation: string;
  readonly purpose: RequestPurpose;
  /** HTTP status; undefined when no answer arrived. */
  readonly status: number | undefined;
  readonly tookMs: number;
  /** Wait time before the start, caused by the rate and concurrency limits of the connection. */
  readonly waitedMs: number;
}

/** Jobs in the queue that wait for a worker, and when the oldest was added (epoch ms). */
export interface QueueDepth {
  readonly waiting: number;
  readonly oldestAt: number | undefined;
}

/**
 * Runs `work`, and calls `count` for each request to a platform that it makes, however deep in the call chain. A call
 * within a call counts for both.
 */
export type CountRequests = <T>(count: (purpose: RequestPurpose) => void, work: () => Promise<T>) => Promise<T>;

/** For processes without a metrics endpoint. */
export const noMetrics: Metrics = { requestEnded: () => {}, tokenPresented: () => {} };
