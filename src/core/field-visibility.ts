import type { CompiledMapping } from './mapping.ts';
import type { SourceRecord } from './person.ts';
import { compileVisibility } from './source-path.ts';

/** Which of the source fields that a mapping reads came for at least one person: the scope of a read, as far as we look. */
export type FieldVisibility = Readonly<Record<string, boolean>>;

/** Watches the records of one read. A field that was seen once is not looked for any more. */
export interface VisibilityWatch {
  see(record: SourceRecord): void;
  visibility(): FieldVisibility;
}

export function watchFields(reads: readonly string[]): VisibilityWatch {
  let unseen = reads.map((read) => ({ read, isIn: compileVisibility(read) }));
  return {
    see({ fields }) {
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
 * A sight corrected by the source's own word. A report that leaves out what is empty gives null for a column that came for
 * nobody: the records alone look as if everybody had none.
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

/** A source field that the mapping reads and nobody shows any more: somebody took a right or a column away. */
export interface VanishedField {
  readonly read: string;
  /** The keys of the configuration that read it. */
  readonly readers: readonly string[];
  /** A whole sentence: what, and the likely cause. */
  readonly reason: string;
}

/**
 * Sentences on fields that are mapped and came for nobody, in the first read that looks for them: nothing is held by that,
 * but a misspelt name would otherwise be a platform field that silently stays empty.
 */
export function neverShown({ readers, now, before, notReturned }: VisibilityFacts): readonly string[] {
  return [...readers].flatMap(([read, names]) => {
    const isNew = before === undefined || !Object.hasOwn(before, read);
    if (now[read] === true || !isNew || isAmong(read, notReturned)) return [];
    const who = `${names.join(' and ')} ${names.length === 1 ? 'reads' : 'read'} \`${read}\``;
    return [`${who}, which no record has: misspelt, or not granted in the HR system?`];
  });
}

export interface VisibilityFacts {
  readonly readers: CompiledMapping['readers'];
  readonly now: FieldVisibility;
  /** The last read that was accepted; undefined at the first one, and for reads of versions that did not look. */
  readonly before: FieldVisibility | undefined;
  /** What the source itself says it was asked for and gave for nobody. */
  readonly notReturned: readonly string[];
}

/**
 * Compares what a full read shows with the last one. A field that nobody shows is vanished when it was shown before, or
 * when the source says that it asked for it in vain and no person has accepted that yet.
 */
export function vanishedFields({ readers, now, before, notReturned }: VisibilityFacts): readonly VanishedField[] {
  const known = (read: string): boolean | undefined =>
    before !== undefined && Object.hasOwn(before, read) ? before[read] : undefined;
  return [...readers].flatMap(([read, names]) => {
    if (now[read] === true) return [];
    const who = `${names.join(' and ')} ${names.length === 1 ? 'reads' : 'read'} \`${read}\``;
    if (known(read) === true) {
      const reason = `${who}, which came for nobody, and did before: was a permission or a column taken away in the HR system?`;
      return [{ read, readers: names, reason }];
    }
    if (known(read) === false || !isAmong(read, notReturned)) return [];
    const reason = `${who}, which the source was asked for and gave for nobody: is it granted in the HR system, and called so there?`;
    return [{ read, readers: names, reason }];
  });
}
