import type { BlockedTally } from '../../core/guard/blocked.ts';
import { type ColumnFacts, type FilledColumns, openOrders } from '../../core/guard/columns.ts';
import { type DecidingColumns, hashOf, openDecidingColumn } from '../../core/guard/deciding-columns.ts';
import { correctVisibility, type FieldVisibility, watchFields, withInputs } from '../../core/guard/field-visibility.ts';
import { withEarlier } from '../../core/person/earlier.ts';
import { openBudget } from '../../core/person/field-rule.ts';
import type { FieldName } from '../../core/person/fields.ts';
import { lookAlikeKey } from '../../core/person/identification.ts';
import type { CompiledMapping } from '../../core/person/mapping.ts';
import type { Mapped, Person, SourceRecord } from '../../core/person/person.ts';
import { compileSourcePath } from '../../core/person/source-path.ts';
import { certifySnapshot, type ReadEnd, type Snapshot } from '../../core/plan/snapshot.ts';
import type { Finding } from '../../core/run/finding.ts';
import { openCellFindings } from '../../core/run/finding.ts';
import { given } from '../../core/run/given.ts';
import type { ReadProfile } from '../../ports/reads.ts';
import type { BrokenRecord, SourceIo } from '../../ports/source.ts';
import type { EngineIo, Sync } from '../engine-io.ts';
import { checkFields, type Reading, sourceRequest } from './choose-read.ts';
import { openRecordFiling } from './file-records.ts';
import { mark } from './marks.ts';
import type { PeopleIndex } from './people-index.ts';
import { openTotalRows } from './total-rows.ts';

/** The result of a read of the source. The people are in the index. */
export interface SourceRead {
  readonly snapshot: Snapshot;
  /** Share of people with a value, per mapped field. */
  readonly fillRates: Readonly<Partial<Record<FieldName, number>>>;
  /** Why most people without a value have none, per mapped field: where their cells cannot be read. */
  readonly unreadable: Readonly<Partial<Record<FieldName, string>>>;
  /** The cells that cannot be read, by their use. */
  readonly cells: ColumnFacts['unreadable'];
  /** The share of people with a value, of the dates that decide who works here. */
  readonly filled: FilledColumns;
  readonly deciding: DecidingColumns;
  /** The uses of dates of which no cell shows the order of day and month. */
  readonly untold: ColumnFacts['untold'];
  /** Number of people who are decided about. */
  readonly people: number;
  /** Which of the fields that the mapping reads have a value for at least one person. */
  readonly visibility: FieldVisibility;
  /** Fields that the source reports as requested and not returned for any person. */
  readonly notReturned: readonly string[];
  readonly evidence: string | undefined;
  /** Number of people whose records allow a decision. */
  readonly usable: number;
  /** The people whom a point read names and of whom it returned no record. `meant`: differs only by case or look-alikes. */
  readonly unknown: readonly { readonly identification: string; readonly meant: string | undefined }[];
  /** What the next read is compared with. */
  readonly profile: ReadProfile;
  /** Time just before the read began (epoch ms). */
  readonly readAt: number;
  /** What ended the read before its end. No plan is made from such a read. */
  readonly stoppedBy?: unknown;
}

export interface ReadJob {
  readonly sync: Sync;
  readonly reading: Reading;
  readonly previous: SourceIo['previous'];
  readonly answers?: NonNullable<SourceIo['answers']>;
  readonly index: PeopleIndex;
  /** Maps each record a second time, as the configuration did before: see `withEarlier`. */
  readonly earlier?: Pick<CompiledMapping, 'map'> | undefined;
  /** Only these people are decided about. The others are stored as bystanders. */
  readonly focus: ReadonlySet<string> | undefined;
  /** When the run began. */
  readonly runAt: number;
  /** Counts the people whose lifecycle dates are unreadable, whether or not they need a decision. */
  readonly blocked: Pick<BlockedTally, 'add' | 'addRows'> | undefined;
  readonly signal: AbortSignal;
  readonly find: (finding: Finding) => void;
  /** Called for every record after mapping. */
  readonly onRecord: (record: SourceRecord, mapped: Mapped) => void;
}

