import type { Clock, Progress } from '../ports/runtime.ts';
import type { DriveIo } from './in-process/drive-run.ts';

/** Reports whether a process makes progress, independently of its work. Instants are epoch ms. */
export interface Heartbeat {
  /** Returns the older of the scheduler's last tick and the worker's last progress or idle moment. */
  workedAt(): number | undefined;
  /** Records a tick of the scheduler. */
  ticked(): void;
  /** Wraps a worker's IO, so that its jobs and their progress count. */
  follow(drive: DriveIo): DriveIo;
  /** Counts an idle worker as healthy until the signal aborts; a worker that leaves waiting jobs untouched is not. */
  watchWorker(waiting: () => Promise<number | undefined>, signal: AbortSignal): Promise<void>;
}

const checkMs = 5000;

export function openHeartbeat(clock: Clock): Heartbeat {
  let tickedAt: number | undefined;
  let workedAt: number | undefined;
  let active = 0;
  const worked = (): void => {
    if (workedAt !== undefined) workedAt = clock.now();
  };
  return {
    workedAt: () => {
      const beats = [tickedAt, workedAt].filter((at) => at !== undefined);
      return beats.length === 0 ? undefined : Math.min(...beats);
    },
    ticked: () => {
      tickedAt = clock.now();
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
        // Without Redis no worker gets jobs, and a restart would not help.
        if (left === undefined || (left === 0 && active === 0)) worked();
        await clock.sleep(checkMs, signal).catch(() => {});
      }
    },
  };
}
