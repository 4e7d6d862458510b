import { changedNumber } from '../guard/damage.ts';
import { RollcallError } from '../run/errors.ts';
import { type CellNote, type CellTrouble, NotedText, Refusal } from '../run/refusal.ts';
import type { FieldRule, LifecycleSettings, MappingSettings, SyncSettings } from '../run/settings.ts';
import { hasInvisible, invisibleCharacter, noValue, withoutInvisible } from './cell.ts';
import type { EvaluationBudget } from './field-rule.ts';
import {
  type CompiledExpression,
  type CompiledRule,
  castToBoolean,
  compileFieldRule,
  compileRead,
  compileReference,
  type ExpressionCompiler,
  evaluateSafely,
  plainCell,
} from './field-rule.ts';
import { type FieldName, type FieldValues, fieldTable } from './fields.ts';
import { identificationProblem } from './identification.ts';
import { type CompiledLeader, claimsOf, compileLeaders } from './leaders.ts';
import { compileLifecycle, type Lifecycle, type StandingVerdict } from './lifecycle.ts';
import type { Mapped, Person, SourceRecord } from './person.ts';
import { compileDateFormat, type DayOf, utcDayOf } from './plain-date.ts';
import { compilePrefer, type Preference } from './prefer.ts';
import { compileSourcePath } from './source-path.ts';
import { normalText } from './text.ts';

/** The mapping, lifecycle and scope of one sync, compiled once and used for every record. */
export interface CompiledMapping {
  /** The mapped fields in the order of the field table. */
  readonly fields: readonly FieldName[];
  /** Every source field that is read, as written in the settings (dots not resolved), without duplicates. */
  readonly reads: readonly string[];
  /** The configuration keys that read each source field: `email`, `lifecycle.status`, `scope`. */
  readonly readers: ReadonlyMap<string, readonly string[]>;
  /**
   * The source field that holds the unchanged identification, for point reads. Undefined when the identification is
   * computed; then a person can only be found by mapping all records.
   */
  readonly identificationField: string | undefined;
  /**
   * Maps one record at `now` (epoch ms). Returns a promise only when an expression is asynchronous. Never throws. An
   * expression that exceeds the budget is a trouble of its cell.
   */
  map(record: SourceRecord, now: number, budget?: EvaluationBudget): Mapped | Promise<Mapped>;
  /**
   * Maps one record and returns every step, for `why`. Holds field values: for the requesting user only, never for
   * logs.
   */
  explain(record: SourceRecord, now: number, budget?: EvaluationBudget): Promise<MappingTrace>;
}

export interface MappingTrace {
  readonly mapped: Mapped;
  readonly steps: readonly MappingStep[];
}

export interface MappingStep {
  readonly target: 'identification' | FieldName | 'status' | 'scope';
  /** Origin of the value: `from work_email`, `expression …`, `a fixed value`. */
  readonly origin: string;
  /** `unreadable`: the cell cannot be used, and the field is kept. `rejected`: the whole row cannot be used. */
  readonly effect: 'set' | 'cleared' | 'kept' | 'unreadable' | 'rejected';
  /** The value, the standing, or why the cell cannot be used. */
  readonly detail: string;
}

/** Compiles the settings of one sync. Throws `CONFIG_INVALID` with the key that is wrong. */
export function compileMapping(
  settings: MappingSettings,
  lifecycle: LifecycleSettings | undefined,
  { scope, prefer, nulls: words = [], hrOwner }: Pick<SyncSettings, 'scope' | 'prefer' | 'nulls' | 'hrOwner'>,
  deps: { readonly expressions: ExpressionCompiler },
): CompiledMapping {
  const { expressions } = deps;
  const nulls = new Set(words.map(normalText));
  const identification = explained('mapping.identification', () => {
    return compileIdentification(settings.identification, expressions, nulls);
  });
  const rules: NamedRule[] = [];
  for (const { name } of fieldTable) {
    const rule = settings.fields[name];
    if (rule === undefined) continue;
    rules.push({
      name,
      rule: explained(`mapping.${name}`, () => compileFieldRule(name, rule, { expressions, nulls })),
    });
  }
  const leaders = explained('mapping.manager', () =>
    compileLeaders(settings.leaders ?? { secondary: [] }, { expressions, nulls }),
  );
  const compiled = explained('lifecycle', () => compileLifecycle(lifecycle, expressions, nulls));
  const base = { start: compiled.expressions.length, dateFormat: lifecycle?.dateFormat };
  const parts: Parts = {
    identification,
    rules,
    leaders,
    lifecycle: compiled,
    needsDay: prefer !== undefined || hasInstants(settings),
    prefer: prefer === undefined ? undefined : explained('prefer', () => compilePrefer(prefer, expressions, base)),
    scope: scope === undefined ? undefined : explained('scope', () => expressions.compile(scope)),
  };
  const readers = readersOf(parts);
  const owned = hrOwner === undefined ? (_: SourceRecord, mapped: Mapped) => mapped : withOwner(hrOwner);
  return {
    fields: rules.map(({ name }) => name),
    reads: [...readers.keys()],
    readers,
    identificationField: pointField(settings.identification),
    map(record, now, budget) {
      const raws = readAll(parts, record.fields, budget);
      if (raws instanceof Promise) return raws.then((awaited) => owned(record, settleAll(parts, record, awaited, now)));
      return owned(record, settleAll(parts, record, raws, now));
    },
    async explain(record, now, budget) {
      const raws = await readAll(parts, record.fields, budget);
      const mapped = settleAll(parts, record, raws, now);
      const fields = mapped.kind === 'person' ? mapped.fields : undefined;
      return { mapped, steps: stepsOf(parts, record, raws, { now, fields }) };
    },
  };
}

