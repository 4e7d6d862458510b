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

/** Returns whether to scan instead of so many single reads. `scan`: the requests of a scan, where they are known. */
export function isScanCheaper(reads: number, scan: number | undefined): boolean {
  return scan === undefined ? reads > triedFrom : scan < reads;
}

export function totalOf(counts: RequestCounts): number {
  return requestPurposes.reduce((sum, purpose) => sum + (counts[purpose] ?? 0), 0);
}

/** Adds two counts. */
export function addCounts(one: RequestCounts, other: RequestCounts): RequestCounts {
  return combine((purpose) => (one[purpose] ?? 0) + (other[purpose] ?? 0));
}

/** Returns what `counts` has more than `expected`, by purpose. */
export function countsAbove(counts: RequestCounts, expected: RequestCounts): RequestCounts {
  return combine((purpose) => Math.max(0, (counts[purpose] ?? 0) - (expected[purpose] ?? 0)));
}

function combine(countOf: (purpose: RequestPurpose) => number): RequestCounts {
  return Object.fromEntries(
    requestPurposes.map((purpose) => [purpose, countOf(purpose)] as const).filter(([, count]) => count > 0),
  );
}
