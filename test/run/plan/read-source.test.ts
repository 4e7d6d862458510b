import { describe, expect, it } from 'vitest';
import type { Mapped, SourceRecord } from '../../../src/core/person/person.ts';
import type { ReadEnd } from '../../../src/core/plan/snapshot.ts';
import type { Finding } from '../../../src/core/run/finding.ts';
import { silentLogger } from '../../../src/ports/runtime.ts';
import type { BrokenRecord, Source, SourceIo } from '../../../src/ports/source.ts';
import type { EngineIo, Sync } from '../../../src/run/engine-io.ts';
import type { Reading } from '../../../src/run/read/choose-read.ts';
import { mark } from '../../../src/run/read/marks.ts';
import { dateFormats, readSource } from '../../../src/run/read/read-source.ts';
import { fixedClock, someInstant } from '../../support/fake-clock.ts';
import { openIndex } from '../open-index.ts';
import { compilePlainMapping, plainSettings } from '../plain-settings.ts';
import { openPlanScene, row } from '../plan-scene.ts';

interface ReadOptions {
  readonly reading?: Reading;
  readonly focus?: readonly string[];
  readonly end?: ReadEnd;
  readonly broken?: readonly BrokenRecord[];
  readonly signal?: AbortSignal;
  /** Changes the mapping that the read uses. */
  readonly mapping?: (mapping: Sync['mapping']) => Sync['mapping'];
}

const full: Reading = { kind: 'full', reason: 'a test' };
const point = (...identifications: string[]): Reading => ({ kind: 'point', identifications, readsAll: true });

/** Reads these pages of records. */
async function readPages(pages: readonly (readonly SourceRecord[])[], options: ReadOptions = {}) {
  const { reading = full, focus, broken = [], signal = new AbortController().signal } = options;
  const rows = pages.flat().length;
  const given: SourceIo[] = [];
  const source: Source = {
    kind: 'memory',
    capabilities: { delta: true, point: true, terminated: 'unknown', future: 'unknown' },
    async *read(_, io) {
      given.push(io);
      for (const records of pages) yield { records, broken: [] };
      if (broken.length > 0) yield { records: [], broken };
      return options.end ?? { complete: true, rows, evidence: 'the end', stamp: '1' };
    },
    fields: async () => undefined,
  };
  const bare = compilePlainMapping(plainSettings);
  const mapping = options.mapping?.(bare) ?? bare;
  const index = openIndex(mapping.fields);
  const findings: Finding[] = [];
  const progress: unknown[] = [];
  const seen: [SourceRecord, Mapped][] = [];
  const job = {
    sync: { settings: plainSettings, mapping, source } as Sync,
    reading,
    previous: undefined,
    focus: focus === undefined ? undefined : new Set(focus),
    runAt: someInstant,
    blocked: undefined,
    onRecord: (record: SourceRecord, mapped: Mapped) => void seen.push([record, mapped]),
    index,
    signal,
    find: (finding: Finding) => void findings.push(finding),
  };
  const io = {
    clock: fixedClock(someInstant),
    logger: silentLogger,
    progress: (event: unknown) => void progress.push(event),
  } as unknown as EngineIo;
  const read = await readSource(job, io);
  /** The marks of a person; undefined for people whom the index does not have. */
  const has = (name: string, bits: number) => {
    const { slot, isExact } = index.find(name);
    return isExact ? index.has(slot, bits) : undefined;
  };
  return { read, findings, progress, seen, given, index, has };
}

it('a read that cannot be kept is ended, so that its source closes what it has open', async () => {
  const scene = await openPlanScene({ records: ['a1', 'b2', 'c3', 'd4'].map((id) => row(id)) });
  const full = () => {
    throw new Error('ENOSPC: no space left on device');
  };
  Object.assign(scene.io, { progress: full });
  await expect(scene.plan()).rejects.toThrow('ENOSPC');
  expect(scene.source.stopped).toBe(1);
});