/** Adds the text of the column `hrOwner`. It decides nothing, so it may be absent, and any other value counts as none. */
function withOwner(column: string): (record: SourceRecord, mapped: Mapped) => Mapped {
  const get = compileSourcePath(column);
  return ({ fields }, mapped) => {
    const owner = get(fields);
    return typeof owner === 'string' && owner.trim() !== '' ? { ...mapped, owner: owner.trim() } : mapped;
  };
}

function hasInstants({ fields }: MappingSettings): boolean {
  return Object.values(fields).some((rule) => rule?.format !== undefined && compileDateFormat(rule.format).isInstant);
}

interface NamedRule {
  readonly name: FieldName;
  readonly rule: CompiledRule;
}

interface Parts {
  readonly identification: CompiledRule;
  readonly rules: readonly NamedRule[];
  /** Their values follow those of `rules`. */
  readonly leaders: readonly CompiledLeader[];
  readonly lifecycle: Lifecycle;
  /** Whether a mapped date, or `prefer`, may need the employee's time zone. */
  readonly needsDay: boolean;
  readonly prefer: Preference | undefined;
  readonly scope: CompiledExpression | undefined;
}

/** Returns which keys read each source field, in the order of processing. */
function readersOf({
  identification,
  rules,
  leaders,
  lifecycle,
  prefer,
  scope,
}: Parts): ReadonlyMap<string, readonly string[]> {
  const readers = new Map<string, string[]>();
  const add = (reader: string, reads: readonly string[]): void => {
    for (const read of reads) readers.set(read, [...(readers.get(read) ?? []), reader]);
  };
  add('identification', identification.reads);
  for (const { name, rule } of [...rules, ...leaders]) add(name, rule.reads);
  for (const [key, reads] of lifecycle.readers) add(`lifecycle.${key}`, reads);
  add('prefer', prefer?.reads ?? []);
  add('scope', scope?.reads ?? []);
  return readers;
}

/** Returns the raw values: the identification, the fields, the expressions of lifecycle and `prefer`, the scope. */
function readAll(
  parts: Parts,
  fields: SourceRecord['fields'],
  budget: EvaluationBudget | undefined,
): unknown[] | Promise<unknown[]> {
  const { identification, rules, leaders, lifecycle, prefer, scope } = parts;
  const raws: unknown[] = [identification.read(fields, budget)];
  for (const { rule } of rules) raws.push(rule.read(fields, budget));
  for (const { rule } of leaders) raws.push(rule.read(fields, budget));
  for (const expression of lifecycle.expressions) raws.push(evaluateSafely(expression, fields, budget));
  for (const expression of prefer?.expressions ?? none) raws.push(evaluateSafely(expression, fields, budget));
  raws.push(scope === undefined ? true : evaluateSafely(scope, fields, budget));
  for (const raw of raws) if (raw instanceof Promise) return Promise.all(raws);
  return raws;
}

