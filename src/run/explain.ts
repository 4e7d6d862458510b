import { lookAlikeKey } from '../core/person/identification.ts';
import type { Mapped, SourceRecord } from '../core/person/person.ts';
import type { User } from '../core/person/user.ts';
import type { Change } from '../core/plan/change.ts';
import type { Case, Decision } from '../core/plan/plan.ts';
import type { Snapshot } from '../core/plan/snapshot.ts';
import { type Finding, type FindingCode, isAboutIdentity } from '../core/run/finding.ts';
import type { OwnedUser } from '../ports/store.ts';
import { comparePeople } from './compare/compare-people.ts';
import { openNeighbors } from './compare/neighbors.ts';
import { decideEveryone } from './decide/decide-everyone.ts';
import { conflict as conflictSays } from './decide/decide-slots.ts';
import type { EngineIo, Sync } from './engine-io.ts';
import { openWork } from './read/open-work.ts';
import { readPeople } from './read/read-people.ts';

/** The decision of the next full run about one person, and its inputs. */
export interface Explained {
  readonly records: readonly { readonly record: SourceRecord; readonly mapped: Mapped }[];
  readonly snapshot: Snapshot;
  readonly subject: Case | undefined;
  readonly decision: Decision | undefined;
  /** The change with its hash: what approvals and rejections name. Undefined when none would be planned. */
  readonly change: Change | undefined;
  /** The disable or remove that is left out because another sync is expected to take the user over. */
  readonly expected: Change | undefined;
  /** The account of another identification that the person's record seems to be about: a rename or a conversion. */
  readonly conflict: { readonly code: FindingCode; readonly user: User } | undefined;
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
  const spool = io.openSpool();
  try {
    const scope = { kind: 'all', isFull: true } as const;
    const focus = [identification];
    const job = { planId: '', sync, scope, focus, signal, context: undefined };
    const records: { record: SourceRecord; mapped: Mapped }[] = [];
    const onRecord = (record: SourceRecord, mapped: Mapped): void => {
      if (mapped.kind !== 'unreadable' && mapped.identification === identification) records.push({ record, mapped });
    };
    const found: Found = {};
    const opened = await openWork(job, spool, io);
    const find = (finding: Finding): void => {
      const { code, account: user } = finding;
      if (user !== undefined && finding.identification === identification) found.conflict = { code, user };
      opened.findings.find(finding);
    };
    const work = { ...opened, findings: { ...opened.findings, find }, onRecord };
    const read = await readPeople(work, io);
    const { snapshot, failure } = read;
    if (failure === undefined) {
      const { candidates, claims, holders, unresolved } = await comparePeople(work, read, io);
      const seen = { candidates, claims, holders };
      const sink = {
        find: work.findings.find,
        async changes(changes: readonly Change[]): Promise<void> {
          if (changes[0] !== undefined) found.change = changes[0];
        },
        async takeOver(users: readonly OwnedUser[]): Promise<ReadonlySet<string>> {
          return new Set(users.map(({ identification: name }) => name));
        },
        async expected(changes: readonly Change[]): Promise<void> {
          if (changes[0] !== undefined) found.expected = changes[0];
        },
        ledger: async () => {},
        decided(subject: Case, decision: Decision): void {
          Object.assign(found, { subject, decision });
        },
      };
      const { index } = work;
      const { blocked } = unresolved;
      const neighbors = openNeighbors(sync, io);
      const decideJob = { ...seen, sync, snapshot, isFocused: true, index, spool, neighbors, blocked, signal };
      await decideEveryone(decideJob, sink, io);
    }
    const findings = work.findings.all().filter((finding) => isAbout(finding, identification));
    const { change, expected, conflict } = found;
    return { records, snapshot, ...withReason(found, findings), change, expected, conflict, findings, failure };
  } finally {
    spool.close();
  }
}

interface Found {
  subject?: Case;
  decision?: Decision;
  change?: Change;
  expected?: Change;
  conflict?: Explained['conflict'];
}

/** Gives the decision about a person in a conflict the code and the reason of the conflict's finding. */
function withReason(
  { subject, decision }: Found,
  findings: readonly Finding[],
): Pick<Explained, 'subject' | 'decision'> {
  const told = findings.find((finding) => finding.identification !== undefined && isAboutIdentity(finding));
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
