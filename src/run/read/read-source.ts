import type { BlockedTally } from '../../core/guard/blocked.ts';
import { type ColumnFacts, type FilledColumns, openOrders } from '../../core/guard/columns.ts';
import { openPaddingFindings } from '../../core/guard/damage.ts';
import { correctVisibility, type FieldVisibility, watchFields, withInputs } from '../../core/guard/field-visibility.ts';
import { openBudget } from '../../core/person/field-rule.ts';
import type { FieldName } from '../../core/person/fields.ts';
import { lookAlikeKey } from '../../core/person/identification.ts';
import type { Mapped, SourceRecord } from '../../core/person/person.ts';
import { compileSourcePath } from '../../core/person/source-path.ts';
import { certifySnapshot, type Snapshot } from '../../core/plan/snapshot.ts';
import type { Finding } from '../../core/run/finding.ts';
import { openCellFindings } from '../../core/run/finding.ts';
import { countOf } from '../../core/run/formats.ts';
import type { SourceIo } from '../../ports/source.ts';
import type { Edit } from '../edit.ts';
import type { EngineIo, Sync } from '../engine-io.ts';
import { checkFields, type Reading, sourceRequest } from './choose-read.ts';
import { openRecordFiling } from './file-records.ts';
import { mark, type PeopleIndex } from './people-index.ts';

/** The result of a read of the source. The people are in the index. */
export interface SourceRead {
  readonly snapshot: Snapshot;
  /** Share of people with a value, per mapped field. */
  readonly fillRates: Readonly<Partial<Record<FieldName, number>>>;
  /** Why most people without a value have none, per mapped field: where their cells cannot be read. */
  readonly unreadable: Readonly<Partial<Record<FieldName, string>>>;
  /** The cells that cannot be read, by their use. */
  readonly cells: ColumnFacts['unreadable'];
  /** The share of people with a value, of the columns that decide who works here. */
  readonly filled: FilledColumns;
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
  /** The people whom a point read names and of whom it returned no record. */
  readonly unknown: readonly string[];
  /** Time just before the read began (epoch ms). */
  readonly readAt: number;
}

export interface ReadJob {
  readonly sync: Sync;
  readonly reading: Reading;
  readonly previous: SourceIo['previous'];
  readonly index: PeopleIndex;
  /** Where the records go as the configuration before an edit maps them. Undefined: there is nothing to compare. */
  readonly earlier?: Edit['people'];
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
  const { sync, signal, find } = job;
  const now = io.clock.now();
  const request = sourceRequest(job.reading, sync);
  const named = job.reading.kind === 'point' ? new Set(job.reading.identifications) : job.focus;
  const twins = new Set([...(named ?? [])].flatMap((name) => [name.toLowerCase(), lookAlikeKey(name)]));
  const unknown = new Set(job.reading.kind === 'point' ? job.reading.identifications : []);
  const filled = new Map<FieldName, number>();
  const watch = watchFields([...withInputs(sync.mapping.readers, sync.source.derives).readers.keys()]);
  const cells = openCellFindings();
  const padding = openPaddingFindings(sync.mapping.identificationField ?? 'identification');
  const orders = openOrders(dateFormats(sync));
  const scopes = openScopeFill(sync);
  const dated = { hireDate: 0, leaveDate: 0 };
  const filing = openRecordFiling(job);
  const budget = openBudget(signal);
  const earlierBudget = openBudget(signal);
  let people = 0;
  let usable = 0;
  let unreadable = 0;
  let rows = 0;

  const isTwinOf = (identification: string): boolean =>
    twins.has(identification.toLowerCase()) || twins.has(lookAlikeKey(identification));
  const fileEarlier = (mapped: Mapped): void => {
    if (mapped.kind === 'unreadable') return;
    const { identification } = mapped;
    const isRead = named === undefined || named.has(identification) || job.focus !== undefined;
    if (isRead || isTwinOf(identification)) job.earlier?.filing.file(mapped);
  };
  const file = (mapped: Mapped): void => {
    if (mapped.kind === 'unreadable') {
      unreadable += 1;
      find({ code: 'row-unreadable', at: mapped.at, message: `${mapped.at} has no identification: ${mapped.reason}` });
      return;
    }
    const { identification } = mapped;
    unknown.delete(identification);
    padding.see(mapped);
    const isUsable = mapped.kind === 'person' && mapped.standing !== 'unknown';
    const isNamed = named === undefined || named.has(identification);
    if (isUsable && (isNamed || job.reading.kind === 'full')) usable += 1;
    // A person whose name differs from a named one only by case or looks like it is stored too. Then neither is changed.
    const isTwin = !isNamed && isTwinOf(identification);
    if (!isNamed && !isTwin && job.focus === undefined) return;
    filing.file(mapped);
    if (!isNamed) {
      job.index.set(job.index.find(identification).slot, isTwin ? mark.conflict : mark.bystander);
      return;
    }
    if (mapped.kind !== 'person') return;
    people += 1;
    cells.see(mapped);
    orders.see(mapped);
    if (mapped.hires !== undefined) dated.hireDate += 1;
    if (mapped.leaves !== undefined) dated.leaveDate += 1;
    for (const name of sync.mapping.fields) {
      const value = mapped.fields[name];
      if (value !== undefined && value !== '') filled.set(name, (filled.get(name) ?? 0) + 1);
    }
  };

