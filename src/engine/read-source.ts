import type { BlockedTally } from '../core/blocked.ts';
import { openCellFindings } from '../core/cell-findings.ts';
import { correctVisibility, type FieldVisibility, watchFields } from '../core/field-visibility.ts';
import type { FieldName } from '../core/fields.ts';
import type { Finding } from '../core/finding.ts';
import type { Mapped, Person, RejectedPerson, SourceRecord } from '../core/person.ts';
import { certifySnapshot, type Snapshot } from '../core/snapshot.ts';
import type { ReadRequest, SourceIo } from '../ports/source.ts';
import { checkFields } from './check-fields.ts';
import type { Reading } from './choose-read.ts';
import type { EngineIo, Sync } from './engine-io.ts';
import { mark, type PeopleIndex } from './people-index.ts';
import { lifecycleTrouble } from './source-says.ts';

/** What a read of the source came to. The people themselves are in the index. */
export interface SourceRead {
  readonly snapshot: Snapshot;
  /** Share of people with a value, per mapped field. */
  readonly fillRates: Readonly<Partial<Record<FieldName, number>>>;
  /** Which of the fields that the mapping reads came for anybody at all. */
  readonly visibility: FieldVisibility;
  /** What the source says it was asked for and gave for nobody. */
  readonly notReturned: readonly string[];
  readonly evidence: string | undefined;
  /** People of whom the source says something that can be acted on. */
  readonly usable: number;
  /** The instant before the read began (epoch ms). */
  readonly readAt: number;
}

export interface ReadJob {
  readonly sync: Sync;
  readonly reading: Reading;
  readonly previous: SourceIo['previous'];
  readonly index: PeopleIndex;
  /** Only these people are decided about; the others are filed as bystanders. */
  readonly focus: ReadonlySet<string> | undefined;
  /** When the run began; undefined for a plan that is only shown. */
  readonly runAt?: number | undefined;
  /** Counts the people whose lifecycle dates cannot be read, whether or not they need a decision. */
  readonly blocked?: Pick<BlockedTally, 'add'> | undefined;
  readonly signal: AbortSignal;
  readonly find: (finding: Finding) => void;
  /** Called for every record, after it was mapped. */
  readonly onRecord?: ((record: SourceRecord, mapped: Mapped) => void) | undefined;
}

/** Reads the source once, maps every record and files it in the index. */
export async function readSource(job: ReadJob, io: EngineIo): Promise<SourceRead> {
  const { sync, signal, find } = job;
  const now = io.clock.now();
  const request = readRequest(job);
  const named = job.reading.kind === 'point' ? new Set(job.reading.identifications) : job.focus;
  const twins = new Set([...(named ?? [])].map((identification) => identification.toLowerCase()));
  const filled = new Map<FieldName, number>();
  const watch = watchFields(sync.mapping.reads);
  const cells = openCellFindings();
  let people = 0;
  let usable = 0;
  let unreadable = 0;
  let rows = 0;

  const file = (mapped: Mapped): void => {
    if (mapped.kind === 'unreadable') {
      unreadable += 1;
      find({ code: 'row-unreadable', at: mapped.at, message: `${mapped.at} names nobody: ${mapped.reason}` });
      return;
    }
    const { identification } = mapped;
    const isUsable = mapped.kind === 'person' && mapped.standing !== 'unknown';
    const isNamed = named === undefined || named.has(identification);
    if (isUsable && (isNamed || job.reading.kind === 'full')) usable += 1;
    // A person who differs from a named one only by case is filed too: then neither is changed.
    const isTwin = !isNamed && twins.has(identification.toLowerCase());
    if (!isNamed && !isTwin && job.focus === undefined) return;
    filePerson(mapped, job);
    if (!isNamed) {
      job.index.set(job.index.find(identification).slot, isTwin ? mark.conflict : mark.bystander);
      return;
    }
    if (mapped.kind !== 'person') return;
    people += 1;
    cells.see(mapped);
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
        const snapshot = certifySnapshot({
          kind: job.reading.kind,
          end: next.value,
          unreadable,
          readAt: now,
          runAt: job.runAt,
        });
        for (const gap of snapshot.gaps)
          find({ code: 'source-incomplete', message: `${proofless[snapshot.kind]}: ${gap}` });
        for (const finding of cells.all()) find(finding);
        for (const note of next.value.notes ?? []) find({ code: 'source-note', message: note });
        const fillRates = Object.fromEntries(
          sync.mapping.fields.map((name) => [name, people === 0 ? 0 : (filled.get(name) ?? 0) / people]),
        );
        const { notReturned = [] } = next.value;
        const evidence = next.value.complete ? next.value.evidence : undefined;
        const visibility = correctVisibility(watch.visibility(), notReturned);
        return { snapshot, fillRates, visibility, notReturned, evidence, usable, readAt: now };
      }
      for (const { at, reason } of next.value.broken) {
        unreadable += 1;
        find({ code: 'row-unreadable', at, message: `${at} cannot be read: ${reason}` });
      }
      for (const record of next.value.records) {
        watch.see(record);
        const mapped = sync.mapping.map(record, now);
        const done = mapped instanceof Promise ? await mapped : mapped;
        file(done);
        job.onRecord?.(record, done);
      }
      rows += next.value.records.length;
      io.progress({ step: 'reading', rows });
    }
  } finally {
    // Whatever failed here (a full disk), the source closes its sockets, files and transactions.
    await reading.return({ complete: false, rows, reasons: ['stopped'] });
  }
}

