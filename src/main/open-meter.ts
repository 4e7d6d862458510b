import { type Metrics, noMetrics } from '../ports/metrics.ts';

/** Counts what connections do, once metrics are attached: only a process that serves metrics loads them. */
export interface Meter extends Metrics {
  attach(metrics: Metrics): void;
}

export function openMeter(): Meter {
  let attached = noMetrics;
  return {
    attach: (metrics) => {
      attached = metrics;
    },
    requestEnded: (request) => attached.requestEnded(request),
    tokenPresented: (connection, outcome) => attached.tokenPresented(connection, outcome),
  };
}
