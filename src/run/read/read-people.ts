import { type ColumnDoubts, doubtColumns } from '../../core/guard/columns.ts';
import {
  correctVisibility,
  neverShown,
  type VanishedField,
  type VisibilityFacts,
  vanishedFields,
  withInputs,
} from '../../core/guard/field-visibility.ts';
import { countOf } from '../../core/run/formats.ts';
import { given } from '../../core/run/given.ts';
import type { ReadFact } from '../../core/run/next-read.ts';
import { leaversOf, undoneBy } from '../../ports/runs.ts';
import type { ReadRecord } from '../../ports/store.ts';
import { jumpFindings } from '../clock-span.ts';
import type { EngineIo, Sync } from '../engine-io.ts';
import type { PlanWork } from '../plan-job.ts';
import { chooseRead, type Reading, readFact } from './choose-read.ts';
import { dateFormats, readSource, type SourceRead } from './read-source.ts';
import { countUnusable, unusablePeople } from './source-says.ts';

/** The result of the first step. The people are in the index. */
export interface PlanRead extends SourceRead {
  readonly reading: Reading;
  readonly fact: ReadFact;
  /** The only people that are decided about. Undefined: all people that were read. */
  readonly focus: ReadonlySet<string> | undefined;
  /** The last complete full read; undefined for reads of named people. */
  readonly last: ReadRecord | undefined;
  readonly vanished: readonly VanishedField[];
  /** The columns in which too many cells became unreadable. */
  readonly columns: ColumnDoubts;
  /** Why no plan can be made from this read. */
  readonly failure: string | undefined;
}

/** Reads the source and judges the read as a whole: its field visibility, and whether the run can use it. */
export async function readPeople(work: PlanWork, io: EngineIo): Promise<PlanRead> {
  const { sync, scope, index, signal } = work;
  const { find } = work.findings;
  for (const finding of jumpFindings(io.clock)) find(finding);
  const order = leaversOf(scope);
  if (order !== undefined && scope.kind === 'users') {
    const who = countOf(scope.identifications.length, 'person', 'people');
    const message = `this run is about ${who} who left: run ${order.run} cannot disable them, because ${order.because}`;
    find({ code: 'leavers-alone', message });
  }
  const reading = await chooseRead(sync, scope, io);
  const last = reading.kind === 'point' ? undefined : await io.store.reads.last(sync.settings.name);
  const previous = reading.kind === 'full' ? last : undefined;
  const focus = focusOf(work, reading);
  const blocked = focus === undefined && reading.kind !== 'point' ? work.blocked : undefined;
  const { startedAt: runAt, watcher } = work.recorder;
  const onRecord = watcher.record;
  const isUndo = undoneBy(scope) !== undefined;
  const earlier = work.edit?.mapping;
  const read = await readSource(
    {
      sync,
      reading,
      focus,
      index,
      earlier,
      runAt,
      blocked,
      signal,
      find,
      previous,
      onRecord,
      ...given({ answers: last?.profile?.answers }),
    },
    io,
  );
  // An undo is also about people whom the source no longer has.
  for (const { identification, meant } of isUndo ? [] : read.unknown) {
    const hint = meant === undefined ? '' : `. Did you mean ${meant}? Case and look-alike characters count`;
    const message = `the source does not know this person, so nothing was done for the person${hint}`;
    find({ code: 'person-unknown', identification, message });
  }
  const named = isUndo ? focus : work.focus;
  for (const name of named ?? []) if (index.find(name).slot === -1) index.name(index.add(name), name);
  io.checkpoint('source-read');
  const fact = readFact(reading, read.readAt, sync);
  const shown = visibilityFacts(sync, read, last);
  const vanished = vanishedFields(shown);
  for (const { reason } of vanished) find({ code: 'field-vanished', message: reason });
  for (const message of neverShown(shown)) find({ code: 'source-note', message });
  const failure = isUndo ? undefined : whyNoPlan(read);
  if (failure !== undefined) {
    for (const finding of unusablePeople(index, read.snapshot)) find(finding);
    countUnusable(index, read.snapshot, work.blocked);
  }
  const columns = doubtColumns({
    people: read.people,
    unreadable: read.cells,
    previous: previous && { cells: {}, ...previous.blocked, ...previous.profile, rows: previous.rows },
    formats: dateFormats(sync),
    filled: read.filled,
    deciding: read.deciding,
    mayFall: sync.settings.guards.fillRateDownPoints,
    untold: reading.kind === 'full' ? read.untold : [],
  });
  return { ...read, ...(isUndo ? { unknown: [] } : {}), reading, focus, fact, last, vanished, columns, failure };
}

function focusOf({ focus, scope }: PlanWork, reading: Reading): ReadonlySet<string> | undefined {
  if (focus !== undefined) return new Set(focus);
  const isSome = reading.kind === 'point' && (reading.readsAll || undoneBy(scope) !== undefined);
  return isSome ? new Set(reading.identifications) : undefined;
}

/**
 * Returns which mapped fields a full read shows, complete or not, compared with the last one. The records of a few
 * people prove nothing here. For a delta only what the source itself reports counts.
 */
function visibilityFacts({ mapping, source }: Sync, read: SourceRead, last: ReadRecord | undefined): VisibilityFacts {
  const { snapshot, visibility, notReturned } = read;
  const fields = withInputs(mapping.readers, source.derives);
  const everything = Object.fromEntries([...fields.readers.keys()].map((name) => [name, true]));
  if (snapshot.kind === 'point' || snapshot.rows === 0)
    return { ...fields, now: everything, before: undefined, notReturned: [] };
  const now = snapshot.kind === 'full' ? visibility : correctVisibility(everything, notReturned);
  return { ...fields, now, before: last?.visibility, notReturned };
}

/** Returns why no plan can be made. A file without a usable row counts as empty. */
function whyNoPlan({ snapshot, usable }: SourceRead): string | undefined {
  const { kind, rows } = snapshot;
  if (kind === 'delta' || (rows > 0 && (usable > 0 || kind === 'point'))) return undefined;
  if (kind === 'point') return 'the source has none of the named people';
  if (rows === 0) return 'the source returned no employees';
  return `the source returned ${countOf(rows, 'row')}, but none of them can be used; see the findings`;
}
