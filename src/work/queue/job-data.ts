import { z } from 'zod';

/** The data of a job in Redis: names and ids, never people. Assume that more people can read Redis than the store. */
const jobData = z.strictObject({
  v: z.literal(2),
  /** Name in the job table. */
  job: z.string(),
  payload: z.record(z.string(), z.string()),
  /** Number of temporary failures of this step. */
  tries: z.int().min(0),
  /** Position of the job in its run. Job 0 makes the plan; each further job sends batches, or proves what was sent. */
  piece: z.int().min(0),
  /** End of a wait by the store's clock (epoch ms). In a long wait, the job runs earlier to check whether the run was canceled. */
  notBefore: z.int().optional(),
});

export type JobData = z.output<typeof jobData>;

/** Version 1 had one job per phase of a run. The store knows the phase, so any of them advances the run. */
const former = jobData.extend({ v: z.literal(1) }).transform(({ payload: { run, ...rest }, job, ...data }): JobData => {
  if (run === undefined) return { ...data, job, payload: rest, v: 2 };
  return { ...data, job: runJobName, payload: { run }, v: 2 };
});

const readable = z.union([jobData, former]);

/** Returns the data of a job. Returns undefined for a version that this process does not know. */
export function readJobData(value: unknown): JobData | undefined {
  return readable.safeParse(value).data;
}

/** The job of a run. The store knows its phase, so a job of another name, from another version, does the same. */
export const runJobName = 'advance-run';

/** Returns the first job of a run, or the job that continues it. The store knows its phase. */
export function firstPiece(run: string): JobData {
  return { v: 2, job: runJobName, payload: { run }, tries: 0, piece: 0 };
}

/** Returns a job that belongs to no run. */
export function runlessJob(job: string, payload: JobData['payload']): JobData {
  return { v: 2, job, payload, tries: 0, piece: 0 };
}

/**
 * Returns the id of a job. The queue rejects a second job with the same id until the first has ended. Run ids contain
 * no colon, which the queue forbids.
 */
export function jobIdOf({ job, payload, piece }: JobData): string {
  if (payload.run !== undefined) return `${payload.run}_${piece}`;
  return [job, ...Object.values(payload)].join('_');
}

export function runOfJobId(id: string): string {
  return id.slice(0, id.lastIndexOf('_'));
}
