import { createRequire } from 'node:module';
import type jsonata from 'jsonata';
import { EvaluationError } from '../core/person/field-rule.ts';

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

/** Loads the library when the first expression is compiled: most configurations have none. */
function parse(text: string): jsonata.Expression {
  const compile: typeof jsonata = createRequire(import.meta.url)('jsonata');
  try {
    return compile(text, guardrails);
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

/** The part of JSONata's syntax tree that this code uses. JSONata's own types omit most of it. */
export interface ExpressionNode {
  readonly type: string;
  readonly value?: unknown;
  readonly steps?: readonly ExpressionNode[];
  readonly lhs?: ExpressionNode | readonly (readonly [ExpressionNode, ExpressionNode])[];
  readonly rhs?: ExpressionNode;
  readonly condition?: ExpressionNode;
  readonly then?: ExpressionNode;
  readonly else?: ExpressionNode;
  readonly procedure?: ExpressionNode;
  readonly arguments?: readonly ExpressionNode[];
  readonly expressions?: readonly ExpressionNode[];
  readonly expression?: ExpressionNode;
  readonly body?: ExpressionNode;
}

/** Returns whether the node is a variable for the whole record: `$` or `$$`. */
export function isRecordVariable(node: ExpressionNode | undefined): boolean {
  return node?.type === 'variable' && (node.value === '' || node.value === '$');
}

/**
 * Returns the top-level field names that an expression reads, each once, in order of appearance. Names in a later step
 * or in a filter belong to the result of the first step and are left out. Wildcards cannot be resolved.
 */
export function expressionReads(root: ExpressionNode): readonly string[] {
  const names = new Set<string>();
  const visit = (node: ExpressionNode | undefined): void => {
    if (node === undefined) return;
    if (node.type === 'path') visitPath(node.steps ?? []);
    else for (const child of childrenOf(node)) visit(child);
  };
  const visitPath = (steps: readonly ExpressionNode[]): void => {
    const [first, second] = steps;
    const step = isRecordVariable(first) && second !== undefined ? second : first;
    if (step?.type === 'name') names.add(String(step.value));
    else visit(step);
  };
  visit(root);
  return [...names];
}

function childrenOf(node: ExpressionNode): readonly (ExpressionNode | undefined)[] {
  const { lhs } = node;
  const left = lhs === undefined || 'type' in lhs ? [lhs] : lhs.flat();
  const { rhs, condition, procedure, expression, body } = node;
  const several = [...(node.arguments ?? []), ...(node.expressions ?? [])];
  return [...left, rhs, condition, node.then, node.else, procedure, expression, body, ...several];
}
