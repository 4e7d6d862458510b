import type { Metrics } from './metrics.ts';
import type { Run } from './store.ts';

/** One job of the job table, as its span shows it. `run`: as it was before the job. */
export interface TracedJob {
  readonly name: string;
  readonly run?: Run;
}

/** A sample of a metric, in the form of Prometheus: a histogram has one for each bucket, its sum and its count. */
export interface MetricFamily {
  readonly name: string;
  readonly type: 'gauge' | 'counter' | 'histogram';
  readonly help: string;
  readonly samples: readonly {
    readonly name: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly value: number;
  }[];
}

/**
 * Sends traces and metrics to a collector (OpenTelemetry). No span names a person, and none has an id, a query or a
 * body of a call. A collector that does not answer delays and fails nothing.
 */
export interface Tracing {
  /** Requests to a platform become spans of the job under way. */
  readonly metrics: Metrics;
  during<Result>(job: TracedJob, work: () => Promise<Result>): Promise<Result>;
  /** Adds the span of a whole run that has ended. `requestedAt`: when the run was requested. */
  runEnded(run: Run, requestedAt: number | undefined): void;
  /** From now on, sends the metrics at an interval, and once more at the end. */
  sendMetrics(read: () => Promise<readonly MetricFamily[]>): void;
  /** Sends what is left. Waits a few seconds at most. */
  close(): Promise<void>;
}
