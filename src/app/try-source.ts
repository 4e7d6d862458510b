import { hash } from 'node:crypto';
import { type FieldFill, openFillCount, watchFields } from '../core/guard/field-visibility.ts';
import { openBudget } from '../core/person/field-rule.ts';
import type { FieldName } from '../core/person/fields.ts';
import type { MappingTrace } from '../core/person/mapping.ts';
import type { Mapped, Person, RejectedPerson, SourceRecord, Standing } from '../core/person/person.ts';
import { countingRecord, whatItSays } from '../core/person/prefer.ts';
import { compileSourcePath } from '../core/person/source-path.ts';
import { readText } from '../core/person/text.ts';
import { usageError } from '../core/run/errors.ts';
import { given } from '../core/run/given.ts';
import { cardsOf } from '../core/setup/cards.ts';
import { type Drift, findDrift } from '../core/setup/drift.ts';
import { type Proposal, propose } from '../core/setup/proposal.ts';
import { peopleSentence, proposalYaml } from '../core/setup/proposal-lines.ts';
import type { Answers } from '../core/setup/propose-mapping.ts';
import { openSurvey, type Survey } from '../core/setup/survey.ts';
import type { ReadRequest } from '../ports/source.ts';
import { sourceTokenName } from '../ports/tokens.ts';
import type { Sync } from '../run/engine-io.ts';
import type { SetUp } from '../views/syncs.ts';
import type { AppIo, SurveySides, Surveys, WatchOptions } from './app-io.ts';
import { findConnection, findSync } from './find-named.ts';

/** People of a read who have several records. */
interface SeveralRecords {
  /** Number of people of whom `scope` or `prefer` tells which record counts. */
  readonly decided: number;
  /** Number of people to whom nothing is done, because their records contradict each other. */
  readonly undecided: number;
  /** The first of them. */
  readonly undecidedNames: readonly string[];
}

const shownNames = 10;

/** Counts people with several records. Keeps of each record only what decides, which most records share. */
function openPersonCount() {
  const known = new Map<string, Person | RejectedPerson>();
  const names = new Map<string, Person | RejectedPerson>();
  const several = new Map<string, (Person | RejectedPerson)[]>();
  return {
    count(person: Exclude<Mapped, { kind: 'unreadable' }>): void {
      const { identification } = person;
      const key =
        person.kind === 'person' ? `${person.isInScope} ${person.standing} ${person.rank ?? ''}` : person.kind;
      const shared = known.get(key) ?? person;
      known.set(key, shared);
      // A hash stands for all that the record says, so that its values are not held.
      const record =
        person.kind === 'person' && shared.kind === 'person'
          ? { ...shared, fields: { firstName: hash('sha256', whatItSays(person)) } }
          : shared;
      const first = names.get(identification);
      if (first === undefined) names.set(identification, record);
      else several.set(identification, [...(several.get(identification) ?? [first]), record]);
    },
    sums(): SeveralRecords {
      const undecided = [...several].flatMap(([name, records]) =>
        countingRecord(records) === undefined ? [name] : [],
      );
      return {
        decided: several.size - undecided.length,
        undecided: undecided.length,
        undecidedNames: undecided.slice(0, shownNames),
      };
    },
  };
}

interface TrialOptions {
  /** Number of people to show, from the start of the read. */
  readonly shown: number;
  /** Number of records after which the read stops. Absent: reads all. */
  readonly limit?: number;
  /** Makes a delta read since this instant (ISO 8601). */
  readonly since?: string;
}

/** The result of one read of a source, for the operator who sets it up. Holds field values of the shown people only. */
export interface SourceTrial {
  readonly sync: string;
  readonly kind: string;
  readonly read: 'full' | 'delta';
  /** Number of records read, unusable ones included. */
  readonly rows: number;
  readonly end: TrialEnd;
  /** Remarks of the source on this read. */
  readonly notes: readonly string[];
  readonly people: readonly { readonly at: string; readonly trace: MappingTrace }[];
  readonly fields: readonly (FieldFill & { readonly readers: readonly string[] })[];
  /** The source has more fields than are listed. */
  readonly isFieldListCut: boolean;
  /** Source fields that the configuration names and no record shows. */
  readonly unseen: readonly { readonly read: string; readonly readers: readonly string[] }[];
  /** Number of usable people with a value, per mapped platform field. */
  readonly mapped: readonly { readonly field: FieldName; readonly people: number }[];
  readonly statuses: readonly StatusCount[];
  readonly standings: Readonly<Record<Standing, number>>;
  readonly outOfScope: number;
  /** Why records cannot be used, most frequent first. */
  readonly unusable: readonly { readonly column: string; readonly reason: string; readonly records: number }[];
  /** Why cells cannot be used, most frequent first. The rest of their records is used. */
  readonly unreadable: SourceTrial['unusable'];
  readonly several: SeveralRecords;
  /** A refresh token was presented. The new pair is in the store, and the configured token may be used up. */
  readonly isTokenPresented: boolean;
}

