import { NotedText, Refusal } from '../run/refusal.ts';
import type { FieldRule, RecordValue } from '../run/settings.ts';
import { type CellKind, cellKind, compileCell, dateUse, isEmailAddress, plainCells } from './cell.ts';
import type { FieldName } from './fields.ts';
import { compileDateFormat, type DayOf, dateProblem, isoDatePattern } from './plain-date.ts';
import { compileSourcePath, compileVisibility } from './source-path.ts';
import { collapseBreaks, compileTransforms, normalText, readText, textProblem } from './text.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The part of an expression language that mapping needs; implemented by `ports/expression`. */
export interface ExpressionCompiler {
  compile(text: string): CompiledExpression;
}

export interface CompiledExpression {
  readonly reads: readonly string[];
  evaluate(fields: Fields, budget?: EvaluationBudget): unknown;
}

/** The rule of a field in two steps, because only the first step can be asynchronous. */
export interface CompiledRule {
  /** Origin of the value, for display: `from work_email`, `value`, `expression`. */
  readonly origin: string;
  /** The source column that a refusal names; the mapped field where no single column exists. */
  readonly column: string;
  readonly reads: readonly string[];
  /** Returns the raw value, a `Refusal`, or a promise of either. Never throws or rejects. */
  read(fields: Fields, budget?: EvaluationBudget): unknown;
  /**
   * Returns the value to write: text, `''` to clear, undefined to keep, or a `Refusal` when the cell cannot be used.
   */
  settle(raw: unknown, dayOf?: DayOf): string | undefined | NotedText | Refusal;
}

/** Compiles the rule of one field. Throws RangeError, or what the expression compiler throws. */
export function compileFieldRule(
  name: FieldName,
  rule: FieldRule,
  { expressions, nulls }: { readonly expressions: ExpressionCompiler; readonly nulls: ReadonlySet<string> },
): CompiledRule {
  const settle = compileSettle(name, rule, nulls);
  return { ...compileRead(name, rule, expressions), settle };
}

/** Compiles the first step of a rule. The identification uses it too, with a different second step. */
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
      const evaluate: Evaluate = (fields, budget) => evaluateSafely(compiled, fields, budget);
      const read = rule.whenEmpty === 'clear' ? readBlanksOnly(evaluate, compiled.reads) : evaluate;
      return { origin: `expression ${rule.expression}`, column: name, reads: compiled.reads, read };
    }
  }
}

type Evaluate = (fields: Fields, budget?: EvaluationBudget) => unknown;

/**
 * Wraps `evaluate` for records that lack a field it reads: a blank result then means "not read", so nothing is cleared.
 */
function readBlanksOnly(evaluate: Evaluate, reads: readonly string[]): Evaluate {
  const areVisible = reads.map(compileVisibility);
  const check = (result: unknown, fields: Fields): unknown => {
    const isBlank = result === null || (typeof result === 'string' && normalText(result) === '');
    return isBlank && !areVisible.every((isVisible) => isVisible(fields)) ? undefined : result;
  };
  return (fields, budget) => {
    const result = evaluate(fields, budget);
    return result instanceof Promise ? result.then((awaited) => check(awaited, fields)) : check(result, fields);
  };
}

/** Evaluates an expression on a record. Returns a `Refusal` on failure, so that one record never ends a read. */
export function evaluateSafely(expression: CompiledExpression, fields: Fields, budget?: EvaluationBudget): unknown {
  // A cell that the source could not read has no value to compare.
  for (const read of expression.reads) if (fields[read] instanceof Refusal) return fields[read];
  try {
    const result = expression.evaluate(fields, budget);
    return result instanceof Promise ? result.catch(refuseFailure) : result;
  } catch (error) {
    return refuseFailure(error);
  }
}

function refuseFailure(error: unknown): Refusal {
  if (error instanceof EvaluationError) return new Refusal('expression-failed', error.message);
  // The message of the expression language quotes values, so only its code is shown: `D3001`.
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
  const shown = /^[A-Z]\d{4}$/.test(code) ? ` (${code})` : '';
  return new Refusal(
    'expression-failed',
    `the expression failed${shown}`,
    error instanceof Error ? error.message : undefined,
  );
}

/**
 * Compiles the reading of a cell that names an employee: its text, undefined where it is not visible, or why it cannot be
 * read.
 */
export function compileReference(
  { transform: names }: Pick<FieldRule, 'transform'>,
  nulls: ReadonlySet<string>,
): (raw: unknown) => string | undefined | Refusal {
  const transform = compileTransforms(names);
  const readCell = compileCell('identification', nulls);
  return (raw) => {
    const reading = readText(raw);
    if (reading.kind === 'absent') return undefined;
    if (reading.kind === 'refused') return reading.refusal;
    const cell = readCell(reading.text);
    if (cell instanceof Refusal) return cell;
    const said = typeof cell === 'string' ? cell : cell.text;
    return transform === undefined ? said : transform(said);
  };
}

