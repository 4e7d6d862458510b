/**
 * Work that a scheduler does itself, again and again: cheap, without a payload, and never in a queue. It decides what goes
 * to the workers.
 */
export interface ScheduledTask<Context> {
  readonly name: string;
  /** Minimum time between two starts (ms). The scheduler ticks once a second. */
  readonly everyMs: number;
  run(context: Context): Promise<unknown>;
}

/** Makes a task. Gives its context a type; nothing is checked. */
export function defineTask<Context>(task: ScheduledTask<Context>): ScheduledTask<Context> {
  return task;
}