/** Reads the source once, maps every record and stores it in the index. */
export async function readSource(job: ReadJob, io: EngineIo): Promise<SourceRead> {
  const { sync, signal, previous, answers } = job;
  const reader = openReader(job, io.clock.now());
  const sourceIo = { clock: io.clock, logger: io.logger, signal, previous, ...given({ answers }) };
  await checkFields(sync, sourceIo);
  const pages = sync.source.read(sourceRequest(job.reading, sync), sourceIo);
  let rows = 0;
  try {
    for (let next = await pages.next(); ; next = await pages.next()) {
      if (next.done === true) return await reader.end(await settleDoubts(next.value, job, io), io);
      for (const row of next.value.broken) reader.broken(row);
      await reader.take(next.value.records);
      rows += next.value.records.length;
      io.progress({ step: 'reading', rows });
    }
  } catch (error) {
    if (rows === 0 || signal.aborted) throw error;
    // The rows that were read may name people who left.
    return {
      ...(await reader.end({ complete: false, rows, reasons: ['the read stopped before its end'] }, io)),
      stoppedBy: error,
    };
  } finally {
    // After any failure here (for example a full disk), the source closes its sockets, files and transactions.
    await pages.return({ complete: false, rows, reasons: ['stopped'] });
  }
}

/** Takes back the doubts about a read of which the read before it had the same. */
async function settleDoubts(end: ReadEnd, { sync, reading }: ReadJob, { store }: EngineIo): Promise<ReadEnd> {
  if (!end.complete || end.doubts === undefined || reading.kind !== 'full') return end;
  const before = await store.reads.latest(sync.settings.name);
  if (before?.isAccepted !== false || before.profile?.doubts?.join('\n') !== end.doubts.join('\n')) return end;
  const { doubts, ...settled } = end;
  return { ...settled, notes: [...(end.notes ?? []), ...doubts.map((doubt) => `${doubt}: so was the read before it`)] };
}

