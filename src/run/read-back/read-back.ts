import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Change, partOf } from '../../core/plan/change.ts';
import { judgeChange, type Verdict } from '../../core/plan/judge.ts';
import { judgeLeaders } from '../../core/plan/leaders.ts';
import type { LedgerEntry } from '../../core/plan/ledger.ts';
import { afterChange, entryOf, leftBehind } from '../../core/plan/ledger-steps.ts';
import { rejectionBy, type UndoneRecord } from '../../core/plan/undo.ts';
import { chunk } from '../../core/run/batch.ts';
import type { Finding } from '../../core/run/finding.ts';
import { given } from '../../core/run/given.ts';
import type { LeadersLookup } from '../../ports/platform.ts';
import type { ChangeMark, PlannedChange } from '../../ports/store.ts';
import { isConfiguredOn } from '../compare/neighbors.ts';
import type { EngineIo, RunContext, Sync } from '../engine-io.ts';
import type { Lookups } from './lookups.ts';

/** Number of changes that are judged before other work of this process runs. */
const judgedPerTurn = 500;

export interface ReadBack {
  readonly change: Change;
  readonly verdict: Verdict;
  /** The account's ledger entry, if it has one. */
  readonly known: LedgerEntry | undefined;
  /** The id of the account that was read; undefined when no account was read. */
  readonly accountId: string | undefined;
  /** Read and search disagree. `not-seen` then proves nothing, not even that the change was not applied. */
  readonly isUnclear?: true;
}

/** Judges each change by what the platform shows now. */
export async function readBack(
  changes: readonly Change[],
  { lookups, sync }: { readonly lookups: Lookups; readonly sync: Sync },
  io: EngineIo,
): Promise<ReadBack[]> {
  const names = changes.map(({ identification }) => identification);
  const known = await io.store.ledger.getMany(sync.settings.connection, names);
  const users = await lookups.of(changes);
  const { name, connection } = sync.settings;
  const ownOf = (entry: LedgerEntry | undefined): LedgerEntry | undefined =>
    entry === undefined || entry.owner === name || isConfiguredOn(connection, entry.owner, io)
      ? entry
      : leftBehind(entry, name, io.clock.now());
  const judge = (change: Change): ReadBack => {
    const entry = known.get(change.identification);
    const found = users.get(change.identification);
    if (found?.found === 'unclear') {
      const verdict = { kind: 'not-seen', what: 'read and search disagree about the user' } as const;
      return { change, known: entry, accountId: undefined, verdict, isUnclear: true };
    }
    const user = found?.found === true ? found.user : undefined;
    const own = ownOf(entryOf(user?.id ?? change.before?.userId, entry));
    return { change, known: own, accountId: user?.id, verdict: judgeChange(change, user, own) };
  };
  const backs: ReadBack[] = [];
  for (const some of chunk(changes, judgedPerTurn)) {
    if (backs.length > 0) await nextTurn();
    for (const change of some) backs.push(judge(change));
  }
  return backs;
}

/** Judges a change of leaders by the person's list. `left`: the change from what the list shows, where something lacks. */
export function leadersBack(
  change: PlannedChange,
  list: LeadersLookup,
  known: LedgerEntry | undefined,
): ReadBack & { readonly left?: PlannedChange } {
  const facts = { change, known, accountId: undefined };
  if (list.found === 'unclear') return { ...facts, verdict: { kind: 'not-seen', what: list.reason } };
  const { left, ...verdict } = judgeLeaders(change, list.leaders);
  return { ...facts, verdict, ...given({ left }) };
}

/** Judges each change of leaders by a list that is read now. */
export async function readLeadersBack(
  changes: readonly PlannedChange[],
  { sync, signal }: Pick<RunContext, 'sync' | 'signal'>,
  io: EngineIo,
): Promise<readonly ReadBack[]> {
  const names = changes.map(({ identification }) => identification);
  const known = await io.store.ledger.getMany(sync.settings.connection, names);
  const read = async (change: PlannedChange): Promise<ReadBack> => {
    const list = await sync.platform.leaders(change.identification, signal);
    return leadersBack(change, list, known.get(change.identification));
  };
  return Promise.all(changes.map(read));
}

