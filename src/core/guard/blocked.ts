import type { Finding } from '../run/finding.ts';
import { countOf, outOf } from '../run/formats.ts';
import { onDemand } from '../run/on-demand.ts';
import type { FilledColumns, UnreadableCells } from './columns.ts';
import { isRewritten } from './damage.ts';

/** Why no decision is possible for a person. `unresolved`: the outcome of an earlier change is not known. */
export const blockedKinds = ['row-rejected', 'status-unknown', 'identity-conflict', 'unresolved'] as const;
export type BlockedKind = (typeof blockedKinds)[number];

/** Number of people without a decision, by kind. A kind with a count of zero is absent. */
export type BlockedCounts = Readonly<Partial<Record<BlockedKind, number>>>;

/** The counts of a read. `rows`: the records of these people, if they are more than the people. `cells`: unreadable ones. */
export type StoredBlocked = BlockedCounts & {
  readonly rows?: number;
  readonly cells?: UnreadableCells;
  readonly filled?: FilledColumns;
};

/**
 * Counts the people who are blocked by source data. `unresolved` is excluded, because there the platform gave no
 * answer.
 */
export function blockedBySource(counts: BlockedCounts | undefined): number {
  if (counts === undefined) return 0;
  return sourceKinds.reduce((sum, kind) => sum + (counts[kind] ?? 0), 0);
}

/** Returns whether only a word is missing in the configuration: the status of all whom the source blocks. */
export function lacksStatus(counts: BlockedCounts): boolean {
  return counts['status-unknown'] !== undefined && counts['status-unknown'] === blockedBySource(counts);
}

const sourceKinds = ['row-rejected', 'status-unknown', 'identity-conflict'] as const satisfies readonly BlockedKind[];

/** A person of the source for whom no decision is possible. `at`: location of the record. */
export type BlockedPerson =
  | { readonly kind: 'row-rejected'; readonly at: string; readonly column: string; readonly reason: string }
  | { readonly kind: 'status-unknown' | 'identity-conflict'; readonly at: string };

/** Counts blocked people during planning and groups them by cause. */
export interface BlockedTally {
  add(person: BlockedPerson): void;
  /** Counts records of a blocked person besides the first one. */
  addRows(count: number): void;
  /** Records which two identifications a conflict finding is about. Ignores other findings. */
  note(finding: Finding): void;
  counts(): BlockedCounts;
  /** Number of records of the people whom source data blocks. */
  rows(): number;
  /**
   * Returns the most frequent cause, as a sentence without its full stop. `rows`: number of records in the whole read.
   */
  likelyCause(rows: number): string | undefined;
}

interface Group {
  count: number;
  first: string;
}

/** Maximum number of distinct causes that are grouped. Further causes are only counted. */
const keptGroups = 1000;

/** Creates the tally of one plan. */
export function openBlockedTally(): BlockedTally {
  const kinds = new Map<BlockedPerson['kind'], Group>();
  const refusals = new Map<string, Group>();
  const conflicts = new Map<ConflictCause, number>();
  const holders = new Map<string, number>();
  let furtherRows = 0;
  const counts = (): BlockedCounts => Object.fromEntries([...kinds].map(([kind, group]) => [kind, group.count]));
  return {
    add(person) {
      addTo(kinds, person.kind, person.at);
      if (person.kind === 'row-rejected') addTo(refusals, `${person.column} ${person.reason}`, person.at);
    },
    note(finding) {
      const cause = conflictCause(finding);
      if (cause === undefined) return;
      conflicts.set(cause, (conflicts.get(cause) ?? 0) + 1);
      const { other } = finding;
      if (cause !== 'shared' || other === undefined || (holders.size >= keptGroups && !holders.has(other))) return;
      holders.set(other, (holders.get(other) ?? 0) + 1);
    },
    addRows(count) {
      furtherRows += count;
    },
    counts,
    rows: () => (kinds.size === 0 ? 0 : blockedBySource(counts()) + furtherRows),
    likelyCause(rows) {
      const [kind, group] = largest(kinds, (one) => one.count) ?? [];
      if (group === undefined) return undefined;
      const first = `first at ${group.first}`;
      switch (kind) {
        case 'status-unknown':
          return `${outOf(group.count, countOf(rows, 'row'), 'has', 'have')} a status that is not in lifecycle; ${first}`;
        case 'row-rejected': {
          const [reason, refused] = largest(refusals, (one) => one.count) ?? ['', group];
          return `${outOf(refused.count, countOf(rows, 'row'))} blocked because ${reason}; first at ${refused.first}`;
        }
        default: {
          const [cause, noted] = largest(conflicts, (many) => many) ?? ['other' as const, group.count];
          const sharing = Math.max(0, ...holders.values()) + 1;
          const many = Math.min(cause === 'shared' ? sharing : noted, group.count);
          if (cause === 'shared' && many * 2 <= group.count)
            return `${countOf(group.count, 'person claims', 'people claim')} the e-mail of another person; ${first}`;
          return `${conflictWords[cause](many)}; ${first}`;
        }
      }
    },
  };
}

type ConflictCause = 'other' | 'unread' | 'written' | 'renamed' | 'shared' | 'twice' | 'case';

const conflictWords: Readonly<Record<ConflictCause, (people: number) => string>> = {
  other: (people) => `${countOf(people, 'person is', 'people are')} in conflict with another row or user`,
  unread: (people) => `${countOf(people, 'account')} on the platform cannot be read`,
  written: (people) =>
    `identifications of ${countOf(people, 'person', 'people')} differ from their accounts only in case, punctuation or leading zeros`,
  renamed: (people) =>
    `${countOf(people, 'person has', 'people have')} the e-mail of a user with another identification`,
  shared: (people) => countOf(people, 'person claims the e-mail of another user', 'people share one e-mail'),
  twice: (people) => `${countOf(people, 'identification is', 'identifications are')} in several rows`,
  case: (people) =>
    `${countOf(people, 'identification differs', 'identifications differ')} from another one only by case or look-alike characters`,
};

function conflictCause({ code, identification, other }: Finding): ConflictCause | undefined {
  if (identification === undefined) return undefined;
  if (code === 'duplicate-key') return 'twice';
  if (code === 'case-conflict') return 'case';
  if (code === 'account-unreadable') return 'unread';
  // Without `other`, the finding repeats the same conflict for the other person.
  if ((code !== 'rename-conflict' && code !== 'email-conflict') || other === undefined) return undefined;
  if (isRewritten(identification, other)) return 'written';
  return code === 'rename-conflict' ? 'renamed' : 'shared';
}

/** The first use of a language takes 7 ms, and most runs compare no two places. */
const places = onDemand({ inOrder: () => new Intl.Collator('en', { numeric: true }) });

function addTo<Key>(groups: Map<Key, Group>, key: Key, at: string): void {
  const group = groups.get(key);
  if (group === undefined) {
    if (groups.size < keptGroups) groups.set(key, { count: 1, first: at });
    return;
  }
  group.count += 1;
  // People are added in the order of the platform's users, but the message names the first row of the source.
  if (places.inOrder.compare(at, group.first) < 0) group.first = at;
}

function largest<Key, Value>(
  groups: ReadonlyMap<Key, Value>,
  size: (value: Value) => number,
): [Key, Value] | undefined {
  let found: [Key, Value] | undefined;
  for (const entry of groups) if (found === undefined || size(entry[1]) > size(found[1])) found = entry;
  return found;
}
