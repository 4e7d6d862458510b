/** What a full read must come to when the HR system does this. */
export type FaultFate =
  /** The trouble passes while it is read, or is no trouble: everybody is there, and the read is complete. */
  | 'read'
  /** The read is not called complete: it ends `complete: false`, or throws SOURCE_UNAVAILABLE. */
  | 'distrusted'
  /** Trying again is useless until a person acts: it throws SOURCE_REFUSED, whose `retry` is `never`. */
  | 'refused';

/** Why a stray quote cannot hide a row of a kind that reads no rows of text. */
export const noTextRows = 'an answer is JSON or XML, where a stray quote leaves no whole text: see "cut for good"';

/** Why nothing but a file can be a pipe. */
export const noFile = 'there is no path of a file';

/** Everything that an HR system may do to a read. Each kind says which of it can happen to it, and plays that. */
export const sourceFaults = {
  'cut body': { fate: 'read', what: 'the connection closes in the middle of an answer, once' },
  'cut for good': { fate: 'distrusted', what: 'each answer, file or result ends in its middle' },
  'server error': { fate: 'read', what: 'an answer 500, 502 or a reset connection, once' },
  'web page': { fate: 'distrusted', what: 'status 200 with an HTML login page' },
  'error with 200': { fate: 'distrusted', what: 'status 200 with an error object, or without the list of people' },
  empty: { fate: 'distrusted', what: 'nobody at all, without an error' },
  'total too large': { fate: 'distrusted', what: 'the total, count or trailer promises more people than come' },
  'total too small': { fate: 'distrusted', what: 'the total, count or trailer promises fewer people than come' },
  'total nonsense': { fate: 'distrusted', what: 'the total, count, trailer or marker is no number' },
  'page again': { fate: 'distrusted', what: 'the next page is the same page again' },
  'cursor again': { fate: 'distrusted', what: 'the next link or cursor is one that was used before' },
  'person twice': { fate: 'distrusted', what: 'one person comes twice: somebody else may have slipped between pages' },
  'person slipped': {
    fate: 'distrusted',
    what: 'somebody is deleted while pages are read, and another one is skipped',
  },
  'page emptied': { fate: 'distrusted', what: 'a page in the middle is empty, and leads on to the next one' },
  'cursor expired': { fate: 'distrusted', what: 'a continuation is refused: 400, 404 or 410' },
  'busy, seconds': { fate: 'read', what: '429 with Retry-After in seconds, once' },
  'busy, date': { fate: 'read', what: '429 with Retry-After as an HTTP date, once' },
  'busy, no word': { fate: 'read', what: '429 without Retry-After, once' },
  'busy, 503': { fate: 'read', what: '503 with Retry-After, once' },
  'token ends': { fate: 'read', what: 'the access token ends in the middle, and a new one can be had' },
  'no right': { fate: 'refused', what: '403, a wrong password, or a wrong host key' },
  'other host': {
    fate: 'distrusted',
    what: 'a next link or redirect to another host, which must not see a credential',
  },
  'pages shrink': { fate: 'read', what: 'the server gives smaller pages than were asked for' },
  'long ids': { fate: 'read', what: 'ids beyond 2^53 come with all their digits' },
  'stray quotes': {
    fate: 'distrusted',
    what: 'two quotes that are not doubled enclose several rows, which are then one valid row',
  },
  'a pipe': { fate: 'distrusted', what: 'a named pipe to which nobody writes is where the file should be' },
  'still written': { fate: 'distrusted', what: 'the file or table changes while it is read' },
} as const satisfies Readonly<Record<string, { readonly fate: FaultFate; readonly what: string }>>;

export type FaultName = keyof typeof sourceFaults;
export const faultNames = Object.keys(sourceFaults) as readonly FaultName[];
