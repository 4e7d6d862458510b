import { describe, expect, it } from 'vitest';
import {
  correctVisibility,
  type FieldVisibility,
  watchFields,
  withInputs,
} from '../../src/core/guard/field-visibility.ts';
import { statusField } from '../../src/core/person/lifecycle.ts';
import type { ReadEnd } from '../../src/core/plan/snapshot.ts';
import type { ReadRequest, Source, SourceIo, SourcePage } from '../../src/ports/source.ts';
import { drawFrom } from '../support/drawn.ts';
import { FastClock } from '../support/fast-clock.ts';
import { memoryLogger } from '../support/memory-logger.ts';
import { whenQuiet } from '../support/taken-bytes.ts';
import { type FaultName, faultNames, sourceFaults } from './source-faults.ts';

/** What a kind, or a variant of it, brings to the suite. Exported by `test/sources/<kind>/under-test.ts`. */
export interface SourceCase {
  /** The kind, with the variant in brackets: `personio (v2)`. */
  readonly name: string;
  /** A source whose HR system has five pages of people or more, and plays the fault, if one is named. */
  prepare(fault?: FaultName, crowd?: Crowd): Promise<SourceUnderTest>;
  /** Faults that cannot happen to this kind, each with why; it plays all others. */
  readonly impossible: Readonly<Partial<Record<FaultName, string>>>;
  /**
   * Fields of the HR system, as they are called on the wire, from which the kind derives the status. Absent for a kind
   * that derives none.
   */
  readonly statusInputs?: readonly string[];
  /** Fields that the kind picks from lists, each with what it reads inside the elements, as it is called on the wire. */
  readonly pickInputs?: Readonly<Record<string, readonly string[]>>;
  /** What is taken before it is asked for, where that is more than a page; the suite sees whether it is so. */
  readonly ahead?: ReadAhead;
}

/** How many people an HR system has. Absent: `few`. `many` are longer than the buffers between it and its reader. */
export type Crowd = 'few' | 'many';

/** The crowd of a kind with pages of any size: five of them. */
export function pagesOf(crowd: Crowd = 'few'): { readonly count: number; readonly pageSize: number } {
  return crowd === 'many' ? { count: 750, pageSize: 150 } : { count: 40, pageSize: 8 };
}

export interface ReadAhead {
  /** `buffers`: what fits between a server and its reader; `everybody`: all, or a list of all; `unseen`: cannot be measured. */
  readonly kind: 'buffers' | 'everybody' | 'unseen';
  readonly why: string;
}

/** What a kind's own test prepares: a source whose HR system holds these people and no others. */
export interface SourceUnderTest {
  readonly source: Source;
  /** The field that names a person. */
  readonly field: string;
  /** Identifications of everybody, enough of them that there are several pages. */
  readonly identifications: readonly string[];
  /** Resources that reading holds open at this moment (file handles, sockets under way, cursors, transactions). */
  openResources(): number;
  /** Bytes that were taken so far off sockets to the HR system, or from its file. */
  readonly bytesTaken?: () => number;
  /** `capabilities.delta`: lets some people change at `changeInstant`, and tells what a delta since then has to give. */
  change?(): Promise<{ readonly since: string; readonly changed: readonly string[] }>;
  /** Kinds that derive the status: takes a right away, so that the HR system shows the field for nobody any more. */
  withdraw?(wireName: string): void;
  /** Damages the records of some people: each with the damage of its number. Returns how many damages a record has. */
  spoil?(owners: readonly string[], numbers: ReadonlyMap<string, number>): { readonly most: number };
  /** After a fault: throws when the HR system saw what it must not see (a credential at another host). */
  verify?(): void;
}

const someInstant = Date.UTC(2026, 10, 21, 12);
const changeInstant = Date.UTC(2026, 10, 21, 11);

/** Of a socket, of the HTTP client and of what takes JSON apart: 64 KB each, and some. */
const bufferBytes = 256 * 1024;

/** Everything one read gave. */
export interface WholeRead {
  readonly pages: readonly SourcePage[];
  readonly end: ReadEnd;
}

export function sourceIo(more: Partial<SourceIo> = {}): SourceIo {
  return {
    clock: new FastClock(someInstant, 1_000),
    logger: memoryLogger(),
    signal: new AbortController().signal,
    previous: undefined,
    ...more,
  };
}

/** Reads to the end. */
export async function readWhole(
  source: Source,
  request: ReadRequest = { kind: 'full' },
  io: SourceIo = sourceIo(),
): Promise<WholeRead> {
  const pages: SourcePage[] = [];
  const read = source.read(request, io);
  for (let step = await read.next(); ; step = await read.next()) {
    if (step.done) return { pages, end: step.value };
    pages.push(step.value);
  }
}

