import jsonata from 'jsonata';
import { EvaluationError } from '../core/person/field-rule.ts';
import type { ExpressionNode } from './expression-ast.ts';

/** A compiled JSONata expression. */
export interface JsonataExpression {
  readonly root: ExpressionNode;
  /** Rejects with an `EvaluationError`, whose message never contains a value of the record. */
  evaluate(record: Readonly<Record<string, unknown>>): Promise<unknown>;
}

/** Compiles one expression. Throws SyntaxError with the position in the text. */
export function compileJsonata(text: string): JsonataExpression {
  const compiled = parse(text);
  return {
    root: compiled.ast() as unknown as ExpressionNode,
    evaluate: (record) =>
      compiled.evaluate(record).catch((error: unknown) => {
        throw new EvaluationError(describeFailure(error));
      }),
  };
}

/** The limits that JSONata itself checks, between its steps. A regular expression is one step. */
const guardrails = { timeout: 2_000, stack: 1_000 };

function parse(text: string): jsonata.Expression {
  try {
    return jsonata(text, guardrails);
  } catch (error) {
    const { message, position } = error as Partial<jsonata.JsonataError>;
    const place = position === undefined ? '' : ` at character ${position}`;
    throw new SyntaxError(`not a JSONata expression${place}: ${message ?? 'it cannot be read'}`);
  }
}

/** JSONata includes the offending value in its messages. These messages do not. */
const failures: Readonly<Record<string, string>> = {
  D1001: 'a number is out of range',
  D1011: 'it calls itself too deeply',
  D1012: 'it runs for too long',
  D1002: 'only a number can be negated',
  D2014: 'a range is too large',
  D3030: 'a value cannot be read as a number',
  D3137: '$error was called',
  D3141: 'an $assert failed',
  T0410: 'an argument has the wrong type',
  T0411: 'the context has the wrong type for the function',
  T0412: 'an argument must be a list of one type',
  T1006: 'a value that is not a function was called',
  T2001: 'the left side of an operator is not a number',
  T2002: 'the right side of an operator is not a number',
  T2009: 'the two sides of a comparison are of different types',
  T2010: 'only numbers and texts can be compared',
};

function describeFailure(error: unknown): string {
  const { code, position } = error as Partial<jsonata.JsonataError>;
  const what = (code !== undefined && failures[code]) || 'it cannot be evaluated';
  const place = position === undefined ? '' : ` at character ${position}`;
  return `the expression failed${place}: ${what}${code === undefined ? '' : ` (JSONata ${code})`}`;
}
