import { table } from './001-start-audit.ts';

/** What the processes of a deployment share, and what each of them sees. */
export const processTables = {
  leases: table(['name'], {
    name: 'text not null',
    /** Null while the lease is free. The row stays, so that the fence never restarts. */
    owner: 'text',
    fence: 'bigint not null',
    until_at: 'bigint not null',
    /** How often it was taken over from an owner that had not released it. */
    deaths: 'integer not null default 0',
  }),
  /** An owner that waits for the lease `name`. */
  turns: table(['name', 'owner'], {
    name: 'text not null',
    owner: 'text not null',
    number: 'bigint not null',
    /** The place counts until then. */
    until_at: 'bigint not null',
  }),
  /** What the clock showed at an instant of a machine's uptime. */
  clock_marks: table(['boot'], {
    boot: 'text not null',
    uptime_ms: 'bigint not null',
    at: 'bigint not null',
  }),
  clock_jumps: table(['before_at', 'after_at'], {
    before_at: 'bigint not null',
    after_at: 'bigint not null',
  }),
  /** What one process sees: see `Observation`. */
  observations: table(['process'], {
    process: 'text not null',
    until_at: 'bigint not null',
    seen: 'text not null',
  }),
} as const;