/** Maps and files the records of a read, and judges at its end what the read proves. */
function openReader(job: ReadJob, now: number) {
  const { sync, signal, find } = job;
  const names = openNames(job);
  const facts = openPeopleFacts(sync);
  const filing = openRecordFiling(job);
  const totals = openTotalRows(sync.settings.name, job.index, find);
  const budget = openBudget(signal);
  const earlierBudget = openBudget(signal);
  let usable = 0;
  let unreadable = 0;

  const file = (mapped: Mapped): void => {
    if (mapped.kind === 'unreadable') {
      unreadable += 1;
      find({ code: 'row-unreadable', at: mapped.at, message: `${mapped.at}: the identification ${mapped.reason}` });
      return;
    }
    const { identification } = mapped;
    names.see(identification);
    const place = names.placeOf(identification);
    const isUsable = mapped.kind === 'person' && mapped.standing !== 'unknown';
    if (isUsable && (place === 'decided' || job.reading.kind === 'full')) usable += 1;
    if (place === 'unread') return;
    filing.file(mapped);
    if (place !== 'decided') {
      job.index.set(job.index.find(identification).slot, place === 'twin' ? mark.conflict | mark.left : mark.bystander);
    } else if (mapped.kind === 'person') facts.person(mapped);
  };

  const takeOne = (record: SourceRecord, mapped: Mapped, earlier: Mapped | undefined): void => {
    facts.record(record, mapped);
    const { mapped: filed, elsewhere } = earlier === undefined ? { mapped } : withEarlier(mapped, earlier);
    const take = (): void => {
      file(filed);
      job.onRecord(record, mapped);
    };
    if (totals.keep(record, filed, take)) return;
    file(filed);
    if (elsewhere !== undefined && names.placeOf(elsewhere.identification) === 'decided') filing.fileEarlier(elsewhere);
    job.onRecord(record, mapped);
  };

  return {
    broken(row: BrokenRecord): void {
      const { at, reason } = row;
      const take = (): void => {
        unreadable += 1;
        find({ code: 'row-unreadable', at, message: `${at} cannot be read: ${reason}` });
      };
      if (!totals.keepBroken(row, take)) take();
    },
    async take(records: readonly SourceRecord[]): Promise<void> {
      // The expressions of a page are evaluated together, so its records wait for each other where one is not done at once.
      const waiting: (() => Promise<void>)[] = [];
      for (const record of records) {
        const mapped = sync.mapping.map(record, now, budget);
        const earlier = job.earlier?.map(record, now, earlierBudget);
        if (waiting.length === 0 && !(mapped instanceof Promise) && !(earlier instanceof Promise)) {
          takeOne(record, mapped, earlier);
          continue;
        }
        waiting.push(async () => {
          const done = await mapped;
          // Evaluations that were stopped say nothing about their records.
          if (mapped instanceof Promise) signal.throwIfAborted();
          takeOne(record, done, await earlier);
        });
      }
      for (const finish of waiting) await finish();
    },
    async end(end: ReadEnd, io: EngineIo): Promise<SourceRead> {
      await totals.settle(io);
      filing.settle();
      const { kind } = job.reading;
      const snapshot = certifySnapshot({
        kind,
        end,
        unreadable,
        shared: filing.shared(),
        readAt: now,
        runAt: job.runAt,
      });
      for (const gap of snapshot.gaps) find({ code: 'source-incomplete', message: `${proofless[kind]}: ${gap}` });
      for (const finding of facts.findings()) find(finding);
      for (const note of end.notes ?? []) find({ code: 'source-note', message: note });
      const { notReturned = [] } = end;
      const evidence = end.complete ? end.evidence : undefined;
      const shown = facts.all(notReturned);
      const { distinct, ...rest } = shown;
      const { deciding } = shown;
      const profile = given({
        answers: end.answers,
        doubts: end.complete ? end.doubts : undefined,
        distinct,
        deciding,
        doubled: filing.doubled(),
      });
      return { ...rest, snapshot, notReturned, evidence, usable, unknown: names.unknown(), profile, readAt: now };
    },
  };
}

/**
 * Tells where a person of a read belongs: decided about, stored as a twin (the name differs from a named one only by case
 * or looks like it, so neither is changed), stored as a bystander, or not stored.
 */
function openNames({ reading, focus }: ReadJob) {
  const asked = reading.kind === 'point' ? reading.identifications : [];
  const named = reading.kind === 'point' ? new Set(asked) : focus;
  const twins = new Set([...(named ?? [])].flatMap((name) => [name.toLowerCase(), lookAlikeKey(name)]));
  const unknown = new Set(asked);
  /** By what a twin shares with a named person: how the source writes it. */
  const written = new Map<string, string>();
  return {
    placeOf(identification: string): 'decided' | 'twin' | 'bystander' | 'unread' {
      if (named === undefined || named.has(identification)) return 'decided';
      if (twins.has(identification.toLowerCase()) || twins.has(lookAlikeKey(identification))) {
        written.set(lookAlikeKey(identification), identification);
        return 'twin';
      }
      return focus === undefined ? 'unread' : 'bystander';
    },
    see: (identification: string): void => void unknown.delete(identification),
    /** The people whom the request names and no record does, and who is perhaps meant. */
    unknown: (): SourceRead['unknown'] =>
      [...unknown].map((identification) => ({ identification, meant: written.get(lookAlikeKey(identification)) })),
  };
}

/** So many people show whether the values of a column differ from person to person. */
const firstPeople = 256;

