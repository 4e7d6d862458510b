import { RollcallError } from '../../core/run/errors.ts';
import { type NextRead, nextRead, type ReadFact } from '../../core/run/next-read.ts';
import { sameName } from '../../core/run/problem-words.ts';
import { leaversOf } from '../../ports/runs.ts';
import type { ReadRequest, SourceIo } from '../../ports/source.ts';
import type { RunScope } from '../../ports/store.ts';
import type { EngineIo, Sync } from '../engine-io.ts';
import type { PeopleIndex } from './people-index.ts';

/** The read that a run requests from its source. */
export type Reading = NextRead | PointRead;

export interface PointRead {
  readonly kind: 'point';
  readonly identifications: readonly string[];
  /**
   * The store does not know what other people claim, because no full read was accepted yet. All records are read for
   * that.
   */
  readonly readsAll: boolean;
}

/** Reads from the store where a delta can begin, and returns the read that the run makes. */
export async function chooseRead(sync: Sync, scope: RunScope, io: EngineIo): Promise<Reading> {
  if (scope.kind === 'users') {
    const { identifications } = scope;
    return { kind: 'point', identifications, readsAll: leaversOf(scope) === undefined && (await needsAll(sync, io)) };
  }
  const { name, deltas } = sync.settings;
  const reading = nextRead({
    deltas,
    canDelta: sync.source.capabilities.delta,
    isFullRequested: scope.isFull === true,
    watermark: deltas === undefined ? undefined : await io.store.reads.watermark(name),
    fingerprint: sync.fingerprint,
    now: io.clock.now(),
  });
  if (deltas !== undefined) io.logger.info({ sync: name, read: reading.kind, ...whyOf(reading) }, 'reading the source');
  return reading;
}

/** Returns whether e-mails decide identity and no full read has stored who claims which e-mail. */
async function needsAll({ settings, fingerprint }: Sync, io: EngineIo): Promise<boolean> {
  if (!settings.match.includes('email')) return false;
  const roster = await io.store.rosters.open(settings.name);
  return roster === undefined || roster.fingerprint !== fingerprint;
}

/** Returns what the run stores about the read. */
export function readFact(reading: Reading, readAt: number, { fingerprint }: Sync): ReadFact {
  const { kind } = reading;
  if (kind === 'delta') return { kind, at: readAt, since: reading.since, fingerprint };
  return { kind, at: readAt, fingerprint, ...whyOf(reading) };
}

function whyOf(reading: Reading): { readonly reason?: string } {
  return 'reason' in reading ? { reason: reading.reason } : {};
}

/** Returns the request to the source. */
export function sourceRequest(reading: Reading, sync: Sync): ReadRequest {
  switch (reading.kind) {
    case 'full':
      return { kind: 'full' };
    case 'delta':
      return { kind: 'delta', since: new Date(reading.since).toISOString() };
    case 'point':
      return reading.readsAll ? { kind: 'full' } : pointRequest(reading.identifications, sync);
  }
}

/**
 * Returns the request for named people. They are looked up by key if the mapping uses it unchanged. Otherwise all
 * people are read and filtered here.
 */
export function pointRequest(identifications: readonly string[], { mapping }: Sync): ReadRequest {
  const field = mapping.identificationField;
  return field === undefined ? { kind: 'full' } : { kind: 'point', identifications, field };
}

/**
 * Returns the fields that a sync reads and its source does not have. A path exists when its whole name or its first
 * step does.
 */
export function absentFields(reads: readonly string[], fields: readonly string[]): readonly string[] {
  return reads.filter((read) => !fields.includes(read) && !fields.includes(read.split('.')[0] ?? ''));
}

/**
 * Returns `fields job, Area (did you mean area?)`. Only a name that is equal but for case and blanks is proposed: without
 * a header line, other names are values of the first employee.
 */
export function nameAbsent(absent: readonly string[], fields: readonly string[]): string {
  const names = absent.map((read) => {
    const guess = sameName(read.split('.')[0] ?? read, fields);
    return guess === undefined ? read : `${read} (did you mean ${guess}?)`;
  });
  return `${absent.length === 1 ? 'field' : 'fields'} ${names.join(', ')}`;
}

/** Returns what to do about names that only expressions use: a text without quotes is the name of a field there. */
export function quoteAdvice(
  absent: readonly string[],
  { settings, mapping }: Pick<Sync, 'settings' | 'mapping'>,
): string {
  const rules: Readonly<Record<string, { readonly kind: string } | undefined>> = settings.mapping.fields;
  const isExpression = (reader: string): boolean => reader === 'scope' || rules[reader]?.kind === 'expression';
  const readers = absent.map((read) => mapping.readers.get(read) ?? []);
  if (!readers.flat().every(isExpression)) return '';
  const [first = ''] = absent;
  return `If ${absent.length === 1 ? 'it is a text' : 'they are texts'}, write quotes in ${[...new Set(readers.flat())].join(', ')}: '${first}'. `;
}

/**
 * Checks that the source has every field that the sync reads. An absent field is not a blank value. A renamed leave
 * date would keep every leaver, and a scope over a misspelled field would match no employee. Sources that learn their
 * fields only during a read are not checked, nor are empty sources. Throws `SOURCE_UNAVAILABLE`, and then nothing is
 * read.
 */
export async function checkFields(sync: Sync, io: SourceIo): Promise<void> {
  const { settings, mapping, source } = sync;
  const fields = await source.fields(io);
  if (fields === undefined || fields.length === 0) return;
  const absent = absentFields(mapping.reads, fields);
  if (absent.length === 0) return;
  throw new RollcallError(
    `the source of sync ${settings.name} has no ${nameAbsent(absent, fields)}, named by ` +
      `its mapping, lifecycle, scope or prefer. Nothing was read. ${quoteAdvice(absent, sync)}` +
      'Check the export, and the names in the configuration: `rollcall check` lists the fields of the source.',
    { code: 'SOURCE_UNAVAILABLE' },
  );
}

/** The people of a run. A delta may name all people, so their names are created only when they are few. */
export type SomePeople = ReturnType<typeof named>;

export function named(names: readonly string[]) {
  return { count: names.length, names: () => names };
}

/** Returns the people of a run; undefined for all people. */
export function peopleOf(reading: Reading, index: PeopleIndex): SomePeople | undefined {
  switch (reading.kind) {
    case 'full':
      return undefined;
    case 'point':
      return named(reading.identifications);
    case 'delta': {
      const names = () => Array.from({ length: index.size }, (_, slot) => index.person(slot).identification);
      return { count: index.size, names };
    }
  }
}
