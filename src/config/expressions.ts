import type { EvaluationBudget } from '../core/person/field-rule.ts';
import type { ExpressionLimits } from '../core/run/settings.ts';
import type { ExpressionThread } from './expression-thread.ts';
import { compileJsonata, expressionReads, type JsonataExpression } from './jsonata-expression.ts';
import { compileSimple, notHandled } from './simple-expression.ts';

/** Compiles JSONata expressions. A compiled expression is used for every source record. */
export interface Expressions {
  /** Throws an error like `SyntaxError`, with a message for display, when the text does not compile. */
  compile(text: string): Expression;
}

interface Expression {
  /** Top-level field names that the expression reads, as far as static analysis finds them. */
  readonly reads: readonly string[];
  /**
   * Returns the value, or undefined when the expression gives no result. Returns a promise only for asynchronous
   * expressions. Throws (or rejects) when the expression fails on this record or takes too long, with a message that
   * holds no value of the record.
   */
  evaluate(record: Readonly<Record<string, unknown>>, budget?: EvaluationBudget): Promise<unknown> | unknown;
}

/** Where JSONata evaluates, and for how long. */
export interface EvaluationPlace {
  readonly thread: ExpressionThread;
  readonly limits: ExpressionLimits;
}

/**
 * Implements the expression port with JSONata 2.2. Simple expressions become closures with a synchronous result. JSONata
 * evaluates all others, and every record for which a closure cannot guarantee JSONata's result; both return a promise.
 * JSONata runs in the thread of `place`, where an evaluation can be stopped; without `place`, in this thread.
 */
export function createExpressions(place?: EvaluationPlace): Expressions {
  return { compile: (text) => compileExpression(text, place) };
}

/**
 * Compiles one expression. Throws SyntaxError with the position in the text. Evaluation throws, or rejects with, an
 * `EvaluationError`, whose message never contains a value of the record.
 */
export function compileExpression(text: string, place?: EvaluationPlace): Expression {
  const compiled = compileJsonata(text);
  const reads = expressionReads(compiled.root);
  const simple = compileSimple(compiled.root);
  const evaluateFully: Evaluate =
    place === undefined
      ? compiled.evaluate
      : (record, budget) => place.thread.evaluate({ text, record, limits: place.limits, budget });
  if (simple === undefined) return { reads, evaluate: evaluateFully };
  return {
    reads,
    evaluate(record, budget) {
      try {
        return simple(record);
      } catch (error) {
        if (error === notHandled) return evaluateFully(record, budget);
        throw error;
      }
    },
  };
}

type Evaluate = (...given: [...Parameters<JsonataExpression['evaluate']>, EvaluationBudget?]) => Promise<unknown>;
