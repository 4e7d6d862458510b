import { type FieldName, fieldTraits } from './fields.ts';
import { compileDateFormat, dateProblem, isoDatePattern } from './plain-date.ts';
import type { FieldRule } from './settings.ts';
import { compileSourcePath } from './source-path.ts';
import { compileTransforms, readText, textProblem } from './text.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What mapping needs of an expression language; `ports/expression` is it. */
export interface ExpressionCompiler {
  compile(text: string): CompiledExpression;
}

export interface CompiledExpression {
  readonly reads: readonly string[];
  evaluate(fields: Fields): unknown;
}

/** Why a value cannot be used. Told apart from values by its class; it never holds the value. */
export class Refusal {
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}

/** A field's rule in two steps, because only the first may have to wait for an expression. */
export interface CompiledRule {
  /** Where the value comes from, for people: `from work_email`, `value`, `expression`. */
  readonly origin: string;
  /** The source column to name when the value is refused; the mapped field where there is no single column. */
  readonly column: string;
  readonly reads: readonly string[];
  /** The raw value, a `Refusal`, or a promise of either. Never throws or rejects. */
  read(fields: Fields): unknown;
  /** The value to write: text, `''` to clear, undefined to keep, or a `Refusal`. */
  settle(raw: unknown): string | undefined | Refusal;
}

/** Compiles the rule of one field. Throws RangeError, or what the expression compiler throws. */
export function compileFieldRule(name: FieldName, rule: FieldRule, expressions: ExpressionCompiler): CompiledRule {
  const settle = compileSettle(name, rule);
  return { ...compileRead(name, rule, expressions), settle };
}

/** The reading half of a rule; shared with the identification, which settles differently. */
export function compileRead(
  name: string,
  rule: FieldRule,
  expressions: ExpressionCompiler,
): Omit<CompiledRule, 'settle'> {
  switch (rule.kind) {
    case 'value': {
      const { value } = rule;
      return { origin: 'a fixed value', column: name, reads: [], read: () => value };
    }
    case 'from': {
      const { path } = rule;
      return { origin: `from ${path}`, column: path, reads: [path], read: compileSourcePath(path) };
    }
    case 'expression': {
      const compiled = expressions.compile(rule.expression);
      const read = (fields: Fields) => evaluateSafely(compiled, fields);
      return { origin: `expression ${rule.expression}`, column: name, reads: compiled.reads, read };
    }
  }
}

/** Evaluates an expression on a record; failing becomes a `Refusal`, so that one record never ends a read. */
export function evaluateSafely(expression: CompiledExpression, fields: Fields): unknown {
  try {
    const result = expression.evaluate(fields);
    return result instanceof Promise ? result.catch(refuseFailure) : result;
  } catch (error) {
    return refuseFailure(error);
  }
}

function refuseFailure(error: unknown): Refusal {
  return new Refusal(error instanceof Error ? error.message : 'the expression failed');
}

function compileSettle(name: FieldName, rule: FieldRule): CompiledRule['settle'] {
  const transform = compileTransforms(rule.transform);
  const ofBlank = blankOutcome(name, rule);
  const ofAbsent = requiredFields.has(name)
    ? new Refusal('is not visible in the source, and it is required')
    : undefined;
  const finish = compileFinish(name, rule);
  return (raw) => {
    if (raw instanceof Refusal) return raw;
    const reading = readText(raw);
    if (reading.kind === 'absent') return ofAbsent;
    if (reading.kind === 'refused') return new Refusal(reading.reason);
    const text = transform === undefined ? reading.text : transform(reading.text);
    if (text === '') return ofBlank;
    const finished = finish(text);
    return finished === '' ? ofBlank : finished;
  };
}

/** The contract's required fields, "User write payload". */
const requiredFields: ReadonlySet<FieldName> = new Set(['firstName', 'lastName']);

function blankOutcome(name: FieldName, rule: FieldRule): '' | undefined | Refusal {
  if (requiredFields.has(name)) return new Refusal('is blank, and it is required');
  return rule.whenEmpty === 'clear' ? '' : undefined;
}

/** The check that a text which is not blank goes through last. */
function compileFinish(name: FieldName, rule: FieldRule): (text: string) => string | Refusal {
  if (fieldTraits(name).isDate || rule.format !== undefined) {
    const format = compileDateFormat(rule.format ?? isoDatePattern);
    return (text) => format.parse(text) ?? new Refusal(dateProblem(text, format));
  }
  const refuseProblem = (text: string) => {
    const problem = textProblem(text);
    return problem === undefined ? text : new Refusal(problem);
  };
  if (name !== 'email') return refuseProblem;
  const notAnAddress = new Refusal('is not one e-mail address (name@example.com)');
  return (text) => (oneAddress.test(text) ? refuseProblem(text) : notAnAddress);
}

// Looks like one address, no more: RFC 5321 leaves the rest to the receiving host.
const oneAddress = /^[^\s@,;:<>"()[\]\\]+@[^\s@,;:<>"()[\]\\.]+(?:\.[^\s@,;:<>"()[\]\\.]+)+$/;
