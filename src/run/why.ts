import type { User } from '../core/person/fields.ts';
import { lookAlikeKey } from '../core/person/identification.ts';
import type { Mapped, SourceRecord } from '../core/person/person.ts';
import { type Change, partOf } from '../core/plan/change.ts';
import type { Case, Decision } from '../core/plan/plan.ts';
import type { Snapshot } from '../core/plan/snapshot.ts';
import { type Finding, type FindingCode, tellsConflict } from '../core/run/finding.ts';
import { conflict as conflictSays } from './decide/decide-slots.ts';
import type { EngineIo, Sync } from './engine-io.ts';
import { makePlan } from './make-plan.ts';
import { explainWith, type Watcher } from './recorder.ts';

/** The decision of the next full run about one person, and its inputs. */
export interface Explained {
  readonly records: readonly { readonly record: SourceRecord; readonly mapped: Mapped }[];
  readonly snapshot: Snapshot;
  readonly subject: Case | undefined;
  readonly decision: Decision | undefined;
  /** The change with its hash: what approvals and rejections name. Undefined when none would be planned. */
  readonly change: Change | undefined;
  /** The change of the person's leaders. Undefined when none would be planned. */
  readonly leaders: Change | undefined;
  /** The disable or remove that is left out because another sync is expected to take the user over. */
  readonly expected: Change | undefined;
  /** The account of another identification that a record seems to be about, and whose: a rename or a conversion. */
  readonly conflict: { readonly code: FindingCode; readonly user: User; readonly person: string } | undefined;
  /** Findings about the person, and about the whole read. */
  readonly findings: readonly Finding[];
  /** Why a full run would plan nothing from this read. */
  readonly failure: string | undefined;
}

/**
 * Decides about one person with the steps of a full plan. All people are read and compared, because their claims affect
 * the decision. Stores nothing. Throws the errors of the source read and of the directory scan.
 */
export async function explain(
  identification: string,
  sync: Sync,
  io: EngineIo,
  signal: AbortSignal,
): Promise<Explained> {
  const records: { record: SourceRecord; mapped: Mapped }[] = [];
  let read: Pick<Explained, 'snapshot' | 'failure'> | undefined;
  const found: Found = {};
  const watcher: Watcher = {
    record(record, mapped) {
      if (mapped.kind !== 'unreadable' && mapped.identification === identification) records.push({ record, mapped });
    },
    read({ snapshot, failure }) {
      read = { snapshot, failure };
    },
    finding({ code, account: user, identification: person }) {
      if (user === undefined || person === undefined) return;
      if (person === identification || user.identification === identification) found.conflict = { code, user, person };
    },
    led() {},
    decided(subject, decision) {
      Object.assign(found, { subject, decision });
    },
    changes([change]) {
      // Expected hand-overs above the limit enter the plan only to be held.
      if (change === undefined || change.hash === found.expected?.hash) return;
      if (partOf(change) === 'leaders') found.leaders = change;
      else found.change = change;
    },
    expected([expected]) {
      if (expected !== undefined) found.expected = expected;
    },
  };
  const job = { sync, scope: { kind: 'all', isFull: true }, focus: [identification], signal } as const;
  const plan = await makePlan(job, explainWith(watcher, sync, io), io);
  // Guards count all people, and here one person alone was decided.
  const findings = plan.findings.filter((finding) => finding.code !== 'held' && isAbout(finding, identification));
  const { change, leaders, expected, conflict } = found;
  if (read === undefined) throw new Error('a plan was made without a read');
  return { records, ...read, ...withReason(found, findings), change, leaders, expected, conflict, findings };
}

interface Found {
  subject?: Case;
  decision?: Decision;
  change?: Change;
  leaders?: Change;
  expected?: Change;
  conflict?: Explained['conflict'];
}

/** Gives the decision about a person in a conflict the code and the reason of the conflict's finding. */
function withReason(
  { subject, decision }: Found,
  findings: readonly Finding[],
): Pick<Explained, 'subject' | 'decision'> {
  const told = findings.find((finding) => finding.identification !== undefined && tellsConflict(finding));
  if (subject?.source !== conflictSays || decision?.rule !== 'unusable' || told === undefined) {
    return { subject, decision };
  }
  const { code, message: reason } = told;
  return {
    subject: { ...subject, source: { ...conflictSays, code, reason } },
    decision: { ...decision, finding: told },
  };
}

function isAbout({ identification, at }: Finding, name: string): boolean {
  if (identification === undefined) return at === undefined;
  return identification.toLowerCase() === name.toLowerCase() || lookAlikeKey(identification) === lookAlikeKey(name);
}
