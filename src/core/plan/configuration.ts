import { createHash } from 'node:crypto';
import { type FieldName, fieldTraits } from '../person/fields.ts';
import { countOf } from '../run/formats.ts';
import { isMapping } from '../run/given.ts';
import type { Dialect, SyncSettings } from '../run/settings.ts';
import { type Before, type ChangeClass, type ChangeDraft, type ChangeKind, changeKinds } from './change.ts';

/** The settings of a sync that decide what a plan contains. */
export type DecidingSettings = Pick<
  SyncSettings,
  | 'policy'
  | 'mapping'
  | 'scope'
  | 'prefer'
  | 'nulls'
  | 'match'
  | 'lifecycle'
  | 'missing'
  | 'outOfScope'
  | 'firstSight'
  | 'foreignDisable'
  | 'protected'
  | 'remove'
  | 'parkEmail'
>;

/** What a sync's decisions depend on, as the store keeps it. Holds no secret, and of `protected` only digests. */
export interface Configuration {
  /** Equal for configurations that decide alike. */
  readonly fingerprint: string;
  readonly settings: DecidingSettings;
  /** Digests of what one read cannot compare. */
  readonly elsewhere: Readonly<Record<'connection' | 'source' | 'dialect', string>>;
}

/** Returns the digest by which a stored configuration knows a protected user. */
export function protectedDigest(identification: string): string {
  return createHash('sha256').update(`protected ${identification}`).digest('base64url').slice(0, 22);
}

/** Returns the keys that differ: `mapping.area`, `scope`, `source`. */
export function editedKeys(before: Configuration, now: Configuration): readonly string[] {
  const [one, other] = [keysOf(before), keysOf(now)];
  return [...new Set([...one.keys(), ...other.keys()])].filter(
    (key) => (one.get(key) ?? '') !== (other.get(key) ?? ''),
  );
}

/** Returns the edited keys that one read cannot compare. */
export function elsewhereKeys(before: Configuration, now: Configuration): readonly string[] {
  return editedKeys(before, now).filter((key) => Object.hasOwn(now.elsewhere, key));
}

function keysOf({ settings: { mapping, ...others }, elsewhere }: Configuration): ReadonlyMap<string, string> {
  const { identification, fields: values, leaders } = mapping;
  const { manager, secondary = [] } = leaders ?? {};
  const relations = { manager, secondaryLeaders: secondary.length === 0 ? undefined : secondary };
  const fields = Object.entries({ identification, ...values, ...relations });
  const all = [...fields.map(([name, rule]) => [`mapping.${name}`, rule] as const), ...Object.entries(others)];
  return new Map([...all, ...Object.entries(elsewhere)].map(([key, value]) => [key, canonicalJson(value)]));
}

/** Returns JSON with sorted keys. A key without a value is left out. */
export function canonicalJson(value: unknown): string {
  return (
    JSON.stringify(value, (_, part: unknown) => {
      if (!isMapping(part)) return part;
      return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)));
    }) ?? ''
  );
}

/** Returns the part of a dialect that is not the default, so that a new key of a later version is no edit. */
export function ownDialect(dialect: object, defaults: object): object {
  const known = defaults as Readonly<Record<string, unknown>>;
  const own = Object.entries(dialect).flatMap(([key, value]: [string, unknown]) => {
    const usual = known[key];
    if (canonicalJson(value) === canonicalJson(usual)) return [];
    const areParts = isMapping(value) && isMapping(usual);
    return [[key, areParts ? ownDialect(value, usual) : value] as const];
  });
  return Object.fromEntries(own) as Partial<Dialect>;
}

/** What of a change is of the class `configuration`. */
export interface Marked {
  readonly parts: readonly EditedPart[];
  /** HR changed one of these values too, so that this waits as well. */
  readonly isOfHrToo?: true;
  /** What is made while the class is held: who comes or returns today gets what the earlier configuration gives. */
  readonly instead?: ChangeDraft;
  /** Gives back what the configuration now replaced had changed, and is of no class. */
  readonly isBack?: true;
  /** Only the edited configuration takes the user over: with the change, or once the class passes. */
  readonly takesOver?: true;
}

