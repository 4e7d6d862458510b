import type { Need } from '../core/guard/access.ts';

/**
 * What an operation is about. `list`: all syncs that the caller may see, or that of the query. `body`: the sync of the
 * body. `subject`: what an alert is about. The others are named in the path.
 */
export type About =
  | 'deployment'
  | 'list'
  | 'sync'
  | 'run'
  | 'hold'
  | 'preview'
  | 'request'
  | 'connection'
  | 'subject'
  | 'body';

export interface Needs extends Need {
  readonly of: About;
}

/** A preview with an edited mapping may show fields of employees that the sync never reads: for making it, and for reading it. */
export const editedPreview = { role: 'operator', people: 'needed' } as const satisfies Need;

type Row = readonly [role: Need['role'], of: About, people: Need['people']];

/**
 * Who may call what: each operation with its role, what it is about, and whether it shows people. The router checks it
 * before the operation, the OpenAPI document has it as `x-rollcall-needs`, and the tests play every row.
 */
const table: Readonly<Record<string, Row | 'signature' | 'none'>> = {
  'show-session': 'none',
  'open-session': 'none',
  'end-session': 'none',
  'list-sessions': ['admin', 'deployment', 'none'],
  'end-sessions': ['admin', 'deployment', 'none'],

  'show-overview': ['monitor', 'list', 'hidden'],
  'stream-overview': ['monitor', 'list', 'hidden'],
  'list-days': ['monitor', 'list', 'none'],
  'list-syncs': ['monitor', 'list', 'hidden'],
  'stream-syncs': ['monitor', 'list', 'hidden'],
  'list-alerts': ['monitor', 'list', 'hidden'],
  'stream-alerts': ['monitor', 'list', 'hidden'],
  'list-connections': ['monitor', 'list', 'none'],
  'list-orphans': ['monitor', 'list', 'none'],
  'list-runs': ['monitor', 'list', 'hidden'],
  'show-run': ['monitor', 'run', 'hidden'],
  'stream-run': ['monitor', 'run', 'hidden'],
  'show-request': ['monitor', 'request', 'hidden'],
  'stream-request': ['monitor', 'request', 'hidden'],
  'list-holds': ['monitor', 'list', 'hidden'],
  'list-closed-holds': ['monitor', 'list', 'hidden'],
  'show-hold': ['monitor', 'hold', 'hidden'],

  'list-corrections': ['viewer', 'sync', 'hidden'],
  'show-mapping': ['viewer', 'sync', 'hidden'],
  'list-previews': ['viewer', 'list', 'hidden'],
  'show-preview': ['viewer', 'preview', 'hidden'],
  'stream-preview': ['viewer', 'preview', 'hidden'],
  'list-audit': ['viewer', 'list', 'hidden'],
  'preview-hold': ['viewer', 'hold', 'none'],

  'list-leavers': ['viewer', 'list', 'hidden'],
  'search-people': ['viewer', 'list', 'needed'],
  'explain-person': ['viewer', 'sync', 'needed'],
  'list-accounts': ['viewer', 'sync', 'needed'],
  'person-history': ['viewer', 'sync', 'needed'],
  'list-recent-changes': ['viewer', 'list', 'needed'],
  'report-people': ['viewer', 'list', 'needed'],
  'export-report': ['viewer', 'list', 'needed'],
  'list-findings': ['viewer', 'run', 'needed'],
  'list-changes': ['viewer', 'run', 'needed'],
  'search-run-changes': ['viewer', 'run', 'needed'],
  'group-run-changes': ['viewer', 'run', 'needed'],
  'export-run-changes': ['viewer', 'run', 'needed'],
  'search-preview-changes': ['viewer', 'preview', 'needed'],
  'group-preview-changes': ['viewer', 'preview', 'needed'],
  'export-preview-changes': ['viewer', 'preview', 'needed'],
  'search-hold-changes': ['viewer', 'hold', 'needed'],
  'group-hold-changes': ['viewer', 'hold', 'needed'],
  'export-hold-changes': ['viewer', 'hold', 'needed'],

  'pause-sync': ['operator', 'sync', 'hidden'],
  'resume-sync': ['operator', 'sync', 'hidden'],
  'request-run': ['operator', 'sync', 'none'],
  'request-preview': ['operator', 'body', 'hidden'],
  'cancel-run': ['operator', 'run', 'hidden'],
  'retry-run': ['operator', 'run', 'none'],
  'ack-alerts': ['operator', 'subject', 'none'],
  'mute-alerts': ['operator', 'subject', 'none'],
  'unmute-alerts': ['operator', 'subject', 'none'],

  // A decision about people is made by an operator who sees them.
  'approve-run': ['operator', 'run', 'needed'],
  'reject-run': ['operator', 'run', 'needed'],
  'undo-run': ['operator', 'run', 'needed'],
  'approve-hold': ['operator', 'hold', 'needed'],
  'reject-hold': ['operator', 'hold', 'needed'],
  'preview-adoption': ['operator', 'sync', 'needed'],
  'adopt-users': ['operator', 'sync', 'needed'],
  'adopt-orphans': ['operator', 'deployment', 'needed'],
  'list-raw-texts': ['operator', 'run', 'needed'],
  'set-up': ['operator', 'sync', 'needed'],
  'preview-mapping': [editedPreview.role, 'sync', editedPreview.people],

  'refresh-token': ['admin', 'connection', 'none'],
  'revoke-token': ['admin', 'connection', 'none'],
  webhook: 'signature',
};

/** Returns what an operation needs. Throws `RangeError` for one that the table does not have. */
export function needsOf(id: string): Needs | 'signature' | 'none' {
  const row = table[id];
  if (row === undefined) throw new RangeError(`the table of needs has no operation ${id}`);
  if (typeof row === 'string') return row;
  const [role, of, people] = row;
  return { role, of, people };
}
