import type { FieldName } from './fields.ts';

/** What is wrong with a cell, as a class: it tells nothing of the value. */
export type CellProblem =
  | 'blank'
  | 'not-visible'
  | 'not-text'
  | 'inexact-number'
  | 'too-long'
  | 'control-characters'
  | 'damaged-text'
  | 'spreadsheet-error'
  | 'not-an-identification'
  | 'not-an-email'
  | 'not-a-date'
  | 'no-such-time-zone'
  | 'expression-failed';

/** Why a value cannot be used. Told apart from values by its class; it never holds the value. */
export class Refusal {
  readonly kind: CellProblem;
  /** The rest of a sentence that begins with the column: `is longer than 255 characters`. */
  readonly reason: string;

  constructor(kind: CellProblem, reason: string) {
    this.kind = kind;
    this.reason = reason;
  }
}

/** A text whose line breaks and tabs were made spaces. */
export class CollapsedText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** What a cell is read for: a field of the platform, or a part of the lifecycle. */
export type CellUse = FieldName | 'hireDate' | 'leaveDate' | 'timezone';

/** One cell that cannot be used, of a row that can. */
export interface CellTrouble {
  readonly field: CellUse;
  /** The source column; the mapped field where there is no single column. */
  readonly column: string;
  readonly kind: CellProblem;
  readonly reason: string;
}
