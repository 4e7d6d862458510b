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

type Row = readonly [kind: string, reach: FaultReach, argument: FaultArgument, summary: string];

const rows = [
  ['status', 'any', 'status', 'answer with this HTTP status and do nothing (;retry-after=V adds the header)'],
  ['status-after-commit', 'any', 'status', 'do it, then answer with this HTTP status (;retry-after=V adds the header)'],
  ['reset-before-commit', 'any', 'none', 'reset the connection and do nothing'],
  ['reset-after-commit', 'any', 'none', 'do it, then reset the connection'],
  ['hang', 'any', 'none', 'do nothing and never answer'],
  ['hang-after-commit', 'any', 'none', 'do it and never answer'],
  ['slow', 'any', 'number', 'wait this many ms before anything else'],
  ['drip', 'any', 'number', 'send the body byte by byte, with this many ms between'],
  ['html', 'any', 'none', 'do it, but answer 200 with an HTML page'],
  ['page', 'any', 'status', 'answer with this HTTP status and an HTML page, as a proxy does, and do nothing'],
  ['instead', 'any', 'text', 'answer 200 with this text as JSON, and do nothing'],
  ['merge', 'any', 'text', 'do it, and merge this JSON object into the answer; null removes a member (RFC 7396)'],
  ['empty', 'any', 'none', 'do it, but answer 200 without a body'],
  ['truncate-json', 'any', 'none', 'do it, but send half of the JSON as the complete body'],
  ['cut-body', 'any', 'none', 'do it, but reset the connection in the middle of the body'],
  ['bom', 'any', 'none', 'start the body with a byte order mark'],
  ['huge', 'any', 'number', 'add this many bytes of white space to the body'],
  ['redirect', 'any', 'text', 'answer 302 to this URL and do nothing'],
  [
    'shift-pages',
    ['search'],
    'optional-number',
    'pages after the first start this many rows later (1) or earlier (-1), as if users came or went',
  ],
  ['missing-page', lists, 'none', 'a page without rows and a correct total'],
  ['duplicate-row', lists, 'none', 'a page whose last row repeats its first row'],
  ['null-row', lists, 'none', 'a page whose first row is null'],
  ['total-off', ['search'], 'number', 'totalElements is wrong by this number'],
  ['ignore-parameters', ['search'], 'none', 'search as if no parameter had been sent'],
  ['cap-size', ['search'], 'number', 'pages have at most this many rows'],
  ['absent', 'any', 'none', 'the endpoint does not exist: 404'],
  ['invalid_grant', ['token'], 'none', 'refuse the refresh token without checking it'],
  [
    'refuse-if',
    ['upload', 'create', 'update'],
    'text',
    'answer 403 where the body has this text, as a firewall does, and do nothing',
  ],
  ['too-large', ['upload'], 'number', 'answer 413 for files with more rows than this, and do nothing'],
  ['fail', 'file', 'none', 'the file fails without effect'],
  ['fail-if', 'file', 'text', 'the row of this identification is bad'],
  ['fail-over', 'file', 'number', 'files with more rows fail without effect'],
  ['first-rows', 'file', 'number', 'only so many rows take effect, and the file succeeds'],
  ['drop-row', 'file', 'text', 'the row of this identification is skipped silently'],
  ['stuck', 'file', 'none', 'the file is never processed; other uploads are refused meanwhile'],
  ['stuck-after-commit', 'file', 'none', 'the file takes effect, but its status stays Processing'],
  ['unknown-status', 'file', 'text', 'the file takes effect, but ends with this status'],
  ['processing', 'file', 'number', 'processing takes this many ms'],
  ['token-expire-after', 'platform', 'number', 'access tokens expire after this many calls'],
  ['late', 'platform', 'number', 'writes become visible this many ms late'],
] as const satisfies readonly Row[];

export type FaultKindName = (typeof rows)[number][0];

export const faultKinds: readonly FaultKind[] = rows.map(([kind, reach, argument, summary]) => {
  return { kind, reach, argument, summary };
});
