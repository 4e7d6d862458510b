import { customFieldNumber, type FieldName, fieldTraits } from '../core/person/fields.ts';
import type { Dialect, FieldRule, LeaderRule, MappingSettings } from '../core/run/settings.ts';
import type { SourceKind } from '../ports/source.ts';
import type { SourceSettings } from './config.ts';
import type { Expressions } from './expressions.ts';
import type { ConnectionDraft } from './read-connection.ts';
import type { Report } from './report.ts';
import type { SyncInput } from './sections/sync.ts';
import type { KeyPath } from './yaml-tree.ts';

export interface SyncReading {
  readonly folder: string;
  /** The kinds of source that the file names, of all that exist. */
  readonly kinds: readonly SourceKind[];
  readonly kindNames: readonly string[];
  readonly expressions: Expressions;
  /** The valid keys of each connection, by name. */
  readonly connections: ReadonlyMap<string, ConnectionDraft>;
  readonly report: Report;
}

/** The valid keys of a sync, and the section as written: some problems exist only when a key is written. */
export interface SyncDraft {
  readonly name: string;
  readonly path: KeyPath;
  readonly written: ReadonlySet<string>;
  readonly found: { readonly [Key in keyof SyncInput]?: SyncInput[Key] | undefined };
  readonly source: SourceSettings | undefined;
  /** Absolute. Undefined unless the sync delivers to an outbox. */
  readonly outboxFolder: string | undefined;
}

/** Checks a mapping alone: formats belong to dates, keys and names are never cleared. */
export function checkMapping(mapping: MappingSettings, path: KeyPath, report: Report): void {
  checkRule({ name: undefined, rule: mapping.identification, path: [...path, 'identification'] }, report);
  for (const [name, rule] of mappedRules(mapping))
    checkRule({ name, rule, path: [...path, ...fieldPath(name)] }, report);
  for (const { rule, key } of leaderRules(mapping)) {
    if (rule.by === 'email' && mapping.fields.email === undefined) {
      report.add([...path, ...key, 'by'], 'is email, but mapping has no email; map it, or use by: identification');
    }
  }
}

/** Checks a mapping against the platform that it writes to. */
export function checkCustomFields(mapping: MappingSettings, path: KeyPath, dialect: Dialect, report: Report): void {
  const { csv } = dialect.customFieldLimit;
  for (const [name] of mappedRules(mapping)) {
    if (customFieldNumber(name) > csv) {
      const message = `is above the connection's dialect.customFieldLimit.csv (${csv}); the platform would refuse it`;
      report.addKey([...path, ...fieldPath(name)], message);
    }
  }
}

/** Returns the fields that direct calls cannot carry, or that this platform accepts by CSV only. */
export function csvOnlyFields(mapping: MappingSettings, directLimit: number): readonly FieldName[] {
  return mappedRules(mapping)
    .map(([name]) => name)
    .filter((name) => !fieldTraits(name).isDirect || customFieldNumber(name) > directLimit);
}

/** Returns the path of a field below `mapping`. Custom fields have a mapping of their own. */
export function fieldPath(name: FieldName): KeyPath {
  const number = customFieldNumber(name);
  return number === 0 ? [name] : ['customFields', String(number)];
}

/** Compiles an expression and reports an error in it. */
export function checkExpression(text: string, path: KeyPath, expressions: Expressions, report: Report): void {
  try {
    expressions.compile(text);
  } catch (fault) {
    const message = fault instanceof Error ? fault.message : 'it does not compile';
    report.add(path, `does not compile: ${message}${positionHint(fault, message)}${nameHint(text)}`);
  }
}

/**
 * Compiles each `expression` of a section as it is written. A problem elsewhere in the section hides none of them.
 */
export function checkExpressionsIn(written: unknown, path: KeyPath, expressions: Expressions, report: Report): void {
  if (typeof written !== 'object' || written === null) return;
  for (const [key, value] of Object.entries(written)) {
    const at = [...path, Array.isArray(written) ? Number(key) : key];
    if (key === 'expression' && typeof value === 'string') checkExpression(value, at, expressions, report);
    else checkExpressionsIn(value, at, expressions, report);
  }
}

/** Two words beside each other, outside texts and backticks, that no operator joins. */
function nameHint(text: string): string {
  const bare = text.replace(/"[^"]*"|'[^']*'|`[^`]*`/g, '""');
  const name = /(?<![$\p{L}\d_])[\p{L}_][\p{L}\d_]*(?: (?!and\b|or\b|in\b)[\p{L}_][\p{L}\d_]*)+/u.exec(bare)?.[0];
  if (name === undefined || /^(and|or|in)\b/.test(name)) return '';
  return `; a name with spaces needs backticks: \`${name}\``;
}

function positionHint(fault: unknown, message: string): string {
  const position = typeof fault === 'object' && fault !== null && 'position' in fault ? fault.position : undefined;
  return typeof position === 'number' && !/character|position/.test(message) ? ` (at character ${position})` : '';
}

function checkRule(
  { name, rule, path }: { readonly name: FieldName | undefined; readonly rule: FieldRule; readonly path: KeyPath },
  report: Report,
): void {
  if (rule.format !== undefined && (name === undefined || !fieldTraits(name).isDate)) {
    report.addKey([...path, 'format'], 'is for dates only: orgEntryDate and birthDate');
  }
  if (rule.write !== undefined && name === undefined) {
    const key = rule.write === 'keepLocalEdits' ? rule.write : 'write';
    report.addKey([...path, key], 'is not for the identification, which is never changed');
  }
  if (rule.whenEmpty === 'clear' && (name === undefined || name === 'firstName' || name === 'lastName')) {
    report.add(
      [...path, 'whenEmpty'],
      'cannot be clear here, because identification, first and last name are required',
    );
  }
}

/** Returns the rules of leaders, each with its path below `mapping`. */
export function leaderRules({
  leaders,
}: MappingSettings): readonly { readonly rule: LeaderRule; readonly key: KeyPath }[] {
  if (leaders === undefined) return [];
  const { manager, secondary } = leaders;
  const main = manager === undefined ? [] : [{ rule: manager, key: ['manager'] }];
  return [...main, ...secondary.map((rule, i) => ({ rule, key: ['secondaryLeaders', i] }))];
}

export function mappedRules(mapping: MappingSettings): [FieldName, FieldRule][] {
  return Object.entries(mapping.fields) as [FieldName, FieldRule][];
}