  const { previous } = job;
  const sourceIo = { clock: io.clock, logger: io.logger, signal, previous };
  await checkFields(sync, sourceIo);
  const reading = sync.source.read(request, sourceIo);
  try {
    for (let next = await reading.next(); ; next = await reading.next()) {
      if (next.done === true) {
        filing.settle();
        job.earlier?.filing.settle();
        const snapshot = certifySnapshot({
          kind: job.reading.kind,
          end: next.value,
          unreadable,
          shared: filing.shared(),
          readAt: now,
          runAt: job.runAt,
        });
        for (const gap of snapshot.gaps)
          find({ code: 'source-incomplete', message: `${proofless[snapshot.kind]}: ${gap}` });
        const waiting = snapshot.leavers === undefined ? countLeavers(job.index) : 0;
        if (waiting > 0) find({ code: 'source-incomplete', message: leaversWait(waiting) });
        for (const finding of [...cells.all(), ...padding.all()]) find(finding);
        for (const note of next.value.notes ?? []) find({ code: 'source-note', message: note });
        const fillRates = Object.fromEntries(
          sync.mapping.fields.map((name) => [name, people === 0 ? 0 : (filled.get(name) ?? 0) / people]),
        );
        const unreadableFields = Object.fromEntries(
          sync.mapping.fields.flatMap((name) => {
            const worst = cells.worst(name);
            const blank = people - (filled.get(name) ?? 0);
            return worst === undefined || worst.count * 2 <= blank ? [] : [[name, worst.cause]];
          }),
        );
        const { notReturned = [] } = next.value;
        const share = (count: number, all: number): number => (all === 0 ? 0 : count / all);
        const hireDate = share(dated.hireDate, people);
        const leaveDate = share(dated.leaveDate, people);
        const evidence = next.value.complete ? next.value.evidence : undefined;
        const visibility = correctVisibility(watch.visibility(), notReturned);
        return {
          snapshot,
          fillRates,
          unreadable: unreadableFields,
          cells: cells.unreadable(),
          filled: { hireDate, leaveDate, ...scopes.filled() },
          untold: orders.untold(),
          people,
          visibility,
          notReturned,
          evidence,
          usable,
          unknown: [...unknown],
          readAt: now,
        };
      }
      for (const { at, reason } of next.value.broken) {
        unreadable += 1;
        find({ code: 'row-unreadable', at, message: `${at} cannot be read: ${reason}` });
      }
      const { records } = next.value;
      // The expressions of a page are evaluated together, so none is waited for here.
      const page = records.map((record) => sync.mapping.map(record, now, budget));
      const before = job.earlier && records.map((record) => job.earlier?.mapping.map(record, now, earlierBudget));
      for (const [i, record] of records.entries()) {
        watch.see(record);
        scopes.see(record);
        const mapped = page[i] as (typeof page)[number];
        const done = mapped instanceof Promise ? await mapped : mapped;
        // Evaluations that were stopped say nothing about their records.
        if (mapped instanceof Promise) signal.throwIfAborted();
        file(done);
        const earlier = await before?.[i];
        if (earlier !== undefined) fileEarlier(earlier);
        job.onRecord(record, done);
      }
      rows += next.value.records.length;
      io.progress({ step: 'reading', rows });
    }
  } finally {
    // After any failure here (for example a full disk), the source closes its sockets, files and transactions.
    await reading.return({ complete: false, rows, reasons: ['stopped'] });
  }
}

/** Counts the rows in which a column of `scope` has a value: the emptiest one. */
function openScopeFill({ mapping: { readers } }: Sync) {
  const paths = [...readers].filter(([, names]) => names.includes('scope')).map(([path]) => path);
  const columns = paths.map((path) => ({ get: compileSourcePath(path), filled: 0 }));
  let rows = 0;
  return {
    see({ fields }: SourceRecord): void {
      rows += 1;
      for (const column of columns) {
        const value = column.get(fields);
        if (value !== undefined && value !== null && value !== '') column.filled += 1;
      }
    },
    filled: (): FilledColumns => {
      const least = Math.min(...columns.map(({ filled }) => filled));
      return columns.length === 0 || rows === 0 ? {} : { scope: least / rows };
    },
  };
}

/** Returns the format of each use that is a date. */
export function dateFormats({ settings: { mapping, lifecycle } }: Sync): ColumnFacts['formats'] {
  const mapped = Object.entries(mapping.fields).map(([name, rule]) => [name, rule?.format] as const);
  const dates = ['hireDate', 'leaveDate'].map((use) => [use, lifecycle?.dateFormat] as const);
  return Object.fromEntries([...mapped, ...dates].filter(([, format]) => format !== undefined));
}

/** Returns how many people left by their own record. */
function countLeavers(index: PeopleIndex): number {
  let count = 0;
  for (let slot = 0; slot < index.size; slot += 1) {
    if (index.has(slot, mark.leaver) && !index.hasAny(slot, mark.outOfScope | mark.bystander)) count += 1;
  }
  return count;
}

/** Says that a read without proof disables no one, not even people whose own record says that they left. */
function leaversWait(count: number): string {
  const who = countOf(count, 'person', 'people');
  return `${who} in this read left. An account of theirs that is enabled stays enabled until a complete read`;
}

/** What a read lacks when it has no proof of completeness. */
const proofless = {
  full: 'the read cannot prove that a person is missing',
  delta: 'the read may lack a person who changed',
  point: 'the read may lack a requested person',
} as const;
