import type { StepWatched } from './responsive-order.ts';

export interface StepWatch {
  /** The step that the process does from now on. */
  doing(step: string): void;
  /** All steps, in the order in which each began first. */
  end(): StepWatched[];
}

const sampleMs = 100;

/** Watches time and memory of this process by step of the run. Memory is sampled every 100 ms. */
export function watchSteps(): StepWatch {
  const steps = new Map<string, { -readonly [K in keyof StepWatched]: StepWatched[K] }>();
  let at = performance.now();
  let cpu = process.cpuUsage();
  let now = 'waiting';
  const look = (): void => {
    const known = steps.get(now) ?? { step: now, seconds: 0, cpuSeconds: 0, rssMb: 0, heapMb: 0, bufferMb: 0 };
    steps.set(now, known);
    const { rss, heapUsed, external } = process.memoryUsage();
    const used = process.cpuUsage(cpu);
    cpu = process.cpuUsage();
    known.seconds += (performance.now() - at) / 1000;
    known.cpuSeconds += (used.user + used.system) / 1e6;
    known.rssMb = Math.max(known.rssMb, rss / 1e6);
    known.heapMb = Math.max(known.heapMb, heapUsed / 1e6);
    known.bufferMb = Math.max(known.bufferMb, external / 1e6);
    at = performance.now();
  };
  const timer = setInterval(look, sampleMs);
  return {
    doing(step) {
      if (step === now) return;
      look();
      now = step;
    },
    end() {
      clearInterval(timer);
      look();
      return [...steps.values()];
    },
  };
}
