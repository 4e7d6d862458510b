import type { EvaluationBudget } from '../core/person/field-rule.ts';

export type { EvaluationBudget };

/** Compiles JSONata expressions. A compiled expression is used for every source record. */
export interface Expressions {
  /** Throws an error like `SyntaxError`, with a message for display, when the text does not compile. */
  compile(text: string): Expression;
}

export interface Expression {
  /** Top-level field names that the expression reads, as far as static analysis finds them. */
  readonly reads: readonly string[];
  /**
   * Returns the value, or undefined when the expression gives no result. Returns a promise only for asynchronous
   * expressions. Throws (or rejects) when the expression fails on this record or takes too long, with a message that
   * holds no value of the record.
   */
  evaluate(record: Readonly<Record<string, unknown>>, budget?: EvaluationBudget): Promise<unknown> | unknown;
}
