import { NotedText, Refusal } from '../run/refusal.ts';
import type { LeaderRule, LeaderSettings } from '../run/settings.ts';
import {
  type CompiledRule,
  compileFieldRule,
  compileRead,
  compileReference,
  type ExpressionCompiler,
} from './field-rule.ts';
import type { FieldValues, LeaderField, Leaders } from './fields.ts';
import { identificationProblem } from './identification.ts';
import type { LeaderClaims, LeaderReference } from './person.ts';

/** Returns the value of `secondaryLeaders`: `E2, E7`, each once, in order of text. One with a comma is quoted. */
export function formatLeaders(names: readonly string[]): string {
  const quoted = (name: string): string => (/^"|,/.test(name) ? JSON.stringify(name) : name);
  return [...new Set(names)].toSorted().map(quoted).join(', ');
}

/** Reads what `formatLeaders` returned. */
export function parseLeaders(text: string): readonly string[] {
  const parts = text.match(/"(?:[^"\\]|\\.)*"|[^\s,"][^,]*/g) ?? [];
  return parts.map((part) => (part.startsWith('"') ? (JSON.parse(part) as string) : part));
}

/** Returns the leaders that the fields of a change hold. */
export function leadersIn({ mainLeader = '', secondaryLeaders = '' }: FieldValues): Leaders {
  return { main: mainLeader === '' ? undefined : mainLeader, secondary: parseLeaders(secondaryLeaders) };
}

/** Returns leaders as the fields of a change. */
export function leaderValues({ main, secondary }: Leaders): Record<LeaderField, string> {
  return { mainLeader: main ?? '', secondaryLeaders: formatLeaders(secondary) };
}

/** The rule of one reference. A person may have several secondary leaders. */
export interface CompiledLeader {
  readonly name: LeaderField;
  readonly by: LeaderRule['by'];
  readonly rule: CompiledRule;
}

/** Compiles the rules of the leaders, the main leader first. Throws RangeError, or what the expression compiler throws. */
export function compileLeaders(
  { manager, secondary }: LeaderSettings,
  deps: { readonly expressions: ExpressionCompiler; readonly nulls: ReadonlySet<string> },
): readonly CompiledLeader[] {
  const compile = (name: LeaderField, rule: LeaderRule): CompiledLeader => {
    const { by } = rule;
    const settle = by === 'email' ? compileFieldRule('email', rule, deps).settle : settleReference(rule, deps.nulls);
    return { name, by, rule: { ...compileRead(name, rule, deps.expressions), settle } };
  };
  const main = manager === undefined ? [] : [compile('mainLeader', manager)];
  return [...main, ...secondary.map((rule) => compile('secondaryLeaders', rule))];
}

function settleReference(rule: LeaderRule, nulls: ReadonlySet<string>): CompiledRule['settle'] {
  const read = compileReference(rule, nulls);
  return (raw) => {
    const text = read(raw);
    if (text === '') return rule.whenEmpty === 'clear' ? '' : undefined;
    const problem = typeof text === 'string' ? identificationProblem(text) : undefined;
    return problem === undefined ? text : new Refusal('not-an-identification', problem);
  };
}

type Settled = ReturnType<CompiledRule['settle']>;

/** Returns what the settled cells of a record say. A cell that cannot be used makes no statement. */
export function claimsOf(leaders: readonly CompiledLeader[], cells: readonly Settled[]): LeaderClaims {
  let main: LeaderClaims['main'];
  const references: LeaderReference[] = [];
  const said: string[] = [];
  let [isMapped, isWhole] = [false, true];
  for (const [i, { name, by, rule }] of leaders.entries()) {
    const cell = cells[i];
    const value = cell instanceof NotedText ? cell.text : cell;
    const isSaid = typeof value === 'string';
    const reference = isSaid && value !== '' ? { by, value } : undefined;
    if (name === 'mainLeader') main = reference ?? (isSaid ? 'none' : undefined);
    else {
      isMapped = true;
      isWhole &&= isSaid;
      // Expressions and fixed values share one name.
      const column =
        leaders.findIndex((one) => one.rule.column === rule.column) === i ? rule.column : `${rule.column} ${i}`;
      if (isSaid) said.push(column);
      if (reference !== undefined) references.push({ ...reference, column });
    }
  }
  return { ...(main === undefined ? {} : { main }), ...(isMapped ? { secondary: { references, said, isWhole } } : {}) };
}
