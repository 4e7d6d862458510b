import type { CompiledMapping } from '../person/mapping.ts';
import type { SourceRecord } from '../person/person.ts';
import { compileVisibility } from '../person/source-path.ts';
import { isMapping } from '../run/given.ts';

/**
 * Visibility of each source field that the mapping reads: true when at least one record has it. Only these fields are
 * checked.
 */
export type FieldVisibility = Readonly<Record<string, boolean>>;

/**
 * Adds the inputs of derived fields to the fields that a mapping reads. A withdrawn leave date changes a derived
 * status, although the mapping does not name the date.
 */
export function withInputs(
  readers: CompiledMapping['readers'],
  derives: Readonly<Record<string, readonly string[]>> = {},
) {
  const all = new Map(readers);
  const derivedFrom = new Set<string>();
  for (const [read, names] of readers) {
    for (const input of inputsOf(read, derives)) {
      if (readers.has(input)) continue;
      derivedFrom.add(input);
      all.set(input, [...(all.get(input) ?? []), ...names.map((name) => `${name} (by ${read})`)]);
    }
  }
  return { readers: all, derivedFrom };
}

/** A path into a derived field (`contract.start`) depends on what the field is derived from. */
function inputsOf(read: string, derives: Readonly<Record<string, readonly string[]>>): readonly string[] {
  const names = Object.keys(derives).filter((name) => read === name || read.startsWith(`${name}.`));
  return names.flatMap((name) => derives[name] ?? []);
}

/** Tracks field visibility in the records of one read. A field that was seen once is not checked again. */
export function watchFields(reads: readonly string[]) {
  let unseen = reads.map((read) => ({ read, isIn: compileVisibility(read) }));
  return {
    see({ fields }: SourceRecord) {
      if (unseen.length === 0) return;
      const still = unseen.filter(({ isIn }) => !isIn(fields));
      if (still.length < unseen.length) unseen = still;
    },
    visibility() {
      const missing = new Set(unseen.map(({ read }) => read));
      return Object.fromEntries(reads.map((read) => [read, !missing.has(read)]));
    },
  };
}

/**
 * Corrects the visibility with the source's own statement. A report that omits empty values gives null for a column
 * that no record has. From the records alone, that column appears to be visible and empty.
 */
export function correctVisibility(visibility: FieldVisibility, notReturned: readonly string[]): FieldVisibility {
  if (notReturned.length === 0) return visibility;
  return Object.fromEntries(
    Object.entries(visibility).map(([read, seen]) => [read, seen && !isAmong(read, notReturned)]),
  );
}

function isAmong(read: string, names: readonly string[]): boolean {
  return names.some((name) => read === name || read.startsWith(`${name}.`));
}

/**
 * A source field that the mapping reads and that no record shows any longer, because a permission or a column was
 * removed.
 */
export interface VanishedField {
  readonly read: string;
  /** The keys of the configuration that read the field. */
  readonly readers: readonly string[];
  /** What happened and the likely cause, as a complete sentence. */
  readonly reason: string;
}

/**
 * Returns sentences about mapped fields that no record has in the first read that checks them. They hold no change.
 * Without this report, a misspelled name would leave a platform field empty without notice.
 */
export function neverShown({ readers, derivedFrom, now, before, notReturned }: VisibilityFacts): readonly string[] {
  return [...readers].flatMap(([read, names]) => {
    // A source derives from the fields that an HR system may have; only their loss means something.
    if (derivedFrom?.has(read) === true) return [];
    const isNew = before === undefined || !Object.hasOwn(before, read);
    if (now[read] === true || !isNew || isAmong(read, notReturned)) return [];
    const who = `${names.join(' and ')} ${names.length === 1 ? 'reads' : 'read'} \`${read}\``;
    return [`${who}, but no record has this field. Check its name, and the permissions in the HR system`];
  });
}

export interface VisibilityFacts {
  readonly readers: CompiledMapping['readers'];
  /** Those of `readers` that only derived fields read. */
  readonly derivedFrom?: ReadonlySet<string>;
  readonly now: FieldVisibility;
  /** The last accepted read. Undefined at the first read. */
  readonly before: FieldVisibility | undefined;
  /** The fields that the source requested and received for no record, by its own statement. */
  readonly notReturned: readonly string[];
}

/**
 * Compares the visibility of a full read with the last accepted one. A field that no record shows counts as vanished in
 * two cases: the earlier read showed it, or the source requested it without result and no operator has accepted that
 * yet. The second case does not apply to a field that only derived fields read.
 */
export function vanishedFields({
  readers,
  derivedFrom,
  now,
  before,
  notReturned,
}: VisibilityFacts): readonly VanishedField[] {
  const known = (read: string): boolean | undefined =>
    before !== undefined && Object.hasOwn(before, read) ? before[read] : undefined;
  return [...readers].flatMap(([read, names]) => {
    if (now[read] === true) return [];
    const who = `${names.join(' and ')} ${names.length === 1 ? 'reads' : 'read'} \`${read}\``;
    if (known(read) === true) {
      const reason = `${who}, but no record has this field any longer. Check whether a permission or a column was removed in the HR system`;
      return [{ read, readers: names, reason }];
    }
    // Without any leaver, no record has a leave date.
    if (known(read) === false || derivedFrom?.has(read) === true || !isAmong(read, notReturned)) return [];
    const reason = `${who}, but the source returned this field for no record. Check its name, and the permissions in the HR system`;
    return [{ read, readers: names, reason }];
  });
}

/** How often one source field was present, and how often it had a value. The field is absent in all other records. */
export interface FieldFill {
  /** The path as a mapping writes it: dots select inside objects. A list is one value. */
  readonly path: string;
  readonly filled: number;
  /** Blank, null, or an empty list or object. */
  readonly empty: number;
}

const countedFields = 2000;
const deepest = 4;

/** Counts field presence over many records, for a bounded number of fields. */
export function openFillCount() {
  const counts = new Map<string, { filled: number; empty: number }>();
  let isCut = false;
  const add = (path: string, value: unknown, depth: number): void => {
    if (value === undefined) return;
    if (isMapping(value) && depth < deepest && Object.keys(value).length > 0) {
      for (const [name, inner] of Object.entries(value)) add(`${path}.${name}`, inner, depth + 1);
      return;
    }
    const known = counts.get(path) ?? { filled: 0, empty: 0 };
    if (isEmpty(value)) known.empty += 1;
    else known.filled += 1;
    if (counts.has(path)) return;
    if (counts.size < countedFields) counts.set(path, known);
    else isCut = true;
  };
  return {
    count({ fields }: SourceRecord) {
      for (const [name, value] of Object.entries(fields)) add(name, value, 1);
    },
    /** Returns the fields in order of first occurrence. */
    fields: () => [...counts].map(([path, count]) => ({ path, ...count })),
    /** Whether the records have more fields than the limit, so that some are not counted. */
    get isCut() {
      return isCut;
    },
  };
}

function isEmpty(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() === '';
  return value === null || (typeof value === 'object' && Object.keys(value).length === 0);
}
