import type { Leaders } from '../../core/person/user.ts';
import type { Change } from '../../core/plan/change.ts';
import { afterLeaders, isListedBefore, judgeLeaders, leaderStates, withoutList } from '../../core/plan/leaders.ts';
import type { LedgerEntry } from '../../core/plan/ledger.ts';
import { rejectionBy, type UndoneRecord } from '../../core/plan/undo.ts';
import { chunk } from '../../core/run/batch.ts';
import type { Finding } from '../../core/run/finding.ts';
import { endOf } from '../../core/run/waves.ts';
import type { LeadersLookup } from '../../ports/platform.ts';
import type { Batch, ChangeMark, PlannedBatch, PlannedChange } from '../../ports/store.ts';
import { spanOn } from '../clock-span.ts';
import type { EngineIo, RunContext } from '../engine-io.ts';
import { changesInBatch } from '../plan-changes.ts';
import { findOtherOwners } from './check-before-sending.ts';

/** So many lists in a row that cannot be read mean that none can. */
const triedLists = 3;

/**
 * Returns the changes of a batch of leaders that are still sent, and stores why the others are not:
 *
 * - a person or leader whose account this run was to create or enable, and did not: tried again by the next run;
 * - users that are another sync's by now;
 * - where a killed process may have sent a part, or the platform replaces main leaders: what the list shows already, and
 *   people whose main leader others changed meanwhile. Only what lacks is sent;
 * - all of them, while no list can be read: nothing would prove what was sent. The first person's list shows that.
 *
 * What the ledger knows of the lists of those that are sent ends with it: a change that is never proven is read again.
 */
export async function checkLeaders(context: RunContext, batch: PlannedBatch, io: EngineIo): Promise<PlannedChange[]> {
  const { owned, sync, signal } = context;
  const planned = (await changesInBatch(batch, io)).filter(({ state }) => state === 'planned');
  const marks: ChangeMark[] = [];
  const findings: Finding[] = [];
  const sent: PlannedChange[] = [];
  const leads = openLeads();
  const names = planned.map(({ identification }) => identification);
  const accounts = await io.store.plans.getMany(batch.run, [...new Set(planned.flatMap(leaderNames))]);
  const isMissing = ({ kind, state }: PlannedChange): boolean =>
    (kind === 'create' || kind === 'enable') && state !== 'applied' && state !== 'unverified';
  const missing = new Set(accounts.filter(isMissing).map(({ identification }) => identification));
  const known = await io.store.ledger.getMany(sync.settings.connection, names);
  // Leaders have no account of their own that could be another one than the ledger's.
  const people = planned.map((change) => ({ ...change, before: undefined }));
  const others = await findOtherOwners(people, known, context, io);
  let isReadable = false;
  const unclear: string[] = [];
  for (const change of planned) {
    const { identification } = change;
    const mustList = change.stateReason !== undefined || isListedBefore(change, sync.dialect);
    const absent = leaderNames(change).find((name) => missing.has(name));
    const other = others.get(identification);
    if (absent !== undefined) {
      const reason = `waits: the account of ${absent} is not there yet. The next run tries again`;
      marks.push({ identification, part: 'leaders', state: 'dropped', reason });
    } else if (other !== undefined) {
      marks.push({ identification, part: 'leaders', state: 'failed', reason: other.reason });
      findings.push({ code: other.code, identification, message: `leaders not sent: ${other.message}` });
    } else if (unclear.length >= triedLists) leads.failed(change, unclear[0]);
    else if (mustList || !isReadable) {
      const list = await sync.platform.leaders(identification, signal);
      isReadable ||= list.found === 'complete';
      if (list.found === 'unclear') {
        unclear.push(list.reason);
        leads.failed(change, list.reason);
        continue;
      }
      unclear.length = 0;
      const verdict = judgeLeaders(change, list.leaders);
      if (verdict.kind === 'lacking') sent.push(verdict.left);
      else if (verdict.kind === 'overwritten') leads.failed(change, undefined);
      else leads.applied(change, list.leaders, known.get(identification), io.clock.now());
    } else sent.push(change);
  }
  const all = { marks: [...marks, ...leads.marks], findings: [...findings, ...leads.findings] };
  const open = sent.flatMap(({ identification }) => known.get(identification) ?? []).map(withoutList);
  const ledger = [...leads.ledger, ...open];
  await io.store.batches.update(owned, batch.id, {}, { ...all, ledger, undone: leads.undone });
  return sent;
}