function compileSettle(name: FieldName, rule: FieldRule, nulls: ReadonlySet<string>): CompiledRule['settle'] {
  const kind = cellKind(name, rule.format !== undefined);
  const readCell = compileCell(kind, nulls);
  const transform = compileTransforms(rule.transform);
  const ofBlank = blankOutcome(name, rule);
  const ofAbsent = requiredFields.has(name)
    ? new Refusal('not-visible', 'is required, but the source does not show it')
    : undefined;
  const finish = kind === 'date' ? compileDate(name, rule) : kind === 'email' ? finishEmail : refuseProblem;
  const settleText = (normal: string, dayOf: DayOf | undefined): string | undefined | NotedText | Refusal => {
    const cell = readCell(normal);
    if (cell instanceof Refusal) return cell;
    const said = typeof cell === 'string' ? cell : cell.text;
    const read = collapseBreaks(said);
    const text = transform === undefined ? read : transform(read);
    if (text === '') return ofBlank;
    const finished = finish(text, dayOf);
    if (finished === '') return ofBlank;
    if (finished instanceof Refusal) return finished;
    if (typeof cell !== 'string') return new NotedText(finished, cell.note);
    // A transform that collapses white space does so on purpose, so there is nothing to report.
    if (read === said || (transform !== undefined && transform(said) === text)) return finished;
    return new NotedText(finished, 'collapsed');
  };
  const plain = plainCell(kind, rule, nulls);
  // A text that needs a rule often follows itself, such as None. A date may have another zone in each row.
  let last: { readonly raw: string; readonly settled: ReturnType<CompiledRule['settle']> } | undefined;
  return (raw, dayOf) => {
    if (typeof raw === 'string') {
      if (raw === '') return ofBlank;
      if (plain?.test(raw) === true) return raw;
      if (raw !== last?.raw || kind === 'date') last = { raw, settled: settleText(normalText(raw), dayOf) };
      return last.settled;
    }
    if (raw instanceof Refusal) return raw;
    const reading = readText(raw);
    if (reading.kind === 'absent') return ofAbsent;
    return reading.kind === 'refused' ? reading.refusal : settleText(reading.text, dayOf);
  };
}

/** Returns which cells a rule leaves as they are; undefined where that depends on more than the cell. */
export function plainCell(
  kind: CellKind,
  { transform, format = isoDatePattern }: Pick<FieldRule, 'transform' | 'format'>,
  nulls: ReadonlySet<string>,
): RegExp | undefined {
  const isKept = transform.every((name) => name === 'trim' || (name === 'lowercase' && kind === 'email'));
  return isKept && nulls.size === 0 && format === isoDatePattern ? plainCells[kind] : undefined;
}

/** The required fields of the contract, "User write payload". */
const requiredFields: ReadonlySet<FieldName> = new Set(['firstName', 'lastName']);

function blankOutcome(name: FieldName, rule: FieldRule): '' | undefined | Refusal {
  if (requiredFields.has(name)) return new Refusal('blank', 'is required, but blank');
  return rule.whenEmpty === 'clear' ? '' : undefined;
}

/* The last check of a text that is not blank. */

function compileDate(name: FieldName, rule: FieldRule): (text: string, dayOf?: DayOf) => string | Refusal {
  const format = compileDateFormat(rule.format ?? isoDatePattern, dateUse(name));
  return (text, dayOf) => format.parse(text, dayOf) ?? new Refusal('not-a-date', dateProblem(text, format));
}

function refuseProblem(text: string): string | Refusal {
  return textProblem(text) ?? text;
}

function finishEmail(text: string): string | Refusal {
  return textProblem(text) ?? (isEmailAddress(text) ? text : notAnAddress);
}

const notAnAddress = new Refusal('not-an-email', 'is not one e-mail address (name@example.com)');

/** The time that the expressions of one read take together. One object per read. */
export type EvaluationBudget = ReturnType<typeof openBudget>;

/** An expression that failed, or that exceeded a limit. The message never contains a value of the record. */
export class EvaluationError extends Error {
  override readonly name = 'EvaluationError';
}

export function openBudget(signal: AbortSignal) {
  return {
    /** Ends evaluations in progress when it aborts. */
    signal,
    /** The time so far (ms). The evaluator adds to it. */
    spentMs: 0,
  };
}

/**
 * Casts a value to true or false as JSONata's `$boolean` does, so that a scope behaves as in JSONata. False values:
 * nothing, null, `''`, 0, an empty object, and a list without a true member.
 */
export function castToBoolean(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(castToBoolean);
  if (typeof value === 'object') return value !== null && Object.keys(value).length > 0;
  return typeof value !== 'function' && Boolean(value);
}

/** A value of a record: a field, or the result of an expression, which is evaluated before. */
export interface RecordInput {
  /** Name for messages: the source field, or the key of the configuration that has the expression. */
  readonly name: string;
  readonly reads: readonly string[];
  /** `computed`: the results of all expressions of `RecordInputs`, in order. */
  get(fields: Fields, computed: readonly unknown[]): unknown;
}

/** Compiles values and collects their expressions. */
export type RecordInputs = ReturnType<typeof openRecordInputs>;

/** Opens the inputs of one part of the configuration. `start`: number of results that precede those of this part. */
export function openRecordInputs(compiler: ExpressionCompiler | undefined, start = 0) {
  const expressions: CompiledExpression[] = [];
  return {
    /** The expressions to evaluate on each record. */
    expressions,
    /** `key`: where the value is configured, such as `lifecycle.status`. */
    compile(key: string, value: RecordValue): RecordInput {
      if (typeof value === 'string') return { name: value, reads: [value], get: compileSourcePath(value) };
      if (compiler === undefined) throw new RangeError(`${key} is an expression, which needs a compiler`);
      const place = start + expressions.length;
      const compiled = compiler.compile(value.expression);
      expressions.push(compiled);
      return { name: key, reads: compiled.reads, get: (_, computed) => computed[place] };
    },
  };
}
