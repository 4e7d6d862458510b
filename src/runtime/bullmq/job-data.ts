import { z } from 'zod';

/** What Redis holds of a job: names and ids, never people. Assume that more people can read Redis than the store. */
const jobData = z.strictObject({
  v: z.literal(2),
  /** Name in the job table. */
  job: z.string(),
  payload: z.record(z.string(), z.string()),
  /** How often this step has failed in a way that may heal. */
  tries: z.int().min(0),
  /** Which piece of its run this is: 0 makes the plan, each further one brings a batch to its end. */
  piece: z.int().min(0),
  /** End of a long wait (epoch ms). The job runs earlier, to see whether the run was cancelled. */
  notBefore: z.int().optional(),
});

export type JobData = z.output<typeof jobData>;

/** Jobs of version 1 had a job for each phase of a run. The store knows the phase, so any of them advances the run. */
const former = jobData.extend({ v: z.literal(1) }).transform(({ payload: { run, ...rest }, job, ...data }): JobData => {
  if (run === undefined) return { ...data, job, payload: rest, v: 2 };
  return { ...data, job: 'advance-run', payload: { run }, v: 2 };
});

const readable = z.union([jobData, former]);

/** Returns undefined for the job of a version that this one does not know. */
export function readJobData(value: unknown): JobData | undefined {
  return readable.safeParse(value).data;
}

/** The first job of a run, or the one that continues it: the store knows its phase. */
export function firstPiece(run: string): JobData {
  return { v: 2, job: 'advance-run', payload: { run }, tries: 0, piece: 0 };
}

/** A job of no run. */
export function runlessJob(job: string, payload: JobData['payload']): JobData {
  return { v: 2, job, payload, tries: 0, piece: 0 };
}

/** Two jobs with one id are one, until the first has ended. Run ids hold no colon, which the queue forbids. */
export function jobIdOf({ job, payload, piece }: JobData): string {
  if (payload.run !== undefined) return `${payload.run}_${piece}`;
  return payload.connection === undefined ? job : `${job}_${payload.connection}`;
}

/** The run that a job of this id belongs to. */
export function runOfJobId(id: string): string {
  return id.slice(0, id.lastIndexOf('_'));
}