/** What is missing without proof. */
const proofless = {
  full: 'the read proves nothing about absence',
  delta: 'the read may lack somebody who has changed',
  point: 'the read may lack somebody who was asked for',
} as const;

function readRequest({ reading, sync }: ReadJob): ReadRequest {
  switch (reading.kind) {
    case 'full':
      return { kind: 'full' };
    case 'delta':
      return { kind: 'delta', since: new Date(reading.since).toISOString() };
    case 'point':
      return reading.readsAll ? { kind: 'full' } : pointRequest(reading.identifications, sync);
  }
}

/** Named people are looked up by their key where the mapping takes it as it is; else everybody is read and sifted here. */
export function pointRequest(identifications: readonly string[], { mapping }: Sync): ReadRequest {
  const field = mapping.identificationField;
  return field === undefined ? { kind: 'full' } : { kind: 'point', identifications, field };
}

function filePerson(person: Person | RejectedPerson, { index, sync, find, blocked }: ReadJob): void {
  const { identification, at } = person;
  const known = index.find(identification);
  if (known.slot !== -1) {
    index.set(known.slot, mark.conflict);
    const other = index.person(known.slot);
    const both = `${'at' in other ? other.at : 'another record'} and ${at}`;
    if (known.isExact)
      find({ code: 'duplicate-key', identification, at, message: `${both} both say they are ${identification}` });
    else {
      const names = `${other.identification} and ${identification}`;
      find({ code: 'case-conflict', identification, at, message: `${both} differ only by case: ${names}` });
    }
    return;
  }
  const slot = index.add(identification);
  index.fill(slot, person);
  index.set(slot, mark.inSource);
  if (person.kind === 'rejected') return;
  if (person.standing === 'active') index.set(slot, mark.usable | mark.active);
  if (person.standing === 'leaver') index.set(slot, mark.usable | mark.leaver);
  if (!person.isInScope) index.set(slot, mark.outOfScope);
  const undated = person.standing === 'active' && person.isInScope ? lifecycleTrouble(person) : undefined;
  if (undated !== undefined) {
    index.set(slot, mark.undated);
    blocked?.add({ kind: 'row-refused', at, column: undated.column, reason: undated.reason });
  }
  const { email } = person.fields;
  if (email === undefined || email === '' || !sync.settings.match.includes('email') || person.standing !== 'active')
    return;
  // Only people who are to have an account claim an e-mail: leavers, future hires and people out of scope do not.
  if (!person.isInScope) return;
  const holder = index.findEmail(email);
  index.addEmail(email, slot);
  if (holder === -1) return;
  const other = index.person(holder);
  const place = 'at' in other ? other.at : '?';
  const message = `${other.identification} (${place}) and ${identification} (${at}) have the same e-mail`;
  // Each is named once: a later delta, which may show one of them, knows them by this.
  if (!index.has(holder, mark.conflict))
    find({ code: 'email-conflict', identification: other.identification, at: place, message });
  find({ code: 'email-conflict', identification, at, message, other: other.identification });
  index.set(slot, mark.conflict);
  index.set(holder, mark.conflict);
}
