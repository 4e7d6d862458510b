import type { Change } from '../../core/plan/change.ts';
import { isListedBefore, leaderStates, withoutList } from '../../core/plan/leaders.ts';
import type { Finding } from '../../core/run/finding.ts';
import type { LeadersLookup } from '../../ports/platform.ts';
import type { ChangeMark, PlannedBatch, PlannedChange } from '../../ports/store.ts';
import type { EngineIo, RunContext } from '../engine-io.ts';
import { changesInBatch, marksFor } from '../plan-changes.ts';
import { certainOf, leadersBack, type ReadBack } from '../read-back/read-back.ts';
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
  const ended: ReadBack[] = [];
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
  let unclear: LeadersLookup[] = [];
  for (const change of planned) {
    const { identification } = change;
    const absent = leaderNames(change).find((name) => missing.has(name));
    const other = others.get(identification);
    const isHopeless = unclear.length >= triedLists;
    const mustList = change.stateReason !== undefined || isListedBefore(change, sync.dialect);
    if (absent !== undefined) {
      const reason = `waits: ${absent} has no account yet. The next run tries again`;
      marks.push(...marksFor([change], 'dropped', reason));
    } else if (other !== undefined) {
      marks.push(...marksFor([change], 'failed', other.reason));
      findings.push({ code: other.code, identification, message: `leaders not sent: ${other.message}` });
    } else if (isReadable && !isHopeless && !mustList) sent.push(change);
    else {
      const list = isHopeless ? (unclear[0] as LeadersLookup) : await sync.platform.leaders(identification, signal);
      isReadable ||= list.found === 'complete';
      unclear = list.found === 'complete' ? [] : [...unclear, list];
      const { left, ...back } = leadersBack(change, list, known.get(identification));
      if (left === undefined) ended.push(back);
      else sent.push(left);
    }
  }
  const certain = certainOf(ended, sync, io.clock.now());
  certain.marks.push(...marks);
  certain.findings.push(...findings);
  certain.ledger.push(...sent.flatMap((change) => known.get(change.identification) ?? []).map(withoutList));
  await io.store.batches.update(owned, batch.id, {}, certain);
  return sent;
}

/** Returns the person of a change and the leaders that it sets: all need an account. */
function leaderNames(change: Change): readonly string[] {
  const { from, to } = leaderStates(change);
  const main = to.main === undefined || to.main === from.main ? [] : [to.main];
  return [change.identification, ...main, ...to.secondary.filter((name) => !from.secondary.includes(name))];
}
