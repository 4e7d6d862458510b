import { autoDirectLimit, type Route } from './batch.ts';
import { RollcallError } from './errors.ts';
import type { Limits, SettleSettings } from './settings.ts';

/** What a request to the platform is for. */
export const requestPurposes = [
  'scan',
  'lookup',
  'proof',
  'read',
  'upload',
  'poll',
  'write',
  'leaders',
  'token',
  'other',
] as const;

/**
 * `scan`: a directory scan for the plan. `lookup`: one just before changes are sent. `proof`: one that reads sent changes
 * back. `read`: a single user, for any of these. `upload`, `poll`: a file and its status. `write`: a direct change.
 * `leaders`: a list of the leaders of a user, or a change of them.
 */
export type RequestPurpose = (typeof requestPurposes)[number];

/** Why a directory scan is made. */
export type ScanPurpose = Extract<RequestPurpose, 'scan' | 'lookup' | 'proof'>;

/** Numbers of requests. An absent purpose has none. */
export type RequestCounts = { readonly [Purpose in RequestPurpose]?: number };

/**
 * Returns the requests of a scan: one counts the enabled users, and a full last page is followed by an empty one. An empty
 * directory shows no size of its pages.
 */
export function scanRequests(users: number, pageSize: number): number {
  return users === 0 ? 2 : Math.floor(users / pageSize) + 2;
}

/** While the size of the directory is unknown, a scan is tried from so many reads on. Its first two requests show it. */
const triedFrom = 20;

/** So many users are read one by one where the search fails. */
const fewReads = 100;

/** Returns whether so many users can be read without the search that failed. */
export function canReadSingly(reads: number, error: unknown): boolean {
  return reads <= fewReads && error instanceof RollcallError;
}

/** Returns whether to scan instead of so many single reads. `scan`: the requests of a scan, where they are known. */
export function isScanCheaper(reads: number, scan: number | undefined): boolean {
  return scan === undefined ? reads > triedFrom : scan < reads;
}

export function totalOf(counts: RequestCounts): number {
  return requestPurposes.reduce((sum, purpose) => sum + (counts[purpose] ?? 0), 0);
}

/** Adds two counts. */
export function addCounts(one: RequestCounts, other: RequestCounts): RequestCounts {
  return Object.fromEntries(
    requestPurposes
      .map((purpose) => [purpose, (one[purpose] ?? 0) + (other[purpose] ?? 0)] as const)
      .filter(([, count]) => count > 0),
  );
}

/** What one batch of a plan sends. */
export interface BatchLoad {
  readonly kind: Route;
  /** Number of changes. */
  readonly size: number;
  /** Requests of changes of leaders: the calls, and the list that proves each. */
  readonly leads: number;
}

export interface BudgetFacts {
  /** Requests that made the plan. */
  readonly planning: number;
  readonly batches: readonly BatchLoad[];
  /** Undefined when the plan did not scan the directory: users then count as read one by one. */
  readonly directory: { readonly users: number; readonly pageSize: number } | undefined;
  readonly settle: Pick<SettleSettings, 'everyMs' | 'lookWithinMs'>;
  readonly limits: Pick<Limits, 'requestsPerSecond'>;
}

/** About what a run of a plan costs the platform, if nothing fails. */
export type RequestBudget = ReturnType<typeof requestBudget>;

/** One upload, and two polls of its status. */
const requestsPerFile = 3;

/** Estimates the requests of a run: its plan, its files and direct calls, and the scans or reads of the users that they change. */
export function requestBudget({ planning, batches, directory, settle, limits }: BudgetFacts) {
  const sizeOf = (kind: Route): number => batches.reduce((sum, one) => sum + (one.kind === kind ? one.size : 0), 0);
  const files = batches.filter(({ kind }) => kind === 'csv').length;
  const calls = sizeOf('direct');
  const users = sizeOf('csv') + calls;
  const scan = directory === undefined ? users : scanRequests(directory.users, directory.pageSize);
  const toFindAll = Math.min(scan, users);
  // Users of a small run are read before they are sent. Otherwise a scan shows them, and is repeated when it is too old.
  const before = users <= autoDirectLimit ? users : 0;
  const repeats = Math.floor((files * settle.everyMs) / Math.max(settle.lookWithinMs, settle.everyMs));
  const leads = batches.reduce((sum, one) => sum + one.leads, 0);
  const requests = planning + files * requestsPerFile + calls + before + (1 + repeats) * toFindAll + leads;
  const perSecond = limits.requestsPerSecond;
  return {
    /** Number of files to upload. */
    files,
    /** Number of requests, those for making the plan included. */
    requests,
    /** The rate limit of the connection, and how long the requests take at that rate. */
    perSecond,
    seconds: Math.ceil(requests / perSecond),
  };
}
