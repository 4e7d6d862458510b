import { judgeLeaders } from '../../core/plan/leaders.ts';
import type { Finding } from '../../core/run/finding.ts';
import type { ChangeMark, PlannedBatch, PlannedChange } from '../../ports/store.ts';
import { ageOn } from '../clock-span.ts';
import { findOtherOwners } from '../deliver/check-before-sending.ts';
import type { EngineIo, RunContext } from '../engine-io.ts';
import { changesInBatch } from '../seal/batches.ts';
import { leaderNames, openLeads } from './leads.ts';

/**
 * Returns the changes of a batch of leaders that are still sent, and stores why the others are not:
 *
 * - a person or leader whose account this run was to create or enable, and did not: tried again by the next run;
 * - users that are another sync's by now;
 * - where the plan's lists are too old, or a killed process may have sent a part: what the list shows already, and people
 *   whose main leader others changed meanwhile. Only what lacks is sent.
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
  const { plannedAt = 0 } = owned.run.facts;
  const isOld = batch.sentAt !== undefined || ageOn(io.clock, plannedAt) >= sync.settings.settle.lookWithinMs;
  for (const change of planned) {
    const { identification } = change;
    const absent = leaderNames(change).find((name) => missing.has(name));
    const other = others.get(identification);
    if (absent !== undefined) {
      const reason = `waits: the account of ${absent} is not there yet. The next run tries again`;
      marks.push({ identification, part: 'leaders', state: 'dropped', reason });
    } else if (other !== undefined) {
      marks.push({ identification, part: 'leaders', state: 'failed', reason: other.reason });
      findings.push({ code: other.code, identification, message: `leaders not sent: ${other.message}` });
    } else if (isOld) {
      const list = await sync.platform.leaders(identification, signal);
      const verdict = list.found === 'complete' ? judgeLeaders(change, list.leaders) : undefined;
      if (verdict?.kind === 'lacking') sent.push(verdict.left);
      else if (verdict?.kind === 'applied') leads.applied(change, known.get(identification), io.clock.now());
      else leads.failed(change, list.found === 'unclear' ? list.reason : undefined);
    } else sent.push(change);
  }
  const all = { marks: [...marks, ...leads.marks], findings: [...findings, ...leads.findings] };
  if (all.marks.length > 0) {
    await io.store.batches.update(owned, batch.id, {}, { ...all, ledger: leads.ledger, undone: leads.undone });
  }
  return sent;
}
