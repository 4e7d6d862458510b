import type { Clock, Progress } from '../ports/runtime.ts';
import type { DriveIo } from './in-process/drive-run.ts';

/** Proof that a process works, from outside of what it proves. Instants are epoch ms. */
export interface Pulse {
  /** The older of: when it last looked for work, and when its worker last did some or had none to do. */
  workedAt(): number | undefined;
  looked(): void;
  /** What a worker does passes through here. */
  follow(drive: DriveIo): DriveIo;
  /** Until the signal aborts: a worker that has nothing to do is well, one that leaves work lying is not. */
  watchWorker(waiting: () => Promise<number | undefined>, signal: AbortSignal): Promise<void>;
}

const lookMs = 5000;

export function openPulse(clock: Clock): Pulse {
  let lookedAt: number | undefined;
  let workedAt: number | undefined;
  let active = 0;
  const worked = (): void => {
    if (workedAt !== undefined) workedAt = clock.now();
  };
  return {
    workedAt: () => {
      const beats = [lookedAt, workedAt].filter((at) => at !== undefined);
      return beats.length === 0 ? undefined : Math.min(...beats);
    },
    looked: () => {
      lookedAt = clock.now();
    },
    follow: (drive) => {
      const progress: Progress = (event) => {
        worked();
        drive.engine.progress(event);
      };
      return {
        ...drive,
        engine: { ...drive.engine, progress },
        async runJob(...job) {
          active += 1;
          worked();
          try {
            return await drive.runJob(...job);
          } finally {
            active -= 1;
            worked();
          }
        },
      };
    },
    async watchWorker(waiting, signal) {
      workedAt = clock.now();
      while (!signal.aborted) {
        const left = await waiting();
        // Without Redis nobody could work: a new start would not help.
        if (left === undefined || (left === 0 && active === 0)) worked();
        await clock.sleep(lookMs, signal).catch(() => {});
      }
    },
  };
}
