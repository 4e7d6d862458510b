import type { Generated } from 'kysely';
import type { CorrectionCode } from '../../core/person/corrections.ts';
import type { ChangeClass, ChangeKind, ChangePart } from '../../core/plan/change.ts';
import type { PersonEvent } from '../../core/plan/event.ts';
import type { LeaverEnding } from '../../core/plan/leavers.ts';
import type { PastStanding } from '../../core/plan/roster.ts';
import type { FindingCode } from '../../core/run/finding.ts';
import type { BatchState, ChangeState, Outcome, Phase } from '../../core/run/run.ts';
import type { AlertDelivery } from '../../ports/alerts.ts';
import type { Preview } from '../../ports/previews.ts';
import type { UnknownState } from '../../ports/runs.ts';
import type { AuditAction, Batch, DecisionState, HoldFacts, TokenState, TriggerKind } from '../../ports/store.ts';
import type { Session } from '../../ports/store-operations.ts';
import { store } from './migrations/001-start.ts';

/**
 * The tables after the last migration, the same in every database: text, integers and null only. Instants are epoch ms,
 * booleans are 0 or 1, structures are JSON text, and identifications sort by code point. Both drivers return integers and
 * counts as numbers, because all of them are far below 2^53. A later migration that adds columns declares them as the first
 * one does, and they are joined here.
 */
export type Schema = {
  [Table in keyof Tables]: {
    [Name in keyof Tables[Table]['columns'] & string]: Column<Tables[Table]['columns'][Name], WordOf<Table, Name>>;
  };
};

type Tables = typeof store;

/** The words of the product in text columns. Any other text is free. */
interface Words {
  triggers: { kind: TriggerKind; state: 'waiting' | 'taken' | 'cancelled' };
  runs: { trigger_kind: TriggerKind; phase: Phase | UnknownState; outcome: Outcome | UnknownState };
  findings: { code: FindingCode };
  corrections: { code: CorrectionCode };
  changes: { kind: ChangeKind; event: PersonEvent; part: ChangePart; mark: ChangeState };
  batches: { kind: Batch['kind']; state: BatchState | UnknownState; final: NonNullable<Batch['final']> };
  previews: { state: Preview['state'] };
  roster_pages: { part: 'people' | 'emails' };
  standings: { before: PastStanding };
  baselines: { role: 'accepted' | 'measured' | 'safeguards' };
  holds: { class: ChangeClass; state: HoldFacts['state'] };
  decisions: { state: DecisionState };
  leavers: { ending: LeaverEnding };
  tokens: { state: TokenState };
  alert_deliveries: { state: AlertDelivery['state'] };
  audit: { action: AuditAction };
  sessions: { method: Session['method'] };
}

type WordOf<Table, Name> = Table extends keyof Words
  ? Name extends keyof Words[Table]
    ? Words[Table][Name]
    : string
  : string;

/** The type of a column by its text in SQL. One with a default may be left out of an insert. */
type Column<Sql, Word> = Sql extends `${string} default ${string}`
  ? Generated<Value<Sql, Word>>
  : Sql extends `${string} not null${string}`
    ? Value<Sql, Word>
    : Value<Sql, Word> | null;

type Value<Sql, Word> = Sql extends `text${string}` ? Word : number;

/** Returns the columns of the primary key of a table. */
export function keyOf<Table extends keyof Schema>(table: Table): readonly (keyof Schema[Table] & string)[] {
  return store[table].key as readonly (keyof Schema[Table] & string)[];
}

export function columnsOf<Table extends keyof Schema>(table: Table): readonly (keyof Schema[Table] & string)[] {
  return Object.keys(store[table].columns) as unknown as readonly (keyof Schema[Table] & string)[];
}
