import type { RequestPurpose } from '../core/run/requests.ts';
import type { Run } from './runs.ts';

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

/** One job of the job table, as its span shows it. `run`: as it was before the job. */
interface TracedJob {
  readonly name: string;
  readonly run?: Run;
}

/**
 * Sends traces to a collector (OpenTelemetry). No span names a person, and none has an id, a query or a
 * body of a call. A collector that does not answer delays and fails nothing.
 */
export interface Tracing {
  /** Requests to a platform become spans of the job under way. */
  readonly metrics: Metrics;
  during<Result>(job: TracedJob, work: () => Promise<Result>): Promise<Result>;
  /** Adds the span of a whole run that has ended. `requestedAt`: when the run was requested. */
  runEnded(run: Run, requestedAt: number | undefined): void;
  /** Sends what is left. Waits a few seconds at most. */
  close(): Promise<void>;
}
