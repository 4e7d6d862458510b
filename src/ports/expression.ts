/** Evaluates a JSONata expression over one source record. Compiled once, used for every record. */
export interface Expressions {
  /** Throws `SyntaxError`-like with a message for people when the text does not compile. */
  compile(text: string): Expression;
}

export interface Expression {
  /** Top-level field names that the expression reads, as far as they can be told. */
  readonly reads: readonly string[];
  /**
   * The value, or undefined when the expression yields nothing; a promise only when it has to be waited for. Throws (or
   * rejects) when the expression fails on this record, with a message that holds no value of it.
   */
  evaluate(record: Readonly<Record<string, unknown>>): Promise<unknown> | unknown;
}