/** Reads to the end, and gives the fields of everybody. */
export async function readPeople(source: Source, request?: ReadRequest) {
  const { pages, end } = await readWhole(source, request);
  return { end, people: pages.flatMap(({ records }) => records.map(({ fields }) => fields)) };
}

/** Damages every member of some records in every way, of which this run draws some, and tells each damage that changed anything about another record. */
export async function stoppedByOdd({
  source,
  field,
  identifications,
  spoil,
}: SourceUnderTest): Promise<readonly string[]> {
  if (spoil === undefined) throw new Error('nothing can be damaged');
  const victims = identifications.filter((_, index) => index % 5 === 2 || index % 16 === 0);
  const recordsOf = ({ pages }: WholeRead): ReadonlyMap<unknown, unknown> =>
    new Map(pages.flatMap(({ records }) => records.map(({ fields }) => [fields[field], fields])));
  const counts = spoil(identifications, new Map(victims.map((id) => [id, -1])));
  const before = recordsOf(await readWhole(source));
  const { most } = counts;
  const step = Math.ceil(most / victims.length);
  const stopped: string[] = [];
  const rounds = Array.from({ length: step }, (_, round) => round);
  for (const first of drawFrom(rounds, Math.min(4, step))) {
    const numbers = new Map(victims.map((id, index) => [id, (first + index * step) % most]));
    spoil(identifications, numbers);
    const tell = (what: string): unknown => stopped.push(`${what} (damages ${[...numbers.values()].join(' ')})`);
    const read = await readWhole(source).catch((error: unknown) => tell(String(error)));
    if (typeof read !== 'object' || read === null || !('pages' in read)) continue;
    const whole = read as WholeRead;
    const after = recordsOf(whole);
    const rows = whole.pages.reduce((sum, { records, broken }) => sum + records.length + broken.length, 0);
    if (rows !== identifications.length) tell(`${rows} of ${identifications.length} records`);
    if (!whole.end.complete) tell(whole.end.reasons.join('; '));
    for (const [id, fields] of before) {
      if (numbers.has(String(id)) || JSON.stringify(after.get(id)) === JSON.stringify(fields)) continue;
      tell(`${id} has changed`);
    }
  }
  return stopped;
}

/** Which fields a full read shows of those that a sync watches when it maps one field alone. */
async function readVisibility(source: Source, field = statusField): Promise<FieldVisibility> {
  const { readers } = withInputs(new Map([[field, ['lifecycle.status']]]), source.derives);
  const watch = watchFields([...readers.keys()]);
  const { pages, end } = await readWhole(source);
  for (const { records } of pages) for (const record of records) watch.see(record);
  return correctVisibility(watch.visibility(), end.notReturned ?? []);
}