/** What a read-back made certain, as it is stored in one transaction. */
export type Certain = ReturnType<typeof certainOf>;

/** Returns what is certain of changes that were read back. Those that are not shown have failed. */
export function certainOf(backs: readonly ReadBack[], sync: Sync, now: number) {
  return {
    marks: backs.map((back) => markOf(back, now)),
    ledger: backs.flatMap((back) => entryAfter(back, sync, now) ?? []),
    undone: undoneIn(backs, now),
    findings: backs.flatMap(findingsOf),
  };
}

/** Returns the ledger entry after a change that was applied, fully or in part. */
export function entryAfter(
  { change, verdict, known, accountId }: ReadBack,
  sync: Sync,
  now: number,
): LedgerEntry | undefined {
  // Leaders alone make no account ours.
  const isUnknown = known === undefined && partOf(change) === 'leaders';
  if (verdict.kind === 'not-seen' || isUnknown) return undefined;
  const { name, remove, mapping } = sync.settings;
  const blacklist = remove !== 'never' && remove.blacklist;
  return afterChange(change, verdict, known, { owner: name, now, blacklist, accountId, mapping });
}

/** Returns how a change ended, from what was read back. The caller decides how long `not-seen` may last. */
export function markOf({ change, verdict }: ReadBack, now: number): ChangeMark {
  const of = { identification: change.identification, part: partOf(change) };
  if (verdict.kind === 'not-seen') return { ...of, state: 'failed', reason: verdict.what };
  if (verdict.kind === 'ignored') {
    // Part of the change was applied, for example a create or an enable, so guards count it.
    const reason = [
      ...(verdict.fields.length > 0 ? [`the platform ignored ${verdict.fields.join(', ')}`] : []),
      ...(verdict.overwritten === undefined ? [] : [overwrittenText(verdict.overwritten)]),
    ].join('; ');
    return { ...of, state: 'failed', reason, appliedAt: now };
  }
  if (verdict.kind === 'unverified')
    return { ...of, state: 'unverified', reason: 'write-only fields: nothing shows that they were applied' };
  return { ...of, state: 'applied', appliedAt: now };
}

/** Returns what later runs must not do again, because these changes were applied, fully or in part. */
export function undoneIn(backs: readonly ReadBack[], now: number): UndoneRecord[] {
  return backs.flatMap(({ change, verdict }) => {
    if (verdict.kind === 'not-seen') return [];
    const ignored = verdict.kind === 'ignored' ? [...verdict.fields, ...(verdict.overwritten ?? [])] : [];
    return rejectionBy(change, ignored, now) ?? [];
  });
}

/** Returns the findings that report a change that was read back. */
export function findingsOf({ change, verdict }: ReadBack): Finding[] {
  const { identification } = change;
  if (verdict.kind === 'not-seen') {
    const isOfLeaders = partOf(change) === 'leaders';
    if (verdict.overwritten === undefined)
      return isOfLeaders ? [{ code: 'leaders-unclear', identification, message: verdict.what }] : [];
    return [{ code: 'changed-elsewhere', identification, message: overwrittenText(verdict.overwritten) }];
  }
  if (verdict.kind === 'ignored') {
    const { fields, overwritten } = verdict;
    const message = `the platform accepted the change but ignored ${fields.join(', ')}. Check that the field is writable for this connection`;
    return [
      ...(fields.length > 0 ? [{ code: 'ignored-field', identification, message } as const] : []),
      ...(overwritten === undefined
        ? []
        : [{ code: 'changed-elsewhere', identification, message: overwrittenText(overwritten) } as const]),
    ];
  }
  const kept = verdict.kind === 'applied' ? Object.keys(verdict.quirks) : [];
  if (kept.length === 0) return [];
  const message = `the platform stores ${kept.join(', ')} differently from what was sent, for example shortened or in other case. From now on, the values count as equal`;
  return [{ code: 'kept-differently', identification, message }];
}

/** Describes fields that show neither the value before the change nor the value sent. */
function overwrittenText(fields: readonly string[]): string {
  return `${fields.join(', ')} was changed by another person or system; the next run plans again`;
}
