import { type Metrics, noMetrics } from '../ports/metrics.ts';

/** Counts the activity of connections after metrics are attached. Only a process that serves metrics loads them. */
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