export type TrialEnd =
  | { readonly kind: 'complete'; readonly evidence: string }
  | { readonly kind: 'incomplete'; readonly reasons: readonly string[] }
  /** The limit was reached. Nothing is known of the other records. */
  | { readonly kind: 'stopped'; readonly limit: number };

/** One value of the status field, with the standings that the lifecycle derives from it. */
export interface StatusCount {
  /** Undefined when the record does not show the field. */
  readonly value: string | undefined;
  readonly records: number;
  readonly standings: Readonly<Partial<Record<Standing | 'rejected', number>>>;
}

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
  const last = await io.store.reads.last(settings.name);
  const previous = request.kind === 'full' ? last : undefined;
  const known = given({ answers: last?.profile?.answers });
  const reading = source.read(request, { clock: io.clock, logger: io.logger, signal, previous, ...known });
  const limit = options.limit ?? Number.POSITIVE_INFINITY;
  let rows = 0;
  let end: TrialEnd | undefined;
  let notes: readonly string[] = [];
  try {
    while (end === undefined) {
      const next = await reading.next();
      if (next.done === true) {
        const { value } = next;
        end = value.complete
          ? { kind: 'complete', evidence: value.evidence }
          : { kind: 'incomplete', reasons: value.reasons };
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
  throw usageError(message);
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

/**
 * Reads the source of a sync, and the users of its platform, and proposes the configuration that fits them. Compares
 * it with the present one. Throws what `readSides` throws.
 */
export async function surveySync(
  app: AppIo,
  name: string,
  sides: SurveySides,
  { answers, ...watch }: WatchOptions & { readonly answers?: Answers },
): Promise<{ readonly survey: Survey; readonly proposal: Proposal; readonly drift: Drift }> {
  const survey = await readSides(app, name, sides, watch);
  const proposal = propose(survey, answers);
  return { survey, proposal, drift: findDrift(survey, proposal, findSync(name, app.engine.syncs).settings) };
}

/** Reads only; memory is bounded. Throws the errors of both sides, `USAGE` for an unknown sync. */
async function readSides(
  app: AppIo,
  name: string,
  sides: SurveySides,
  { signal, progress }: WatchOptions,
): Promise<Survey> {
  const { clock, logger } = app.engine;
  const sync = findSync(name, app.engine.syncs);
  const survey = openSurvey(sides === 'both', clock.now());
  if (sides === 'both') {
    let users = 0;
    for await (const page of findConnection(sync.settings.connection, app.connections).platform.scan(signal)) {
      for (const user of page.users) survey.seeUser(user);
      users += page.users.length;
      progress({ step: 'scanning', users, total: page.total });
    }
  }
  const reading = sync.source.read({ kind: 'full' }, { clock, logger, signal, previous: undefined });
  let rows = 0;
  for await (const { records, broken } of reading) {
    for (const { fields } of records) survey.see(fields);
    rows += records.length + broken.length;
    progress({ step: 'reading', rows });
  }
  return survey.result();
}

/** Memory: what a survey of one sync needs. */
const surveyKeptMs = 10 * 60_000;

export function openSurveys(app: () => AppIo): Surveys {
  let kept: { readonly key: string; readonly until: number; readonly survey: Promise<Survey> } | undefined;
  return (sync, sides, signal) => {
    const { clock, progress } = app().engine;
    const key = `${sides} ${sync}`;
    if (kept?.key === key && kept.until > clock.now()) return kept.survey;
    const survey = readSides(app(), sync, sides, { signal, progress });
    kept = { key, until: clock.now() + surveyKeptMs, survey };
    survey.catch(() => {
      kept = undefined;
    });
    return survey;
  };
}

/** Answers to the questions of a set-up. */
export interface SetUpOrder {
  readonly sides: SurveySides;
  readonly answers: Answers;
  /** Shows values of people. */
  readonly isRevealed: boolean;
  readonly signal: AbortSignal;
}

/** Returns the questions of a sync and its configuration. What is not proven is out until it is answered. */
export async function showSetUp(app: AppIo, sync: string, { sides, signal, ...given }: SetUpOrder): Promise<SetUp> {
  const { settings } = findSync(sync, app.engine.syncs);
  const survey = await app.surveys(sync, sides, signal);
  const proposal = propose(survey, given.answers);
  const { rows, users, people } = proposal;
  return {
    ...{ sync, rows, users, yaml: proposalYaml(proposal), cards: cardsOf(proposal, { survey, ...given }) },
    notes: findDrift(survey, propose(survey), settings).notes,
    people: people && peopleSentence(people),
  };
}
