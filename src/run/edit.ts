import type { CompiledMapping } from '../core/person/mapping.ts';
import { type Change, type ChangeClass, changeClasses } from '../core/plan/change.ts';
import {
  type Configuration,
  type EditedPart,
  type EditFact,
  editedKeys,
  elsewhereKeys,
} from '../core/plan/configuration.ts';
import { RollcallError } from '../core/run/errors.ts';
import type { Finding } from '../core/run/finding.ts';
import type { Baseline } from '../ports/reads.ts';
import type { Spool } from '../ports/runtime.ts';
import type { OwnedUser } from '../ports/store.ts';
import type { EngineIo, Sync } from './engine-io.ts';
import { openRecordFiling, type RecordFiling } from './read/file-records.ts';
import { PeopleIndex } from './read/people-index.ts';

/**
 * An edit of the configuration with which a plan is compared: opened only where the fingerprints differ. Each record is
 * also mapped, and each change also decided, with the earlier configuration. What differs is of the class
 * `configuration`.
 */
export interface Edit {
  readonly before: Configuration;
  readonly keys: readonly string[];
  /** The file is as the baseline again, and an edit in between was applied in part: only what it took is given back. */
  readonly isReverted: boolean;
  /** The people as the earlier configuration maps them. Undefined: one read cannot compare the two. */
  readonly people:
    | { readonly mapping: CompiledMapping; readonly index: PeopleIndex; readonly filing: RecordFiling }
    | undefined;
  /** What the last accepted full run found about the same edit; undefined when none has measured it. */
  readonly measured: Pick<NonNullable<Baseline['measured']>, 'isHeld'> | undefined;
  /** Fingerprints of the configurations that the edit replaces. */
  readonly replaced: readonly string[];
  readonly tally: EditTally;
}

/** What the edit changes, counted while people are decided. */
export interface EditTally {
  readonly changed: PartCounts;
  /** People who come or return today: while the edit is held, they get what the earlier configuration gives. */
  readonly coming: PartCounts;
  rejected: number;
  givenBack: number;
  /** Places in the spool of changes that the earlier configuration makes while those of the edit are held. */
  readonly instead: number[];
  readonly insteadClasses: Map<ChangeClass, number>;
  /** Places in the spool of users of other syncs whom only the edited configuration takes over (`EditedTakeOver`). */
  readonly takeOvers: number[];
}

/** A user who becomes ours with the change that the edit makes, and how that is reported. */
export interface EditedTakeOver extends OwnedUser {
  readonly finding: Finding | undefined;
}

interface PartCounts {
  people: number;
  readonly parts: Map<EditedPart, number>;
  readonly classes: Map<ChangeClass, number>;
  /** The first people, by identification. */
  readonly examples: string[];
}

const shownExamples = 3;

const nothing = (): PartCounts => ({ people: 0, parts: new Map(), classes: new Map(), examples: [] });

interface EditJob {
  readonly sync: Sync;
  readonly spool: Spool;
  readonly salt: string;
}

/** Reads the sync's baseline, and opens the edit since then, if there is one. */
export async function openEdit(
  { sync, spool, salt }: EditJob,
  io: EngineIo,
): Promise<{ readonly baseline: Baseline; readonly edit?: Edit }> {
  const { configuration: now, settings } = sync;
  const baseline = await io.store.baselines.read(settings.name);
  const { accepted, measured } = baseline;
  const isReverted = accepted?.fingerprint === now.fingerprint;
  const before = isReverted ? measured : accepted;
  if (before === undefined || before.fingerprint === now.fingerprint) return { baseline };
  const replaced = [accepted, measured].flatMap((one) => (one === undefined ? [] : [one.fingerprint]));
  const mapping = comparableMapping(before, sync);
  const index = new PeopleIndex(spool, mapping?.fields ?? [], salt);
  const matching = { settings: { ...settings, match: before.settings.match, prefer: before.settings.prefer ?? [] } };
  const filing = openRecordFiling({ index, sync: matching, find: () => {}, blocked: undefined });
  const edit: Edit = {
    before,
    keys: editedKeys(before, now),
    isReverted,
    people: mapping && { mapping, index, filing },
    measured: measured?.fingerprint === now.fingerprint ? measured : undefined,
    replaced: replaced.filter((one) => one !== now.fingerprint),
    tally: {
      ...{ changed: nothing(), coming: nothing() },
      ...{ rejected: 0, givenBack: 0, instead: [], insteadClasses: new Map(), takeOvers: [] },
    },
  };
  return { baseline, edit };
}

