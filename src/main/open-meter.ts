import { type Metrics, noMetrics } from '../ports/metrics.ts';

/**
 * Where connections count what they do. Until a process that somebody asks for metrics attaches them, it goes nowhere: no
 * other command loads what metrics need.
 */
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
