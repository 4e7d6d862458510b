/** What a full read must come to when the HR system does this. */
export type FaultFate =
  /** The trouble passes while it is read, or is no trouble: everybody is there, and the read is complete. */
  | 'read'
  /** The read is not called complete: it ends `complete: false`, or throws SOURCE_UNAVAILABLE. */
  | 'distrusted'
  /** Trying again is useless until a person acts: it throws SOURCE_REFUSED, whose `retry` is `never`. */
  | 'refused';

/** Why a stray quote cannot hide a row of a kind that reads no rows of text. */
export const noTextRows = 'a stray quote makes JSON or XML invalid: see `cut for good`';

/** Why nothing but a file can be a pipe. */
export const noFile = 'there is no file path';

/** Everything that an HR system may do to a read. Each kind says which of it can happen to it, and plays that. */
export const sourceFaults = {
  'cut body': { fate: 'read', what: 'the connection closes in the middle of one answer' },
  'cut for good': { fate: 'distrusted', what: 'each answer, file or result is cut' },
  'server error': { fate: 'read', what: 'one request ends with 500, 502 or a reset connection' },
  'web page': { fate: 'distrusted', what: 'status 200 with an HTML login page' },
  'error with 200': { fate: 'distrusted', what: 'status 200 with an error object, or without the list of people' },
  empty: { fate: 'distrusted', what: 'no people, and no error' },
  'total too large': { fate: 'distrusted', what: 'the total, count or trailer reports more people than are returned' },
  'total too small': { fate: 'distrusted', what: 'the total, count or trailer reports fewer people than are returned' },
  'total nonsense': { fate: 'distrusted', what: 'the total, count, trailer or marker is not a number' },
  'page again': { fate: 'distrusted', what: 'the next page repeats the same page' },
  'cursor again': { fate: 'distrusted', what: 'the next link or cursor was used before' },
  'person twice': { fate: 'distrusted', what: 'one person is returned twice, so another one may have been skipped' },
  'person slipped': {
    fate: 'distrusted',
    what: 'a person is deleted during the read, so another one is skipped',
  },
  'page emptied': { fate: 'distrusted', what: 'a page in the middle is empty, and links to the next page' },
  'cursor expired': { fate: 'distrusted', what: 'the next page is refused: 400, 404 or 410' },
  'busy, seconds': { fate: 'read', what: 'one 429 with `Retry-After` in seconds' },
  'busy, date': { fate: 'read', what: 'one 429 with `Retry-After` as an HTTP date' },
  'busy, no word': { fate: 'read', what: 'one 429 without `Retry-After`' },
  'busy, 503': { fate: 'read', what: 'one 503 with `Retry-After`' },
  'token ends': { fate: 'read', what: 'the access token expires during the read, and can be renewed' },
  'no right': { fate: 'refused', what: '403, a wrong password, or a wrong host key' },
  'other host': {
    fate: 'distrusted',
    what: 'a next link or redirect to another host, which must not see a credential',
  },
  'pages shrink': { fate: 'read', what: 'the server returns smaller pages than requested' },
  'long ids': { fate: 'read', what: 'ids beyond 2^53, of which every digit counts' },
  'stray quotes': {
    fate: 'distrusted',
    what: 'two quotes that are not doubled turn several rows into one valid row',
  },
  'a pipe': { fate: 'distrusted', what: 'a named pipe without a writer is in place of the file' },
  'still written': { fate: 'distrusted', what: 'the file or table changes while it is read' },
} as const satisfies Readonly<Record<string, { readonly fate: FaultFate; readonly what: string }>>;

export type FaultName = keyof typeof sourceFaults;
export const faultNames = Object.keys(sourceFaults) as readonly FaultName[];
