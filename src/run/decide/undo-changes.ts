import { type Decision, decide, type Rule } from '../../core/plan/plan.ts';
import { type UndoRule, undo } from '../../core/plan/undo.ts';
import { undoneBy } from '../../ports/runs.ts';
import type { FormerEmails } from '../compare/former-emails.ts';
import type { EngineIo } from '../engine-io.ts';
import type { PlanWork } from '../plan-job.ts';
import type { DecideCases } from './decide-slots.ts';

/** Returns how the plan decides its cases: by the truth table, or as the inverse of what the undone run applied. */
export function decideBy(
  { scope, sync, index }: PlanWork,
  { isComplete, former }: { readonly isComplete: boolean; readonly former: FormerEmails },
  io: EngineIo,
): DecideCases {
  const order = undoneBy(scope);
  const now = io.clock.now();
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
