import type { LoopWatched } from './loop-stops.ts';

/** Of whoever asks the server. */
export const token = 'a-token-for-this-bench-alone';

export interface ResponsiveOrder {
  readonly config: string;
  readonly explain: boolean;
}

/** What the working process says, in this order. */
export type ResponsiveNews =
  | { readonly kind: 'listening'; readonly url: string }
  | { readonly kind: 'running'; readonly run: string }
  | ({ readonly kind: 'ended' } & RunWatched);

export interface RunWatched {
  readonly outcome: string;
  readonly changes: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly idleRssMb: number;
  readonly peakRssMb: number;
  readonly loop: LoopWatched;
}
