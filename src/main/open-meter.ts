import { AsyncLocalStorage } from 'node:async_hooks';
import type { RequestPurpose } from '../core/requests.ts';
import { type CountRequests, type Metrics, noMetrics } from '../ports/metrics.ts';

/** Counts the activity of connections after metrics are attached. Only a process that serves metrics loads them. */
export interface Meter extends Metrics {
  attach(metrics: Metrics): void;
  readonly countRequests: CountRequests;
}

export function openMeter(): Meter {
  let attached = noMetrics;
  const counting = new AsyncLocalStorage<(purpose: RequestPurpose) => void>();
  return {
    attach: (metrics) => {
      attached = metrics;
    },
    countRequests(count, work) {
      const outer = counting.getStore();
      const both = (purpose: RequestPurpose): void => {
        outer?.(purpose);
        count(purpose);
      };
      return counting.run(both, work);
    },
    requestEnded(request) {
      counting.getStore()?.(request.purpose);
      attached.requestEnded(request);
    },
    tokenPresented: (connection, outcome) => attached.tokenPresented(connection, outcome),
  };
}
