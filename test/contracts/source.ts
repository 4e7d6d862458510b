import { describe, expect, it } from 'vitest';
import type { ReadEnd } from '../../src/core/snapshot.ts';
import type { ReadRequest, Source, SourceIo, SourcePage } from '../../src/ports/source.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { memoryLogger } from '../support/memory-logger.ts';

/** What a kind's own test prepares: a source whose HR system holds these people and no others. */
export interface SourceUnderTest {
  readonly source: Source;
  /** The field that names a person. */
  readonly field: string;
  /** Identifications of everybody, at least 2,500 so that there are several pages. */
  readonly identifications: readonly string[];
  /** Resources that reading holds open at this moment (file handles, sockets). */
  openResources(): number;
}

/** Everything one read gave. */
export interface WholeRead {
  readonly pages: readonly SourcePage[];
  readonly end: ReadEnd;
}

export function sourceIo(more: Partial<SourceIo> = {}): SourceIo {
  return {
    clock: new FakeClock(),
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

/** The promises of `ports/source`, for every kind. */
export function sourceContract(kind: string, prepare: () => Promise<SourceUnderTest>): void {
  describe(`a ${kind} source keeps the contract of every source:`, () => {
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
      const { source, identifications } = await prepare();

      const { pages } = await readWhole(source);

      const sizes = pages.map(({ records, broken }) => records.length + broken.length);
      expect(Math.max(...sizes)).toBeLessThanOrEqual(1_000);
      expect(Math.min(...sizes)).toBeGreaterThan(0);
      const places = new Set(pages.flatMap(({ records }) => records.map(({ at }) => at)));
      expect(places.size).toBe(identifications.length);
    });

    it('a reader who stops early is told nothing of completeness, and leaves nothing open', async () => {
      const { source, openResources } = await prepare();
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
      const { source, openResources } = await prepare();
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

    it('the fields that it names are those of its records, or it names none', async () => {
      const { source } = await prepare();

      const fields = await source.fields(sourceIo());
      const { pages } = await readWhole(source);

      const inRecords = new Set(pages.flatMap(({ records }) => records.flatMap(({ fields }) => Object.keys(fields))));
      if (fields !== undefined) expect([...fields].sort()).toEqual([...inRecords].sort());
    });

    it('a delta is read only where the source can', async () => {
      const { source } = await prepare();
      if (source.capabilities.delta) return;

      const read = source.read({ kind: 'delta', since: '2026-11-21T00:00:00Z' }, sourceIo());

      await expect(read.next()).rejects.toMatchObject({ code: 'USAGE' });
    });

    it('logs no field value', async () => {
      const { source, identifications } = await prepare();
      const logger = memoryLogger();

      await readWhole(source, { kind: 'full' }, sourceIo({ logger }));

      for (const identification of identifications) expect(logger.text()).not.toContain(identification);
    });
  });
}