const listsAtOnce = 50;

/**
 * Proves a batch of leaders by the list of each person, and stores what is proven with the ledger. A change that the list
 * does not show waits until settle.visibleWithin, then it has failed; the next run reads the list and plans again.
 * Returns how many wait, and until when.
 */
export async function proveLeaders(
  { owned, sync, signal }: RunContext,
  batch: Batch,
  io: EngineIo,
): Promise<{ readonly changes: number; readonly untilMs: number } | undefined> {
  const startedAt = io.clock.now();
  const changes = await changesInBatch(batch, io);
  const open = changes.filter(({ state }) => state === 'sent' || state === 'unresolved');
  const names = open.map(({ identification }) => identification);
  const known = await io.store.ledger.getMany(sync.settings.connection, names);
  const untilMs = endOf(batch) + spanOn(io.clock, sync.settings.settle.visibleWithinMs);
  const leads = openLeads();
  let waiting = 0;
  for (const some of chunk(open, listsAtOnce)) {
    const lists = await Promise.all(some.map(({ identification }) => sync.platform.leaders(identification, signal)));
    for (const [i, change] of some.entries()) {
      const list = lists[i] as LeadersLookup;
      if (list.found === 'unclear') {
        if (startedAt < untilMs) waiting += 1;
        else leads.failed(change, list.reason);
        continue;
      }
      const verdict = judgeLeaders(change, list.leaders);
      const entry = known.get(change.identification);
      if (verdict.kind === 'applied') leads.applied(change, list.leaders, entry, io.clock.now());
      else if (verdict.kind === 'overwritten') leads.failed(change, undefined);
      else if (startedAt < untilMs) waiting += 1;
      else leads.failed(change, verdict.what);
    }
  }
  io.checkpoint('read-back');
  const { marks, ledger, undone, findings } = leads;
  const hasUntried = changes.some(({ state }) => state === 'planned');
  const ended = hasUntried ? ({ state: 'planned' } as const) : ({ state: 'settled', finalAt: io.clock.now() } as const);
  const patch = waiting > 0 ? {} : ended;
  await io.store.batches.update(owned, batch.id, patch, { marks, ledger, undone, findings });
  io.checkpoint('batch-settled');
  return waiting > 0 ? { changes: waiting, untilMs } : undefined;
}

/** The results of changes of leaders, collected to be stored together. */
interface Leads {
  readonly marks: ChangeMark[];
  readonly ledger: LedgerEntry[];
  readonly undone: UndoneRecord[];
  readonly findings: Finding[];
  /** `shown`: the list that shows it. */
  applied(change: Change, shown: Leaders, entry: LedgerEntry | undefined, now: number): void;
  /** `unclear`: why the list says nothing. Undefined: others changed the main leader. */
  failed(change: Change, unclear: string | undefined): void;
}

function openLeads(): Leads {
  const leads: Leads = {
    marks: [],
    ledger: [],
    undone: [],
    findings: [],
    applied(change, shown, entry, now) {
      const { identification } = change;
      leads.marks.push({ identification, part: 'leaders', state: 'applied', appliedAt: now });
      if (entry !== undefined) leads.ledger.push(afterLeaders(entry, change, shown, now));
      const record = rejectionBy(change, [], now);
      if (record !== undefined) leads.undone.push(record);
    },
    failed({ identification }, unclear) {
      const overwritten = 'the main leader was changed by someone else; the next run plans again';
      const reason = unclear ?? overwritten;
      leads.marks.push({ identification, part: 'leaders', state: 'failed', reason });
      const code = unclear === undefined ? 'changed-elsewhere' : 'leaders-unclear';
      leads.findings.push({ code, identification, message: reason });
    },
  };
  return leads;
}

/** Returns the person of a change and the leaders that it sets: all need an account. */
function leaderNames(change: Change): readonly string[] {
  const { from, to } = leaderStates(change);
  const main = to.main === undefined || to.main === from.main ? [] : [to.main];
  return [change.identification, ...main, ...to.secondary.filter((name) => !from.secondary.includes(name))];
}