/** Collects what a read shows of its columns: of all records, and of the people who are decided about. */
function openPeopleFacts(sync: Sync) {
  const { fields } = sync.mapping;
  const filled = fields.map(() => 0);
  const watch = watchFields([...withInputs(sync.mapping.readers, sync.source.derives).readers.keys()]);
  const cells = openCellFindings();
  const orders = openOrders(dateFormats(sync));
  const decides = openDeciding(sync);
  const dated = { hireDate: 0, leaveDate: 0 };
  const values = fields.map(() => new Set<string>());
  let people = 0;
  const shareOf = (count: number): number => (people === 0 ? 0 : count / people);
  const distinctShare = (i: number): number =>
    (values[i]?.size ?? 0) / Math.max(1, Math.min(filled[i] ?? 0, firstPeople));
  return {
    record(record: SourceRecord, mapped: Mapped): void {
      watch.see(record);
      decides.see(record, mapped);
    },
    person(person: Person): void {
      people += 1;
      cells.see(person);
      orders.see(person);
      if (person.hires !== undefined) dated.hireDate += 1;
      if (person.leaves !== undefined) dated.leaveDate += 1;
      for (let i = 0; i < fields.length; i += 1) {
        const value = person.fields[fields[i] as FieldName];
        if (value === undefined || value === '') continue;
        filled[i] = (filled[i] ?? 0) + 1;
        if (people <= firstPeople) values[i]?.add(value);
      }
    },
    findings: () => cells.all(),
    all(notReturned: readonly string[]) {
      const unreadable = fields.flatMap((name, i) => {
        const worst = cells.worst(name);
        const blank = people - (filled[i] ?? 0);
        return worst === undefined || worst.count * 2 <= blank ? [] : [[name, worst.cause] as const];
      });
      return {
        people,
        fillRates: Object.fromEntries(fields.map((name, i) => [name, shareOf(filled[i] ?? 0)])),
        unreadable: Object.fromEntries(unreadable),
        cells: cells.unreadable(),
        filled: { hireDate: shareOf(dated.hireDate), leaveDate: shareOf(dated.leaveDate) },
        deciding: decides.all(),
        untold: orders.untold(),
        distinct: Object.fromEntries(fields.map((name, i) => [name, distinctShare(i)])),
        visibility: correctVisibility(watch.visibility(), notReturned),
      };
    },
  };
}

/** Watches the columns that decide who works here: those of scope, status and last day of work. */
function openDeciding({ mapping: { readers } }: Sync) {
  const paths = [...readers].filter(([, names]) => names.some((name) => deciding.includes(name)));
  const columns = paths.map(([path, names]) => {
    return { path, get: compileSourcePath(path), watch: openDecidingColumn(names.includes('scope')) };
  });
  return {
    see({ fields }: SourceRecord, mapped: Mapped): void {
      if (columns.length === 0) return;
      const person = hashOf(mapped.kind === 'unreadable' ? '' : mapped.identification);
      const isPerson = mapped.kind === 'person';
      const isOutside = isPerson && !mapped.isInScope;
      const row = { isOutside, works: isPerson && !isOutside && mapped.standing === 'active' };
      for (const { get, watch } of columns) watch.see(get(fields), person, row);
    },
    all: (): DecidingColumns => Object.fromEntries(columns.map(({ path, watch }) => [path, watch.result()])),
  };
}

const deciding = ['scope', 'lifecycle.status', 'lifecycle.leaveDate'];

/** Returns the format of each use that is a date. */
export function dateFormats({ settings: { mapping, lifecycle } }: Sync): ColumnFacts['formats'] {
  const mapped = Object.entries(mapping.fields).map(([name, rule]) => [name, rule?.format] as const);
  const { dateFormat: hireDate, leaveDateFormat: leaveDate = hireDate } = lifecycle ?? {};
  return Object.fromEntries(
    [...mapped, ...Object.entries({ hireDate, leaveDate })].filter(([, format]) => format !== undefined),
  );
}

/** What a read lacks when it has no proof of completeness. */
const proofless = {
  full: 'the read cannot prove that a person is missing',
  delta: 'the read may lack a person who changed',
  point: 'the read may lack a requested person',
} as const;
