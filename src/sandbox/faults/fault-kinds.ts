/** The type of a fault's `=argument`. */
export type FaultArgument = 'none' | 'number' | 'optional-number' | 'text' | 'status';

/** Where a fault can strike: any operation, some of them, the processing of files, or the platform as a whole. */
export type FaultReach = 'any' | readonly string[] | 'file' | 'platform';

export interface FaultKind {
  readonly kind: string;
  readonly reach: FaultReach;
  readonly argument: FaultArgument;
  /** One line for the help. */
  readonly summary: string;
}

const lists = ['search', 'feedbacks', 'goals', 'evaluations', 'leaders'];

export const faultKinds = [
  {
    kind: 'status',
    reach: 'any',
    argument: 'status',
    summary: 'answer with this HTTP status and do nothing (;retry-after=V adds the header)',
  },
  {
    kind: 'status-after-commit',
    reach: 'any',
    argument: 'status',
    summary: 'do it, then answer with this HTTP status (;retry-after=V adds the header)',
  },
  { kind: 'reset-before-commit', reach: 'any', argument: 'none', summary: 'reset the connection and do nothing' },
  { kind: 'reset-after-commit', reach: 'any', argument: 'none', summary: 'do it, then reset the connection' },
  { kind: 'hang', reach: 'any', argument: 'none', summary: 'do nothing and never answer' },
  { kind: 'hang-after-commit', reach: 'any', argument: 'none', summary: 'do it and never answer' },
  { kind: 'slow', reach: 'any', argument: 'number', summary: 'wait this many ms before anything else' },
  { kind: 'drip', reach: 'any', argument: 'number', summary: 'send the body byte by byte, with this many ms between' },
  { kind: 'html', reach: 'any', argument: 'none', summary: 'do it, but answer 200 with an HTML page' },
  {
    kind: 'page',
    reach: 'any',
    argument: 'status',
    summary: 'answer with this HTTP status and an HTML page, as a proxy does, and do nothing',
  },
  { kind: 'instead', reach: 'any', argument: 'text', summary: 'answer 200 with this text as JSON, and do nothing' },
  {
    kind: 'merge',
    reach: 'any',
    argument: 'text',
    summary: 'do it, and merge this JSON object into the answer; null removes a member (RFC 7396)',
  },
  { kind: 'empty', reach: 'any', argument: 'none', summary: 'do it, but answer 200 without a body' },
  {
    kind: 'truncate-json',
    reach: 'any',
    argument: 'none',
    summary: 'do it, but send half of the JSON as the complete body',
  },
  {
    kind: 'cut-body',
    reach: 'any',
    argument: 'none',
    summary: 'do it, but reset the connection in the middle of the body',
  },
  { kind: 'bom', reach: 'any', argument: 'none', summary: 'start the body with a byte order mark' },
  { kind: 'huge', reach: 'any', argument: 'number', summary: 'add this many bytes of white space to the body' },
  { kind: 'redirect', reach: 'any', argument: 'text', summary: 'answer 302 to this URL and do nothing' },
  {
    kind: 'shift-pages',
    reach: ['search'],
    argument: 'optional-number',
    summary: 'pages after the first start this many rows later (1) or earlier (-1), as if users came or went',
  },
  { kind: 'missing-page', reach: lists, argument: 'none', summary: 'a page without rows and a correct total' },
  { kind: 'duplicate-row', reach: lists, argument: 'none', summary: 'a page whose last row repeats its first row' },
  { kind: 'null-row', reach: lists, argument: 'none', summary: 'a page whose first row is null' },
  { kind: 'total-off', reach: ['search'], argument: 'number', summary: 'totalElements is wrong by this number' },
  {
    kind: 'ignore-parameters',
    reach: ['search'],
    argument: 'none',
    summary: 'search as if no parameter had been sent',
  },
  { kind: 'cap-size', reach: ['search'], argument: 'number', summary: 'pages have at most this many rows' },
  { kind: 'absent', reach: 'any', argument: 'none', summary: 'the endpoint does not exist: 404' },
  {
    kind: 'invalid_grant',
    reach: ['token'],
    argument: 'none',
    summary: 'refuse the refresh token without checking it',
  },
  {
    kind: 'refuse-if',
    reach: ['upload', 'create', 'update'],
    argument: 'text',
    summary: 'answer 403 where the body has this text, as a firewall does, and do nothing',
  },
  {
    kind: 'too-large',
    reach: ['upload'],
    argument: 'number',
    summary: 'answer 413 for files with more rows than this, and do nothing',
  },
  { kind: 'fail', reach: 'file', argument: 'none', summary: 'the file fails without effect' },
  { kind: 'fail-if', reach: 'file', argument: 'text', summary: 'the row of this identification is bad' },
  { kind: 'fail-over', reach: 'file', argument: 'number', summary: 'files with more rows fail without effect' },
  {
    kind: 'drop-row',
    reach: 'file',
    argument: 'text',
    summary: 'the row of this identification is skipped silently',
  },
  {
    kind: 'stuck',
    reach: 'file',
    argument: 'none',
    summary: 'the file is never processed; other uploads are refused meanwhile',
  },
  {
    kind: 'stuck-after-commit',
    reach: 'file',
    argument: 'none',
    summary: 'the file takes effect, but its status stays Processing',
  },
  {
    kind: 'unknown-status',
    reach: 'file',
    argument: 'text',
    summary: 'the file takes effect, but ends with this status',
  },
  { kind: 'processing', reach: 'file', argument: 'number', summary: 'processing takes this many ms' },
  {
    kind: 'token-expire-after',
    reach: 'platform',
    argument: 'number',
    summary: 'access tokens expire after this many calls',
  },
  { kind: 'late', reach: 'platform', argument: 'number', summary: 'writes become visible this many ms late' },
] as const satisfies readonly FaultKind[];

export type FaultKindName = (typeof faultKinds)[number]['kind'];
