import { isListedBefore, judgeLeaders, withoutList } from '../../core/plan/leaders.ts';
import type { Finding } from '../../core/run/finding.ts';
import type { ChangeMark, PlannedBatch, PlannedChange } from '../../ports/store.ts';
import { findOtherOwners } from '../deliver/check-before-sending.ts';
import type { EngineIo, RunContext } from '../engine-io.ts';
import { changesInBatch } from '../seal/batches.ts';
import { leaderNames, openLeads } from './leads.ts';

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
      else if (verdict.kind === 'edited') leads.failed(change, undefined);
      else leads.applied(change, list.leaders, known.get(identification), io.clock.now());
    } else sent.push(change);
  }
  const all = { marks: [...marks, ...leads.marks], findings: [...findings, ...leads.findings] };
  const open = sent.flatMap(({ identification }) => known.get(identification) ?? []).map(withoutList);
  const ledger = [...leads.ledger, ...open];
  if (all.marks.length > 0 || ledger.length > 0) {
    await io.store.batches.update(owned, batch.id, {}, { ...all, ledger, undone: leads.undone });
  }
  return sent;
}