/** The promises of `ports/source`, for every kind. */
export function sourceContract({
  name,
  prepare,
  impossible,
  ahead,
  statusInputs = [],
  pickInputs = {},
}: SourceCase): void {
  describe(`a ${name} source keeps the contract of every source:`, () => {
    it('a full read gives everybody once, and says what proves it', async () => {
      const { source, field, identifications } = await prepare();

      const { pages, end } = await readWhole(source);

      const read = pages.flatMap(({ records }) => records.map(({ fields }) => fields[field]));
      expect([...read].sort()).toEqual([...identifications].sort());
      expect(end).toMatchObject({ complete: true, rows: identifications.length });
      expect(end).toHaveProperty('evidence', expect.stringMatching(/\w+ \w+/));
    });

    it('two reads of the same people have one stamp', async () => {
      const { source } = await prepare();

      const [first, second] = [await readWhole(source), await readWhole(source)];

      expect(first.end).toHaveProperty('stamp', expect.stringMatching(/./));
      expect(second.end).toEqual(first.end);
    });

    it('a page is bounded and not empty, and each record says where it is from', async () => {
      const { source, identifications } = await prepare(undefined, 'many');

      const { pages } = await readWhole(source);

      const sizes = pages.map(({ records, broken }) => records.length + broken.length);
      expect(Math.max(...sizes)).toBeLessThanOrEqual(Math.min(1_000, identifications.length / 2));
      expect(Math.min(...sizes)).toBeGreaterThan(0);
      const places = new Set(pages.flatMap(({ records }) => records.map(({ at }) => at)));
      expect(places.size).toBe(identifications.length);
    });

    it.skipIf(ahead?.kind === 'unseen')('takes no more ahead of its reader than it says', async () => {
      const { source, identifications, bytesTaken } = await prepare(undefined, 'many');
      if (bytesTaken === undefined) throw new Error('without bytesTaken, `ahead` says why');
      const before = bytesTaken();
      const read = source.read({ kind: 'full' }, sourceIo());

      const first = await read.next();
      const waiting = (await whenQuiet(bytesTaken)) - before;
      while ((await read.next()).done !== true) bytesTaken();
      const whole = bytesTaken() - before;

      const share = first.done === true ? 0 : first.value.records.length / identifications.length;
      const mostAhead = 2 * share * whole + (ahead?.kind === 'buffers' ? bufferBytes : 0);
      expect(mostAhead, 'there are enough people to see it').toBeLessThan(0.9 * whole);
      if (ahead?.kind === 'everybody') expect(waiting).toBeGreaterThan(mostAhead);
      else expect(waiting).toBeLessThanOrEqual(mostAhead);
    });

    it('a reader who stops early is told nothing of completeness, and leaves nothing open', async () => {
      const { source, openResources } = await prepare(undefined, 'many');
      const before = openResources();
      const read = source.read({ kind: 'full' }, sourceIo());

      await read.next();
      const end = await read.return({ complete: false, rows: 0, reasons: ['stopped'] });

      expect(end).toEqual({ done: true, value: { complete: false, rows: 0, reasons: ['stopped'] } });
      expect(openResources()).toBe(before);
    });

    it('a read to the end leaves nothing open', async () => {
      const { source, openResources } = await prepare();
      const before = openResources();

      await readWhole(source);

      expect(openResources()).toBe(before);
    });

    it('an abort stops the read with its reason, before the next page, and leaves nothing open', async () => {
      const { source, openResources } = await prepare(undefined, 'many');
      const before = openResources();
      const abort = new AbortController();
      const read = source.read({ kind: 'full' }, sourceIo({ signal: abort.signal }));
      await read.next();

      abort.abort(new Error('the run was cancelled'));

      await expect(read.next()).rejects.toThrow('the run was cancelled');
      expect(openResources()).toBe(before);
    });

    it('an abort before the start reads nothing', async () => {
      const { source } = await prepare();
      const read = source.read({ kind: 'full' }, sourceIo({ signal: AbortSignal.abort(new Error('too late')) }));

      await expect(read.next()).rejects.toThrow('too late');
    });

    it('a point read gives the people asked for, and nobody else', async () => {
      const { source, field, identifications } = await prepare();
      const asked = [identifications.at(-1) ?? '', identifications[0] ?? '', 'nobody'];

      const { pages, end } = await readWhole(source, { kind: 'point', identifications: asked, field });

      const read = pages.flatMap(({ records }) => records.map(({ fields }) => fields[field]));
      expect([...read].sort()).toEqual(asked.slice(0, 2).sort());
      expect(end.complete).toBe(true);
    });

    it('a lookup of a person whom it does not know is complete, and asks for that person, where it looks people up', async () => {
      const { source, field, identifications, bytesTaken } = await prepare();
      const looksUp = source.capabilities.point && source.looksUp?.(field) !== false;
      const before = bytesTaken?.() ?? 0;
      await readWhole(source);
      const full = (bytesTaken?.() ?? 0) - before;

      const unknown = /^\d+$/.test(identifications[0] ?? '') ? '987654321' : 'nobody';
      const { pages, end } = await readWhole(source, { kind: 'point', identifications: [unknown], field });

      expect([pages.flatMap(({ records }) => records), end.complete]).toEqual([[], true]);
      if (looksUp && bytesTaken !== undefined) expect(bytesTaken() - before - full).toBeLessThan(full / 2);
    });

    it('the fields that it names are those of its records, or it names none', async () => {
      const { source } = await prepare();

      const fields = await source.fields(sourceIo());
      const { pages } = await readWhole(source);

      const inRecords = new Set(pages.flatMap(({ records }) => records.flatMap(({ fields }) => Object.keys(fields))));
      if (fields !== undefined) expect([...fields].sort()).toEqual([...inRecords].sort());
    });

    it('what a derived field reads is declared, and its records show it', async () => {
      const { source } = await prepare();

      const before = await readVisibility(source);

      expect(before[statusField] === true, 'a status is derived where its inputs are known').toBe(
        statusInputs.length > 0,
      );
      const declared = source.derives?.[statusField] ?? [];
      if (statusInputs.length > 0) expect(declared.filter((path) => before[path])).not.toEqual([]);
    });

    it.each([
      ...statusInputs.map((input) => [input, statusField] as const),
      ...Object.entries(pickInputs).flatMap(([field, inputs]) => inputs.map((input) => [input, field] as const)),
    ])('a right to %s that is withdrawn is noticed, although the mapping reads %s alone', async (input, field) => {
      const { source, withdraw } = await prepare();
      if (withdraw === undefined) throw new Error('a kind that derives a field can have a right withdrawn');
      const before = await readVisibility(source, field);

      withdraw(input);
      const after = await readVisibility(source, field).then(
        (shown) => ({ shown }),
        (error: unknown) => ({ error }),
      );

      if ('error' in after) expect(after.error).toMatchObject({ code: expect.stringMatching(/^SOURCE_/) });
      else {
        const vanished = Object.keys(before).filter((path) => before[path] === true && after.shown[path] !== true);
        expect(vanished).not.toEqual([]);
      }
    });

    it('a delta is read only where the source can', async () => {
      const { source } = await prepare();
      if (source.capabilities.delta) return;

      const read = source.read({ kind: 'delta', since: '2026-11-21T00:00:00Z' }, sourceIo());

      await expect(read.next()).rejects.toMatchObject({ code: 'USAGE' });
    });

    it('a delta gives those who changed, and cannot be taken for everybody', async () => {
      const { source, field, identifications, change } = await prepare();
      expect(change !== undefined, 'says whether it can read a delta').toBe(source.capabilities.delta);
      if (change === undefined) return;
      const { since, changed } = await change();

      const { pages } = await readWhole(source, { kind: 'delta', since });

      const read = pages.flatMap(({ records }) => records.map(({ fields }) => String(fields[field])));
      expect(read).toEqual(expect.arrayContaining([...changed]));
      expect(read.length).toBeLessThan(identifications.length);
    });

    it.each([
      ['in its very instant', 0],
      ['some milliseconds before', -7],
      ['a second later, for vendors keep seconds', 1000],
    ])('a delta from when they changed, %s, still gives them', async (_when, ms) => {
      const { source, field, change } = await prepare();
      if (change === undefined) return;
      const { changed } = await change();

      const since = new Date(changeInstant + ms).toISOString();
      const { pages, end } = await readWhole(source, { kind: 'delta', since });

      const read = pages.flatMap(({ records }) => records.map(({ fields }) => String(fields[field])));
      expect(read).toEqual(expect.arrayContaining([...changed]));
      expect(end).toMatchObject({ complete: true });
    });

    it('a delta in which nobody has changed is empty, complete, and misses no field', async () => {
      const { source, change } = await prepare();
      if (change === undefined) return;
      await change();

      const since = new Date(changeInstant + 1_800_000).toISOString();
      const { pages, end } = await readWhole(source, { kind: 'delta', since });

      expect(pages.flatMap(({ records }) => records)).toEqual([]);
      expect(end).toMatchObject({ complete: true, rows: 0 });
      expect(end).not.toHaveProperty('notReturned');
    });

    it.each(faultNames.filter((fault) => impossible[fault] === undefined))('meets: %s', async (fault) => {
      const { source, field, identifications, openResources, verify } = await prepare(fault);
      const before = openResources();
      const everybody = [...identifications].sort();

      const outcome = await readWhole(source).catch((error: unknown) => ({ error }));

      const { fate } = sourceFaults[fault];
      if ('error' in outcome) {
        const code = fate === 'refused' ? 'SOURCE_REFUSED' : 'SOURCE_UNAVAILABLE';
        expect(outcome.error).toMatchObject({ code });
        expect(fate, `a read should have ended whole, but: ${outcome.error}`).not.toBe('read');
        if (fate === 'refused') expect(outcome.error).toMatchObject({ retry: 'never' });
      } else {
        const read = outcome.pages.flatMap(({ records }) => records.map(({ fields }) => fields[field])).sort();
        expect(outcome.end).toMatchObject({ complete: fate === 'read' });
        if (fate === 'read') expect(read).toEqual(everybody);
        if (!outcome.end.complete) expect(outcome.end.reasons.join()).toMatch(/\w+ \w+/);
      }
      verify?.();
      expect(openResources()).toBe(before);
    });

    it('a record that is odd in any member changes no other, and is read or told as broken', async () => {
      const under = await prepare();
      if (under.spoil !== undefined) expect(await stoppedByOdd(under)).toEqual([]);
    });

    it('logs no field value', async () => {
      const { source, identifications } = await prepare();
      const logger = memoryLogger();

      await readWhole(source, { kind: 'full' }, sourceIo({ logger }));

      for (const identification of identifications) expect(logger.text()).not.toContain(identification);
    });
  });
}
