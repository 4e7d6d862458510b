import type { EditFacts } from '../core/guard/guard.ts';
import type { CompiledMapping } from '../core/person/mapping.ts';
import type { ChangeClass } from '../core/plan/change.ts';
import {
  type Configuration,
  type DecidingSettings,
  type EditedPart,
  type EditFact,
  editedKeys,
  editedSentence,
  editSentence,
  elsewhereKeys,
  type Marked,
} from '../core/plan/configuration.ts';
import type { Snapshot } from '../core/plan/snapshot.ts';
import { RollcallError } from '../core/run/errors.ts';
import type { Baseline } from '../ports/reads.ts';
import type { NewChange } from '../ports/store.ts';
import type { EngineIo, Sync } from './engine-io.ts';

/**
 * An edit of the configuration since the sync's baseline: opened only where the fingerprints differ.
 *
 *   the mark          what the earlier configuration makes of the same record, kept with the person (`Person.earlier`)
 *   sets it           the read, which maps each record twice: `withEarlier`
 *   reads it          `decideBoth` and, of leaders, `leaderEffects`: each change is decided twice, and what differs gets
 *                     the class `configuration`
 *
 * All other steps know the class, and what is made while it is held (`Marked`).
 */
export interface Edit {
  readonly before: DecidingSettings;
  readonly keys: readonly string[];
  /** The file is as the baseline again, and an edit in between was applied in part: only what it took is given back. */
  readonly isReverted: boolean;
  /** The earlier mapping. Undefined: one read cannot compare the two, so everything differs. */
  readonly mapping: CompiledMapping | undefined;
  /** What the last accepted full run found about the same edit; undefined when none has measured it. */
  readonly measured: Pick<NonNullable<Baseline['measured']>, 'isHeld'> | undefined;
  /** Fingerprints of the configurations that the edit replaces. */
  readonly replaced: readonly string[];
}

/** Reads the sync's baseline, and opens the edit since then, if there is one. */
export async function openEdit(
  sync: Sync,
  io: Pick<EngineIo, 'store'>,
): Promise<{ readonly baseline: Baseline; readonly edit?: Edit }> {
  const { configuration: now, settings } = sync;
  const baseline = await io.store.baselines.read(settings.name);
  const { accepted, measured } = baseline;
  const isReverted = accepted?.fingerprint === now.fingerprint;
  const before = isReverted ? measured : accepted;
  if (before === undefined || before.fingerprint === now.fingerprint) return { baseline };
  const replaced = [accepted, measured].flatMap((one) => (one === undefined ? [] : [one.fingerprint]));
  const edit: Edit = {
    before: before.settings,
    keys: editedKeys(before, now),
    isReverted,
    mapping: comparableMapping(before, sync),
    measured: measured?.fingerprint === now.fingerprint ? measured : undefined,
    replaced: replaced.filter((one) => one !== now.fingerprint),
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

/** What a plan has of the class `configuration`. */
export interface Differing {
  readonly changed: PartCounts;
  /** People who come or return today: while the class is held, they get what the earlier configuration gives. */
  readonly coming: PartCounts;
  /** People of whom HR changed such a value too. */
  ofHrToo: number;
  rejected: number;
  givenBack: number;
  readonly insteadClasses: Map<ChangeClass, number>;
}

interface PartCounts {
  people: number;
  readonly parts: Map<EditedPart, number>;
  readonly classes: Map<ChangeClass, number>;
  /** The first people, by identification. */
  readonly examples: string[];
}

const shownExamples = 3;

export function noDiffering(): Differing {
  const none = (): PartCounts => ({ people: 0, parts: new Map(), classes: new Map(), examples: [] });
  const counts = { ofHrToo: 0, rejected: 0, givenBack: 0 };
  return { changed: none(), coming: none(), ...counts, insteadClasses: new Map() };
}

/** Counts a marked change that was settled. `instead`: what is made while the class is held. */
export function countMarked(
  counts: Differing,
  { identification, classes }: Pick<NewChange, 'identification' | 'classes'>,
  { parts, isOfHrToo }: Pick<Marked, 'parts' | 'isOfHrToo'>,
  instead?: Pick<NewChange, 'classes'>,
): void {
  const of = instead === undefined ? counts.changed : counts.coming;
  of.people += 1;
  for (const part of parts) addTo(of.parts, part, 1);
  for (const name of classes) addTo(of.classes, name, 1);
  if (of.examples.length < shownExamples) of.examples.push(identification);
  if (isOfHrToo === true) counts.ofHrToo += 1;
  for (const name of instead?.classes ?? []) addTo(counts.insteadClasses, name, 1);
}

/** Adds what other changes have of the class. */
export function addDiffering(counts: Differing, more: Differing): void {
  for (const name of ['changed', 'coming'] as const) {
    counts[name].people += more[name].people;
    for (const [part, count] of more[name].parts) addTo(counts[name].parts, part, count);
    for (const [one, count] of more[name].classes) addTo(counts[name].classes, one, count);
    counts[name].examples.push(...more[name].examples.slice(0, shownExamples - counts[name].examples.length));
  }
  for (const [one, count] of more.insteadClasses) addTo(counts.insteadClasses, one, count);
  counts.ofHrToo += more.ofHrToo;
  counts.rejected += more.rejected;
  counts.givenBack += more.givenBack;
}

function addTo<Key>(counts: Map<Key, number>, key: Key, more: number): void {
  counts.set(key, (counts.get(key) ?? 0) + more);
}

/** Returns how many people the edit changes, where it is held without those who come today; nothing where no one. */
export function editFact(
  edit: Edit | undefined,
  { changed, coming, ofHrToo }: Differing,
  isHeld: boolean,
): { readonly edit?: EditFact } {
  const counts = isHeld && changed.people > 0 ? [changed] : [changed, coming];
  const people = counts.reduce((sum, one) => sum + one.people, 0);
  if (edit === undefined || people === 0) return {};
  const parts = new Map<EditedPart, number>();
  const classes = new Map<ChangeClass, number>();
  for (const one of counts) {
    for (const [part, count] of one.parts) addTo(parts, part, count);
    for (const [name, count] of one.classes) if (name !== 'configuration') addTo(classes, name, count);
  }
  const also = ofHrToo === 0 ? {} : { ofHrToo };
  const fact = { people, parts: Object.fromEntries(parts), classes: Object.fromEntries(classes), keys: edit.keys };
  return { edit: { ...fact, ...also } };
}

/** Returns what the guards need of an edit: why it would wait, and whether this read shows how many people differ. */
export function editFacts(
  { edit, sync }: { readonly edit?: Edit; readonly sync: Pick<Sync, 'settings'> },
  { differing, snapshot }: { readonly differing: Differing; readonly snapshot: Snapshot },
  beside: EditFacts['beside'],
): { readonly edit?: EditFacts } {
  const { edit: fact } = editFact(edit, differing, true);
  if (edit === undefined || fact === undefined) return {};
  const { changed, coming } = differing;
  const examples = [...(changed.people > 0 ? changed : coming).examples];
  const all = edit.mapping === undefined ? '. One read cannot compare the two, so every change counts' : '';
  const reason = `${editSentence(fact, examples)}. ${editedSentence(fact.keys)}${all}`;
  const isMeasuredHere = snapshot.kind === 'full' && snapshot.missing !== undefined;
  const unmeasured = `No full run has measured it yet: run "rollcall apply ${sync.settings.name}"`;
  const held = 'The edit waits for approval';
  const waits = isMeasuredHere || edit.measured?.isHeld === false ? undefined : edit.measured ? held : unmeasured;
  return { edit: { reason, waits, beside } };
}
