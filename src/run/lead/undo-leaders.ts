import type { Proposal } from '../../core/plan/change.ts';
import { digestsOf, fieldsDecided } from '../../core/plan/decision.ts';
import { judgeLeaders, leaderChange, leaderStates } from '../../core/plan/leaders.ts';
import { undoneBy } from '../../ports/runs.ts';
import type { EngineIo } from '../engine-io.ts';
import type { PlanWork } from '../plan-job.ts';

/** Returns the inverses of the changes of leaders that the undone run applied, where the platform still shows them. */
export async function undoLeaders({ scope, sync, findings, signal }: PlanWork, io: EngineIo): Promise<Proposal[]> {
  const order = undoneBy(scope);
  if (order === undefined || scope.kind !== 'users') return [];
  const made = await io.store.plans.getMany(order.run, scope.identifications, 'leaders');
  const undone: Proposal[] = [];
  for (const change of made.filter(({ state }) => state === 'applied')) {
    const { identification } = change;
    if (Object.keys(fieldsDecided(change, order.only).digests).length === 0) continue;
    const list = await sync.platform.leaders(identification, signal);
    const leave = (why: string): void =>
      findings.find({ code: 'not-undone', identification, message: `leaders not undone: ${why}` });
    if (list.found === 'unclear') leave(list.reason);
    else if (judgeLeaders(change, list.leaders).kind !== 'applied') leave('they were changed since');
    else {
      const { from, to } = leaderStates(change);
      const lost = new Set(from.secondary.filter((name) => !to.secondary.includes(name)));
      const won = new Set(to.secondary.filter((name) => !from.secondary.includes(name)));
      const secondary = [...list.leaders.secondary.filter((name) => !won.has(name)), ...lost].sort();
      const main = change.changed.includes('mainLeader') ? from.main : list.leaders.main;
      const after = { ...(main === undefined ? {} : { main }), secondary, checkedAt: 0 };
      const back = leaderChange(identification, list.leaders, { main, secondary }, after);
      if (back === undefined) continue;
      const fields = { isWhole: false, digests: digestsOf(change) };
      const why = `undid run ${order.run}${order.why === undefined ? '' : `: ${order.why}`}`;
      const notAgain = { rule: change.rule, fields, by: order.by, why };
      undone.push({ ...back, rule: 'undo-leaders', reason: `undoes run ${order.run}`, notAgain });
    }
  }
  return undone;
}