function settleAll(parts: Parts, record: SourceRecord, raws: readonly unknown[], now: number): Mapped {
  const { at } = record;
  const identification = parts.identification.settle(raws[0]);
  const { column } = parts.identification;
  if (identification instanceof NotedText) {
    const { reason } = invisibleCharacter;
    return { kind: 'rejected', at, identification: identification.text, column, reason, isGuessed: true };
  }
  if (typeof identification !== 'string') {
    const reason = identification instanceof Refusal ? identification.reason : 'is blank';
    return { kind: 'unreadable', at, column, reason };
  }
  const { rules, leaders, lifecycle } = parts;
  const computed = computedOf(parts, raws);
  const dayOf = parts.needsDay ? lifecycle.dayOf(record.fields, computed) : utcDayOf;
  const settled = settleFields(parts, raws, { dayOf, now });
  const fields: Partial<Record<FieldName, string>> = {};
  const troubles: CellTrouble[] = [];
  const notes: { readonly column: string; readonly note: CellNote }[] = [];
  // Index loops: this runs for every cell of a read.
  for (let i = 0; i < rules.length; i += 1) {
    const value = settled[i];
    if (value === undefined) continue;
    const { name, rule } = rules[i] as NamedRule;
    if (typeof value === 'string') fields[name] = value;
    else if (value instanceof NotedText) {
      fields[name] = value.text;
      notes.push({ column: rule.column, note: value.note });
    } else troubles.push(troubleOf(name, rule, value));
  }
  const led = leaders.length === 0 ? none : settleLeaders(parts, raws, dayOf);
  for (let i = 0; i < led.length; i += 1) {
    const [{ name, rule }, value] = [leaders[i] as CompiledLeader, led[i]];
    if (value instanceof Refusal) troubles.push(troubleOf(name, rule, value));
  }
  const inScope = raws[raws.length - 1];
  if (inScope instanceof Refusal) {
    return { kind: 'rejected', at, identification, column: 'scope', reason: inScope.reason };
  }
  const verdict = lifecycle.judge(record.fields, now, computed, fields);
  const { refusesStart, troubles: undated = none, leaves, leavesIn, leavesByDate, hires, hiresLater } = verdict;
  const person: Writable<Person> = {
    kind: 'person',
    at,
    identification,
    fields: fields satisfies FieldValues,
    standing: verdict.standing,
    standingReason: verdict.reason,
    isInScope: castToBoolean(inScope),
    unreadable: troubles.length === 0 ? none : troubles.map(({ field }) => field as FieldName),
    troubles: troubles.length + undated.length === 0 ? none : [...troubles, ...undated],
    notes: notes.length === 0 ? none : notes,
  };
  if (leaves !== undefined) person.leaves = leaves;
  if (leavesIn !== undefined) person.leavesIn = leavesIn;
  if (leavesByDate !== undefined) person.leavesByDate = leavesByDate;
  if (hires !== undefined) person.hires = hires;
  if (hiresLater !== undefined) person.hiresLater = hiresLater;
  if (leaders.length > 0) person.leaders = claimsOf(leaders, led);
  if (parts.prefer !== undefined) person.rank = parts.prefer.rankOf(record.fields, computed, { dayOf, now });
  const changed = changedNumber(identification);
  const refusesCreate = refusesStart ?? whyNotCreate(troubles) ?? (changed && `${column} ${changed}`);
  if (refusesCreate !== undefined) person.refusesCreate = refusesCreate;
  if (refusesStart !== undefined) person.refusesEnable = refusesStart;
  return person;
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

function troubleOf(field: CellTrouble['field'], { column }: CompiledRule, { kind, reason }: Refusal): CellTrouble {
  return { field, column, kind, reason };
}

/** Settles each cell alone, then by the others of its row. */
function settleFields(
  { rules }: Parts,
  raws: readonly unknown[],
  { dayOf, now }: { readonly dayOf: DayOf; readonly now: number },
): ReturnType<CompiledRule['settle']>[] {
  const settled: ReturnType<CompiledRule['settle']>[] = [];
  let words = 0;
  for (let i = 0; i < rules.length; i += 1) {
    const { name, rule } = rules[i] as NamedRule;
    const value = rule.settle(raws[i + 1], dayOf);
    if (typeof value === 'object' && (value instanceof NotedText ? value.note === 'word' : value === noValue))
      words += 1;
    // The next day has begun somewhere on earth.
    const isUnborn = name === 'birthDate' && typeof value === 'string' && Date.parse(value) > now + 86_400_000;
    settled.push(isUnborn ? unborn : value);
  }
  if (words < 2) return settled;
  // A program wrote the row: what is a word of programs in one cell is no department or name in another.
  return settled.map((value) => (value instanceof NotedText && value.note === 'word' ? noValue : value));
}

function settleLeaders(
  { rules, leaders }: Parts,
  raws: readonly unknown[],
  dayOf: DayOf,
): ReturnType<CompiledRule['settle']>[] {
  return leaders.map(({ rule }, i) => rule.settle(raws[1 + rules.length + i], dayOf));
}

const unborn = new Refusal('not-a-date', 'is a date of birth in the future');

/** Returns the results of the expressions of lifecycle and `prefer`. */
function computedOf({ rules, leaders, lifecycle, prefer }: Parts, raws: readonly unknown[]): readonly unknown[] {
  if (lifecycle.expressions.length === 0 && prefer === undefined) return none;
  return raws.slice(1 + rules.length + leaders.length, raws.length - 1);
}

/** Shared by all rows without problems, to save memory. */
const none: readonly never[] = [];

/** Fields that a new account requires. A field that the mapping does not name never causes a problem here. */
const neededToCreate: readonly string[] = ['firstName', 'lastName', 'email'] satisfies readonly FieldName[];

/** Returns whether a new account requires a readable cell of the field. */
export function isForCreate(field: CellTrouble['field']): boolean {
  return neededToCreate.includes(field);
}

function whyNotCreate(troubles: readonly CellTrouble[]): string | undefined {
  const needed = troubles.filter(({ field }) => isForCreate(field));
  return needed.length === 0 ? undefined : needed.map(({ column, reason }) => `${column} ${reason}`).join('; ');
}

function stepsOf(
  parts: Parts,
  record: SourceRecord,
  raws: readonly unknown[],
  { now, fields }: { readonly now: number; readonly fields: FieldValues | undefined },
): MappingStep[] {
  const { identification, rules } = parts;
  const computed = computedOf(parts, raws);
  const dayOf = parts.lifecycle.dayOf(record.fields, computed);
  const steps: MappingStep[] = [
    {
      target: 'identification',
      origin: identification.origin,
      ...identificationEffect(identification.settle(raws[0])),
    },
    ...settleFields(parts, raws, { dayOf, now }).map((value, index) => {
      const { name, rule } = rules[index] as NamedRule;
      return { target: name, origin: rule.origin, ...fieldEffect(value) };
    }),
    ...settleLeaders(parts, raws, dayOf).map((value, index) => {
      const { name, rule } = parts.leaders[index] as CompiledLeader;
      return { target: name, origin: rule.origin, ...fieldEffect(value) };
    }),
  ];
  steps.push({
    target: 'status',
    origin: 'lifecycle',
    ...standingEffect(parts.lifecycle.judge(record.fields, now, computed, fields)),
  });
  if (parts.scope !== undefined) {
    const raw = raws[raws.length - 1];
    const effect = raw instanceof Refusal ? effectOf(raw) : effectOf(castToBoolean(raw) ? 'in scope' : 'out of scope');
    steps.push({ target: 'scope', origin: 'scope', ...effect });
  }
  return steps;
}

function effectOf(value: ReturnType<CompiledRule['settle']>): Pick<MappingStep, 'effect' | 'detail'> {
  if (value instanceof Refusal) return { effect: 'rejected', detail: value.reason };
  if (value instanceof NotedText) return { effect: 'set', detail: value.text };
  if (value === undefined) return { effect: 'kept', detail: 'blank or not visible: the value on the platform is kept' };
  return value === '' ? { effect: 'cleared', detail: 'blank' } : { effect: 'set', detail: value };
}

function identificationEffect(value: ReturnType<CompiledRule['settle']>): Pick<MappingStep, 'effect' | 'detail'> {
  return effectOf(value instanceof NotedText ? invisibleCharacter : value);
}

function fieldEffect(value: ReturnType<CompiledRule['settle']>): Pick<MappingStep, 'effect' | 'detail'> {
  if (!(value instanceof Refusal)) return effectOf(value);
  return { effect: 'unreadable', detail: `${value.reason}: the value on the platform is kept` };
}

function standingEffect({
  standing,
  reason,
  troubles,
  refusesStart,
}: StandingVerdict): Pick<MappingStep, 'effect' | 'detail'> {
  const unreadable = (troubles ?? []).map((trouble) => `${trouble.column} ${trouble.reason}`);
  const refusal = refusesStart === undefined ? [] : ['no account is created or enabled'];
  return { effect: 'set', detail: [`${standing}: ${reason}`, ...unreadable, ...refusal].join('; ') };
}

function compileIdentification(
  rule: FieldRule,
  expressions: ExpressionCompiler,
  nulls: ReadonlySet<string>,
): CompiledRule {
  if (rule.kind === 'value')
    throw new RangeError('with a fixed value, all employees would have the same identification');
  const read = compileReference(rule, nulls);
  const plain = plainCell('identification', rule, nulls);
  return {
    ...compileRead('identification', rule, expressions),
    settle(raw) {
      if (typeof raw === 'string' && plain?.test(raw) === true) return raw;
      const text = read(raw);
      if (text === undefined) return new Refusal('not-visible', 'is not there');
      if (text instanceof Refusal) return text;
      const problem = identificationProblem(text);
      if (problem === undefined) return text;
      // It is known who is meant, so the person is protected by name.
      const seen = hasInvisible(text) ? withoutInvisible(text) : '';
      if (seen !== '' && identificationProblem(seen) === undefined) return new NotedText(seen, 'invisible');
      return new Refusal('not-an-identification', problem);
    },
  };
}

function pointField(rule: FieldRule): string | undefined {
  if (rule.kind !== 'from') return undefined;
  return rule.transform.every((transform) => transform === 'trim') ? rule.path : undefined;
}

/** Runs one part of the compilation. Adds the wrong key to its error. */
function explained<Result>(key: string, compile: () => Result): Result {
  try {
    return compile();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new RollcallError(`${key}: ${reason}`, { code: 'CONFIG_INVALID', cause: error });
  }
}
