import type { Proposal } from '../../core/plan/change.ts';
import { digestsOf, fieldsDecided } from '../../core/plan/decision.ts';
import { judgeLeaders, leaderChange, leaderStates } from '../../core/plan/leaders.ts';
import { type Decision, decide, type Rule } from '../../core/plan/plan.ts';
import { type UndoRule, undo } from '../../core/plan/undo.ts';
import { undoneBy } from '../../ports/runs.ts';
import type { FormerEmails } from '../compare/former-emails.ts';
import type { EngineIo } from '../engine-io.ts';
import type { PlanWork } from '../plan-job.ts';
import { decideBoth } from './decide-both.ts';
import type { DecideCases } from './decide-slots.ts';

/** Returns how the plan decides its cases: by the truth table, under an edit twice, or as the inverse of the undone run. */
export function decideBy(
  { scope, sync, index, edit }: PlanWork,
  { isComplete, former }: { readonly isComplete: boolean; readonly former: FormerEmails },
  io: EngineIo,
): DecideCases {
  const order = undoneBy(scope);
  const now = io.clock.now();
  if (order === undefined && edit !== undefined) return decideBoth(edit, { sync, index }, io);
  if (order === undefined) return async (subjects, rules) => subjects.map((subject) => decide(subject, rules, now));
  const { dialect, settings } = sync;
  const keepsEmpty = dialect.csv.emptyCell === 'keeps' && settings.delivery !== 'direct';
  return async (subjects, rules) => {
    const changes = await io.store.plans.getMany(
      order.run,
      subjects.map(({ identification }) => identification),
    );
    const done = new Map(changes.map((change) => [change.identification, change]));
    return subjects.map((subject): Decision<Rule | UndoRule> => {
      const change = done.get(subject.identification);
      // Accounts of others whose e-mail a person of the undo had before.
      if (change === undefined) return { rule: 'not-undone' };
      const emailTakenBy = former.get(index.find(subject.identification).slot);
      return undo(subject, { order, done: change, isComplete, emailTakenBy, keepsEmpty }, rules, now);
    });
  };
}

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
