import { z } from 'zod';

/** What stands in Redis for a job: names and ids, never people. Anybody who can read Redis may read it. */
const jobData = z.strictObject({
  v: z.literal(1),
  /** Name in the job table. */
  job: z.string(),
  payload: z.record(z.string(), z.string()),
  /** How often this step has failed in a way that may heal. */
  tries: z.int().min(0),
  /** Which piece of its run this is: 0 makes the plan, each further one brings a batch to its end. */
  piece: z.int().min(0),
  /** A long wait is over at this instant (epoch ms); the job comes earlier to see whether a person has cancelled it. */
  notBefore: z.int().optional(),
});

export type JobData = z.output<typeof jobData>;

/** Undefined when another version wrote it. */
export function readJobData(value: unknown): JobData | undefined {
  return jobData.safeParse(value).data;
}

/** The first job of a run, or the one that takes it up again: the store says where it stands. */
export function firstPiece(run: string): JobData {
  return { v: 1, job: 'sync', payload: { run }, tries: 0, piece: 0 };
}

/** Two jobs of one id are one, as long as the first has not ended. Run ids hold no colon, which the queue forbids. */
export function jobIdOf({ job, payload, piece }: JobData): string {
  if (payload.run !== undefined) return `${payload.run}_${piece}`;
  return payload.connection === undefined ? job : `${job}_${payload.connection}`;
}

/** The run that a job of this id belongs to. */
export function runOfJobId(id: string): string {
  return id.slice(0, id.lastIndexOf('_'));
}
