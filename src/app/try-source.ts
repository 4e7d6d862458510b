import { openFillCount, watchFields } from '../core/guard/field-visibility.ts';
import { openBudget } from '../core/person/field-rule.ts';
import type { FieldName } from '../core/person/fields.ts';
import type { MappingTrace } from '../core/person/mapping.ts';
import type { Mapped, SourceRecord, Standing } from '../core/person/person.ts';
import { compileSourcePath } from '../core/person/source-path.ts';
import { readText } from '../core/person/text.ts';
import type { ReadEnd } from '../core/plan/snapshot.ts';
import { RollcallError } from '../core/run/errors.ts';
import type { ReadRequest } from '../ports/source.ts';
import { sourceTokenName } from '../ports/tokens.ts';
import type { Sync } from '../run/engine-io.ts';
import type { AppIo, WatchOptions } from './app-io.ts';
import { openPersonCount } from './count-persons.ts';
import { findSync } from './find-named.ts';
import type { SourceTrial, StatusCount, TrialEnd, TrialOptions } from './source-trial.ts';

/**
 * Reads the source of a sync. Counts its records and the results of the mapping. Does not call the platform. Throws
 * `USAGE` for a delta read of a source without deltas, and otherwise the errors of the source.
 */
export async function readTrial(
  { engine }: AppIo,
  name: string,
  { signal, progress, ...options }: WatchOptions & TrialOptions,
): Promise<SourceTrial> {
  const io = { ...engine, progress };
  const sync = findSync(name, io.syncs);
  const { settings, source, mapping } = sync;
  const generation = async () => (await io.store.tokens.get(sourceTokenName(settings.name)))?.generation;
  const before = await generation();
  const request = requestOf(sync, options);
  const tally = openTally(sync);
  const people: { at: string; trace: MappingTrace }[] = [];
  const now = io.clock.now();
  const budget = openBudget(signal);
  const previous = request.kind === 'full' ? await io.store.reads.last(settings.name) : undefined;
  const reading = source.read(request, { clock: io.clock, logger: io.logger, signal, previous });
  const limit = options.limit ?? Number.POSITIVE_INFINITY;
  let rows = 0;
  let end: TrialEnd | undefined;
  let notes: readonly string[] = [];
  try {
    while (end === undefined) {
      const next = await reading.next();
      if (next.done === true) {
        end = endOf(next.value);
        notes = next.value.notes ?? [];
        break;
      }
      for (const { column = 'record', reason } of next.value.broken) tally.refuse(column, reason);
      rows += next.value.broken.length;
      for (const record of next.value.records) {
        if (rows >= limit) break;
        rows += 1;
        tally.count(record, await mapping.map(record, now, budget));
        if (people.length < options.shown)
          people.push({ at: record.at, trace: await mapping.explain(record, now, budget) });
      }
      if (rows >= limit) end = { kind: 'stopped', limit };
      io.progress({ step: 'reading', rows });
    }
  } finally {
    await reading.return({ complete: false, rows, reasons: ['stopped'] });
  }
  const isTokenPresented = (await generation()) !== before;
  const read = { kind: source.kind, read: request.kind, rows, end, notes, isTokenPresented };
  return { sync: settings.name, ...read, people, ...tally.sums() };
}

function requestOf(
  { settings, source }: Sync,
  { since }: TrialOptions,
): Extract<ReadRequest, { kind: 'full' | 'delta' }> {
  if (since === undefined) return { kind: 'full' };
  if (source.capabilities.delta) return { kind: 'delta', since };
  const message = `the source of ${settings.name} is of kind ${source.kind}, which has no delta reads: omit --since`;
  throw new RollcallError(message, { code: 'USAGE' });
}

function endOf(end: ReadEnd): TrialEnd {
  return end.complete ? { kind: 'complete', evidence: end.evidence } : { kind: 'incomplete', reasons: end.reasons };
}

type Sums = Omit<SourceTrial, 'sync' | 'kind' | 'read' | 'rows' | 'end' | 'notes' | 'people' | 'isTokenPresented'>;

const listedStatuses = 200;
const listedReasons = 200;

/** Counts reasons by column, up to a limit. */
function openReasons() {
  const known = new Map<string, { column: string; reason: string; records: number }>();
  return {
    count(column: string, reason: string): void {
      const key = JSON.stringify([column, reason]);
      const entry = known.get(key) ?? { column, reason, records: 0 };
      entry.records += 1;
      if (known.has(key) || known.size < listedReasons) known.set(key, entry);
    },
    all: () => [...known.values()].sort(byRecords),
  };
}

/** Counts records. Keeps the values of the status field only. */
function openTally({ settings, mapping }: Sync) {
  const fill = openFillCount();
  const visibility = watchFields(mapping.reads);
  const status = settings.lifecycle?.status;
  // The result of an expression is not among the record's fields, so its values are not listed.
  const readStatus = typeof status === 'string' ? compileSourcePath(status) : undefined;
  const statuses = new Map<
    string | undefined,
    { records: number; standings: Partial<Record<Standing | 'rejected', number>> }
  >();
  const standings: Record<Standing, number> = { active: 0, leaver: 0, future: 0, unknown: 0 };
  const mapped = new Map<FieldName, number>(mapping.fields.map((field) => [field, 0]));
  const refused = openReasons();
  const unreadable = openReasons();
  const several = openPersonCount();
  let outOfScope = 0;
  let records = 0;

  const countStatus = (record: SourceRecord, standing: Standing | 'rejected'): void => {
    if (readStatus === undefined) return;
    const reading = readText(readStatus(record.fields));
    const value = reading.kind === 'text' ? reading.text : undefined;
    const known = statuses.get(value) ?? { records: 0, standings: {} };
    known.records += 1;
    known.standings[standing] = (known.standings[standing] ?? 0) + 1;
    if (statuses.has(value) || statuses.size < listedStatuses) statuses.set(value, known);
  };

  return {
    refuse: refused.count,
    count(record: SourceRecord, person: Mapped): void {
      records += 1;
      fill.count(record);
      visibility.see(record);
      countStatus(record, person.kind === 'person' ? person.standing : 'rejected');
      if (person.kind !== 'unreadable') several.count(person);
      if (person.kind !== 'person') {
        refused.count(person.column ?? 'record', person.reason);
        return;
      }
      // One cell may be read for two purposes; it counts once.
      const cells = new Map(person.troubles.map(({ column, reason }) => [column, reason]));
      for (const [column, reason] of cells) unreadable.count(column, reason);
      standings[person.standing] += 1;
      if (!person.isInScope) outOfScope += 1;
      for (const [field, people] of mapped) if ((person.fields[field] ?? '') !== '') mapped.set(field, people + 1);
    },
    sums(): Sums {
      const seen = visibility.visibility();
      return {
        fields: fill.fields().map((field) => ({ ...field, readers: mapping.readers.get(field.path) ?? [] })),
        isFieldListCut: fill.isCut,
        // Without records, no field can be reported as unseen.
        unseen: [...(records === 0 ? [] : mapping.readers)]
          .filter(([read]) => seen[read] !== true)
          .map(([read, readers]) => ({ read, readers })),
        mapped: [...mapped].map(([field, people]) => ({ field, people })),
        statuses: [...statuses].map(([value, count]): StatusCount => ({ value, ...count })).sort(byRecords),
        standings,
        outOfScope,
        unusable: refused.all(),
        unreadable: unreadable.all(),
        several: several.sums(),
      };
    },
  };
}

const byRecords = (a: { readonly records: number }, b: { readonly records: number }): number => b.records - a.records;
