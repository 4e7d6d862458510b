import type { FieldName } from '../person/fields.ts';

/** The class of a cell problem. It reveals nothing about the value. */
export type CellProblem =
  | 'blank'
  | 'not-visible'
  | 'not-text'
  | 'inexact-number'
  | 'too-long'
  | 'no-value'
  | 'invisible-character'
  | 'control-characters'
  | 'damaged-text'
  | 'wrong-encoding'
  | 'shortened-number'
  | 'spreadsheet-error'
  | 'not-an-identification'
  | 'not-an-email'
  | 'not-a-date'
  | 'far-date'
  | 'status-and-date'
  | 'no-such-time-zone'
  | 'expression-failed';

/** Why a value cannot be used. Its class distinguishes it from values. Kind and reason never hold the value. */
export class Refusal {
  readonly kind: CellProblem;
  /** The rest of a sentence that begins with the column: `is longer than 255 characters`. */
  readonly reason: string;
  /** The value, or a text that quotes it. For sealed storage only. */
  readonly raw: string | undefined;

  constructor(kind: CellProblem, reason: string, raw?: string) {
    this.kind = kind;
    this.reason = reason;
    this.raw = raw;
  }
}

/**
 * What is reported about a cell that is used. `collapsed`: line breaks or tabs became spaces. `guarded`: the mark
 * of an exporter was removed. `invisible`: characters without a shape were removed. `word`: a value that programs write
 * for a missing one.
 */
export type CellNote = 'collapsed' | 'guarded' | 'invisible' | 'word';

/** A text that is used and reported. */
export class NotedText {
  readonly text: string;
  readonly note: CellNote;

  constructor(text: string, note: CellNote) {
    this.text = text;
    this.note = note;
  }
}

/** The use of a cell: a field of the platform, or a part of the lifecycle. */
export type CellUse = FieldName | 'hireDate' | 'leaveDate' | 'timezone';

/** One unusable cell in a row that is otherwise usable. */
export interface CellTrouble {
  readonly field: CellUse;
  /** The source column; the mapped field where no single column exists. */
  readonly column: string;
  readonly kind: CellProblem;
  readonly reason: string;
}