describe('the numbers of a read', () => {
  it('are the usable people, and the share of people with a value for each field', async () => {
    const pages = [
      [row('a1', { area: 'Sales' }), row('b2', { area: '', status: 'left' })],
      [row('c3', { area: 'Sales', status: 'odd' }), row('d4', { area: 'IT' })],
    ];
    const { read, progress } = await readPages(pages);
    expect(read.usable).toBe(3);
    expect(read.fillRates).toMatchObject({ firstName: 1, area: 0.75, birthDate: 0, email: 0 });
    expect(read.readAt).toBe(someInstant);
    expect(read.evidence).toBe('the end');
    expect(read.notReturned).toEqual([]);
    expect(progress).toEqual([
      { step: 'reading', rows: 2 },
      { step: 'reading', rows: 4 },
    ]);
  });

  it('are shares of 0 where no record has a person', async () => {
    const { read } = await readPages([[row('')]]);
    expect([read.usable, new Set(Object.values(read.fillRates))]).toEqual([0, new Set([0])]);
    expect(Object.keys(read.fillRates)).toContain('area');
  });

  it('leave out a record whose scope is not known', async () => {
    const pages = [[row('a1'), row('b2')]];
    const { read, findings } = await readPages(pages, {
      mapping: (mapping) => ({
        ...mapping,
        map(record, ...rest) {
          const rejected = {
            kind: 'rejected',
            at: record.at,
            identification: 'b2',
            column: 'type',
            reason: 'no',
          } as const;
          return record.fields.id === 'b2' ? rejected : mapping.map(record, ...rest);
        },
      }),
    });
    expect([read.usable, read.fillRates.firstName, findings]).toEqual([1, 1, []]);
  });

  it.each([
    ['full', 3],
    ['point', 1],
  ] as const)('count the usable people of a %s read about one of them: %d', async (kind, usable) => {
    const { read } = await readPages([[row('a1'), row('b2'), row('c3')]], {
      focus: ['a1'],
      reading: kind === 'full' ? full : point('a1'),
    });
    expect(read.usable).toBe(usable);
    // Shares are of the people whom the run is about.
    expect(read.fillRates).toMatchObject({ firstName: 1 });
  });

  it('are shares of the columns that decide who works here', async () => {
    const scope = (mapping: Sync['mapping']) => {
      const readers = new Map([...mapping.readers].filter(([, names]) => !names.includes('scope')));
      return { ...mapping, readers: readers.set('type', ['scope']).set('grade', ['scope']) };
    };
    const pages = [
      [row('a1', { grade: 1, leaves: '2099-01-01' }), row('b2', { type: '', grade: null, hired: '' })],
      [row('c3', { hired: '' }), row('d4', { grade: '', hired: '' })],
    ];
    const { read } = await readPages(pages, { mapping: scope });
    expect(read.filled).toEqual({ hireDate: 0.25, leaveDate: 0.25 });
    expect(read.deciding).toMatchObject({ type: { rows: 4, filled: 3 }, grade: { rows: 4, filled: 1 } });
    expect((await readPages([[]], { mapping: scope })).read.filled).toEqual({ hireDate: 0, leaveDate: 0 });
    const none = (mapping: Sync['mapping']) => ({ ...mapping, readers: new Map() });
    expect((await readPages(pages, { mapping: none })).read.filled).toEqual({ hireDate: 0.25, leaveDate: 0.25 });
  });

  it('are of dates whose format is known', () => {
    const { mapping } = plainSettings;
    const birthDate = { ...mapping.fields.birthDate, format: 'DD/MM/YYYY' };
    const settings = { ...plainSettings, mapping: { ...mapping, fields: { ...mapping.fields, birthDate } } };
    expect(dateFormats({ settings } as unknown as Sync)).toStrictEqual({ birthDate: 'DD/MM/YYYY' });
    const lifecycle = { ...plainSettings.lifecycle, dateFormat: 'MM/DD/YYYY' };
    expect(dateFormats({ settings: { ...settings, lifecycle } } as unknown as Sync)).toStrictEqual({
      ...{ birthDate: 'DD/MM/YYYY', hireDate: 'MM/DD/YYYY', leaveDate: 'MM/DD/YYYY' },
    });
  });
});

