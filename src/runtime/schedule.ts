import { createTask, type ScheduledTask } from 'node-cron';

const minuteMs = 60_000;
/** How far back a missed slot is looked for. */
const longestOutageMs = 8 * 86_400_000;

/** A cron text in a time zone, asked for slots; it starts no timer. Slots are whole minutes, epoch ms. */
export interface Schedule {
  /** The newest slot after `after` and not after `upTo`, or undefined. Several missed slots are one catch-up. */
  newestSlot(after: number, upTo: number): number | undefined;
  nextSlot(): number | undefined;
}

export function openSchedule(cron: string, timezone: string): Schedule {
  const task: ScheduledTask = createTask(cron, () => {}, { timezone, suppressMissedWarning: true });
  return {
    newestSlot(after, upTo) {
      const oldest = Math.max(after, upTo - longestOutageMs);
      for (let at = Math.floor(upTo / minuteMs) * minuteMs; at > oldest; at -= minuteMs) {
        if (task.match(new Date(at))) return at;
      }
      return undefined;
    },
    nextSlot: () => task.getNextRun()?.getTime(),
  };
}
