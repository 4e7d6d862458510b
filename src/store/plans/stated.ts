import { type AliasedRawBuilder, type ExpressionBuilder, type Selectable, type SqlBool, sql } from 'kysely';
import type { ChangeState } from '../../core/run/run.ts';
import type { Schema } from '../db/schema.ts';

const itsHolds = sql`from plan_holds where plan_holds.plan = changes.plan and plan_holds.classes & changes.classes != 0`;

const isClassHeld = sql<SqlBool>`(changes.mark = 'planned' and changes.is_approved = 0 and changes.batch is null
  and exists (select 1 ${itsHolds}))`;

/** A row of `changes` with the state that it is in. */
export type StatedChange = Selectable<Schema['changes']> & {
  readonly state: ChangeState;
  readonly state_reason: string | null;
};

/** `changes` with the state of each one. Every read of a state is from here. */
export function statedAs<Name extends string>(name: Name): AliasedRawBuilder<StatedChange, Name> {
  return sql<StatedChange>`(select changes.*,
    case when ${isClassHeld} then 'held' else changes.mark end as state,
    case when ${isClassHeld} then (select plan_holds.reason ${itsHolds} order by plan_holds.number limit 1)
      else changes.mark_reason end as state_reason from changes)`.as(name);
}

export const stated = statedAs('changes');

export type OnChange = ExpressionBuilder<Schema, 'changes'>;

/** For what writes. A read takes the state from `stated`. */
export const isPlanned = (eb: OnChange) => eb.and([eb('mark', '=', 'planned'), eb.not(isClassHeld)]);
export const isHeld = (eb: OnChange) => eb.or([eb('mark', '=', 'held'), isClassHeld]);