describe('the findings of a read', () => {
  it('name rows that have no identification, and rows that the source cannot read', async () => {
    const broken = [{ at: 'line 9', reason: 'no columns' }];
    const { findings, read } = await readPages([[row('a1'), row('', {}, 'line 3')]], { broken });
    expect(findings.slice(0, 2)).toEqual([
      { code: 'row-unreadable', at: 'line 3', message: expect.stringMatching(/^line 3: the identification /) },
      { code: 'row-unreadable', at: 'line 9', message: 'line 9 cannot be read: no columns' },
    ]);
    expect(read.snapshot).toMatchObject({ missing: undefined, rows: 2 });
    expect(findings.at(-1)).toEqual({
      code: 'source-incomplete',
      message: `the read cannot prove that a person is missing: ${read.snapshot.gaps[0]}`,
    });
  });

  it('name cells of the people whom the run is about', async () => {
    const rows = ['007', '10'].map((id) => row(id, id === '10' ? { born: 'soon' } : {}));
    expect((await readPages([rows])).findings.map(({ code }) => code)).toEqual(['cell-unreadable']);
    expect((await readPages([rows], { focus: ['007'] })).findings).toEqual([]);
  });

  it('have the notes of the source, and what the read may lack', async () => {
    const end = { complete: false, rows: 1, reasons: ['a page failed'], notes: ['2 pages were slow'] } as const;
    const { findings, read } = await readPages([[row('a1')]], { end, reading: point('a1') });
    expect(findings).toEqual([
      { code: 'source-incomplete', message: 'the read may lack a requested person: a page failed' },
      { code: 'source-note', message: '2 pages were slow' },
    ]);
    expect(read.evidence).toBeUndefined();
  });
});

describe('a read about a few people', () => {
  it('keeps nobody else when no other claim is needed, except people whose names look like theirs', async () => {
    const withCyrillic = 'p\u043el';
    const rows = ['a1', 'A1', 'x9', withCyrillic, 'b2'].map((id) => row(id));
    const { index, has } = await readPages([rows], { reading: point('a1', 'pol') });
    expect(index.size).toBe(2);
    expect(index.has(index.find('a1').slot, mark.conflict)).toBe(true);
    expect(has(withCyrillic, mark.conflict)).toBe(true);
    expect(has('x9', mark.inSource)).toBeUndefined();
    expect(has('b2', mark.inSource)).toBeUndefined();
  });

  it('keeps people whose names differ from theirs by the case of letters of another script', async () => {
    // Only the capital form of this Cyrillic letter looks like a Latin letter.
    const [small, capital] = ['1\u0442', '1\u0422'];
    const { index, has } = await readPages([[row(capital), row('x9')]], { reading: point(small) });
    expect([index.size, has(capital, mark.conflict)]).toEqual([1, true]);
  });

  it('keeps the others as bystanders when their claims count', async () => {
    const rows = ['a1', 'B2', 'x9'].map((id) => row(id, { born: 'soon' }));
    const { has, findings } = await readPages([rows], { focus: ['a1', 'b2'] });
    expect([has('a1', mark.bystander), has('a1', mark.conflict)]).toEqual([false, false]);
    expect([has('B2', mark.bystander), has('B2', mark.conflict)]).toEqual([false, true]);
    expect([has('x9', mark.bystander), has('x9', mark.conflict)]).toEqual([true, false]);
    expect(findings.filter(({ code }) => code === 'cell-unreadable')).toHaveLength(1);
  });
});

it('each record is passed on with what it became', async () => {
  const { seen } = await readPages([[row('a1'), row('')]]);
  expect(seen.map(([{ at }, { kind }]) => [at, kind])).toEqual([
    ['line of a1', 'person'],
    ['line of ', 'unreadable'],
  ]);
});

describe('a mapping whose expressions another thread evaluates', () => {
  const later = (mapping: Sync['mapping'], evaluated: () => void = () => {}): Sync['mapping'] => ({
    ...mapping,
    map: async (...given) => {
      const mapped = await mapping.map(...given);
      evaluated();
      return mapped;
    },
  });

  it('reads the same people', async () => {
    const { read, has } = await readPages([[row('a1'), row('b2')]], { mapping: later });
    expect([read.usable, has('b2', mark.active)]).toEqual([2, true]);
  });

  it('keeps no record whose evaluation was stopped', async () => {
    const stopping = new AbortController();
    const mapping = (bare: Sync['mapping']) => later(bare, () => stopping.abort(new Error('asked to stop')));
    await expect(readPages([[row('a1')]], { mapping, signal: stopping.signal })).rejects.toThrow('asked to stop');
  });
});