/** Returns the earlier mapping, unless decisions under it need more than this read shows. */
function comparableMapping(before: Configuration, { configuration: now, compile }: Sync): CompiledMapping | undefined {
  if (elsewhereKeys(before, now).length > 0) return undefined;
  // Who has another's e-mail is found only where e-mails are matched.
  if (before.settings.match.includes('email') && !now.settings.match.includes('email')) return undefined;
  try {
    return compile(before.settings);
  } catch (error) {
    if (error instanceof RollcallError && error.code === 'CONFIG_INVALID') return undefined;
    throw error;
  }
}

/** Counts a change of the edit that was stored. `instead`: what is made if those of the edit are held, and its place. */
export function countEdited(
  { tally }: Edit,
  { identification, classes }: Pick<Change, 'identification' | 'classes'>,
  parts: readonly EditedPart[],
  instead?: { readonly place: number; readonly classes: readonly ChangeClass[] },
): void {
  const counts = instead === undefined ? tally.changed : tally.coming;
  counts.people += 1;
  for (const part of parts) addOne(counts.parts, part);
  for (const name of classes) addOne(counts.classes, name);
  if (counts.examples.length < shownExamples) counts.examples.push(identification);
  if (instead === undefined) return;
  tally.instead.push(instead.place);
  for (const name of instead.classes) addOne(tally.insteadClasses, name);
}

function addOne<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** Returns whom an edit changes: where it is held, without those who come today. */
function countsOf({ changed, coming }: EditTally, isHeld: boolean): readonly PartCounts[] {
  return isHeld && changed.people > 0 ? [changed] : [changed, coming];
}

/** Returns the first people whom an edit changes. */
export function editExamples({ tally }: Edit): readonly string[] {
  return countsOf(tally, true)
    .flatMap(({ examples }) => examples)
    .slice(0, shownExamples);
}

/** Returns how many people an edit changes; nothing where it changes no one. */
export function editFact(edit: Edit | undefined, isHeld: boolean): { readonly edit?: EditFact } {
  const counts = edit === undefined ? [] : countsOf(edit.tally, isHeld);
  const people = counts.reduce((sum, one) => sum + one.people, 0);
  if (edit === undefined || people === 0) return {};
  const parts = sumOf(counts.map((one) => one.parts));
  const classes = sumOf(counts.map((one) => one.classes));
  classes.delete('configuration');
  return { edit: { people, parts: Object.fromEntries(parts), classes: Object.fromEntries(classes), keys: edit.keys } };
}

function sumOf<Key>(all: readonly ReadonlyMap<Key, number>[]): Map<Key, number> {
  const sum = new Map<Key, number>();
  for (const [key, count] of all.flatMap((one) => [...one])) sum.set(key, (sum.get(key) ?? 0) + count);
  return sum;
}

/** Adds the changes that are made instead of held ones to the counts of the others. */
export function withInstead(
  beside: Readonly<Record<ChangeClass, number>>,
  { tally: { insteadClasses } }: Edit,
): Readonly<Record<ChangeClass, number>> {
  const counts = changeClasses.map((name) => [name, beside[name] + (insteadClasses.get(name) ?? 0)]);
  return Object.fromEntries(counts) as Record<ChangeClass, number>;
}
