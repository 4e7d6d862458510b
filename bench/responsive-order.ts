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

/** What the process did between two reports of progress, summed over the run. */
export interface StepWatched {
  readonly step: string;
  readonly seconds: number;
  readonly cpuSeconds: number;
  /** Highest value of all samples. */
  readonly rssMb: number;
  readonly heapMb: number;
  readonly bufferMb: number;
}

export interface RunWatched {
  readonly outcome: string;
  readonly changes: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly idleRssMb: number;
  readonly peakRssMb: number;
  readonly loop: LoopWatched;
  readonly steps: readonly StepWatched[];
}
