import type { CodeEntry } from './code-entry.ts';

const mapping = 'configuration.md#the-mapping';
const shown = 'Run `rollcall show RUN --findings`: each line names the person and the reason.';

/** Findings about leaders. */
export const leaderEntries = {
  'leader-self': {
    meaning: 'The source names a person as their own leader. That leader is not set.',
    cause: 'The column of the manager holds the identification of the person.',
    cure: [shown, 'Correct the manager in the HR system.'],
    page: mapping,
  },
  'leader-cycle': {
    meaning: 'People lead each other in a circle. The main leaders of these people are not changed.',
    cause: 'The source names a person as the leader of one of their own leaders.',
    cure: [shown, 'Correct one of the managers in the HR system.'],
    page: mapping,
  },
  'leader-conflict': {
    meaning: 'The leader that the source names may be two people. No leader is set.',
    cause: 'Two active people have the e-mail of the manager, or the record of the manager is in a conflict.',
    cure: [shown, 'Correct the e-mail of one of them in the HR system, or resolve the conflict of the manager.'],
    page: mapping,
  },
  'leader-by-hand': {
    meaning: 'The main leader was set by hand, so Rollcall does not replace it. It is reported once.',
    cause: 'The platform shows another main leader than the source, and Rollcall did not set it.',
    cure: ['To replace leaders that were set by hand, set `takeOver: true` in `mapping.manager`.'],
    page: mapping,
  },
  'leaders-unclear': {
    meaning: 'The list of leaders of a person cannot be read completely. The leaders are not changed.',
    cause: 'The platform refused the list, or returned a part of it.',
    cure: [shown, 'Check that the token may read leaders. The next run tries again.'],
    page: mapping,
  },
  'leader-waits': {
    meaning: 'A leader that the source names cannot be set for more than 7 days.',
    cause: 'The manager is not in the source, is out of scope, or has no account.',
    cure: [shown, 'Correct the manager in the HR system, or create the account of the manager.'],
    page: mapping,
  },
  'leader-left': {
    meaning: 'A leader left, and the source still names this leader for some people. The relation stays.',
    cause: 'The HR system has no next manager for these people yet.',
    cure: ['Name the next manager of these people in the HR system.'],
    page: mapping,
  },
} as const satisfies Readonly<Record<string, CodeEntry>>;