/** What differs for one person: fields, or the kind of a change that is made as a whole. */
export type EditedPart = FieldName | ChangeKind;

/**
 * Returns what of a change results from the edit alone: what `before`, the decision of the earlier configuration over
 * the same facts, does not do. Empty when it does the same, or more.
 */
export function differsByEdit(now: ChangeDraft, before: ChangeDraft | undefined): readonly EditedPart[] {
  if (before?.kind !== now.kind) return now.kind === 'update' ? now.changed : [now.kind];
  return now.changed.filter((field) => !before.changed.includes(field) || before.after[field] !== now.after[field]);
}

/** Returns whether HR changed a value that differs by the edit: the earlier configuration writes another one. */
export function isOfHrToo(parts: readonly EditedPart[], before: ChangeDraft | undefined): boolean {
  return before?.kind === 'update' && parts.some((part) => before.changed.some((field) => field === part));
}

/** The last change of a person that was applied, and the configuration that its run had. */
export interface LastWrite {
  readonly kind: ChangeKind;
  readonly before: Before | undefined;
  readonly classes: readonly ChangeClass[];
  readonly configuration: string | undefined;
}

/**
 * Returns whether a change gives back what the person's last write took: it was made under a configuration that is now
 * `replaced`, and the values are those from before it.
 */
export function isGivenBack(
  { kind, after, changed }: ChangeDraft,
  parts: readonly EditedPart[],
  last: LastWrite | undefined,
  replaced: readonly string[],
): boolean {
  const { before, classes = [], configuration } = last ?? {};
  // What gave something back is itself in no class: to take it again is asked about.
  const isEdit = before !== undefined && classes.length > 0 && replaced.includes(configuration ?? '');
  if (!isEdit || last === undefined) return false;
  if (kind !== 'update' && !(kind === 'enable' && last.kind === 'disable' && before.enabled)) return false;
  const fields = kind === 'enable' ? changed : (parts as readonly FieldName[]);
  return fields.every((name) => fieldTraits(name).isReadable && (before.fields[name] ?? '') === after[name]);
}

/** How many people an edit changes. */
export interface EditFact {
  readonly people: number;
  /** By field, or by kind of the changes that the edit makes as a whole. */
  readonly parts: Readonly<Partial<Record<EditedPart, number>>>;
  readonly classes: Readonly<Partial<Record<ChangeClass, number>>>;
  /** The edited keys: `mapping.area`. */
  readonly keys: readonly string[];
  /** Number of them with such a value that HR changed too: it waits with the edit. Absent: none. */
  readonly ofHrToo?: number;
}

const namedParts = 8;

/** Returns `this edit changes 45 people: firstName 45, area 45; for example E1, E2, E3`. */
export function editSentence(
  { people, parts, ofHrToo }: Pick<EditFact, 'people' | 'parts' | 'ofHrToo'>,
  examples: readonly string[] = [],
): string {
  const counts = (Object.entries(parts) as [EditedPart, number][]).sort(([, a], [, b]) => b - a);
  const isKind = (part: string): boolean => (changeKinds as readonly string[]).includes(part);
  const named = counts.slice(0, namedParts).map(([part, count]) => `${isKind(part) ? `${part}s` : part} ${count}`);
  const rest = counts.length - namedParts;
  const more = rest > 0 ? [`${rest} more`] : [];
  const some = examples.length === 0 ? '' : `; for example ${examples.join(', ')}`;
  const also =
    ofHrToo === undefined ? '' : `. HR changed such a value of ${ofHrToo} of them too, which waits with the edit`;
  return `this edit changes ${countOf(people, 'person', 'people')}: ${[...named, ...more].join(', ')}${some}${also}`;
}

/** Returns `Edited: mapping.area, scope`. */
export function editedSentence(keys: readonly string[]): string {
  const rest = keys.length - namedParts;
  return `Edited: ${[...keys.slice(0, namedParts), ...(rest > 0 ? [`${rest} more keys`] : [])].join(', ')}`;
}
