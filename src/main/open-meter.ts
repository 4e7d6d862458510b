import { AsyncLocalStorage } from 'node:async_hooks';
import type { RequestPurpose } from '../core/run/requests.ts';
import type { CountRequests, Metrics } from '../ports/metrics.ts';

/** Counts the activity of connections for every attached receiver. Only a process that serves or sends metrics loads them. */
export interface Meter extends Metrics {
  attach(metrics: Metrics): void;
  readonly countRequests: CountRequests;
}

export function openMeter(): Meter {
  const attached: Metrics[] = [];
  const counting = new AsyncLocalStorage<(purpose: RequestPurpose) => void>();
  return {
    attach: (metrics) => {
      attached.push(metrics);
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
      for (const metrics of attached) metrics.requestEnded(request);
    },
    tokenPresented(connection, outcome) {
      for (const metrics of attached) metrics.tokenPresented(connection, outcome);
    },
  };
}
