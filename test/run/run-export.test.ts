import { describe, expect, it } from 'vitest';
import { RollcallError } from '../../src/core/run/errors.ts';
import type { Export, ExportFile, ExportItem, ExportState, TimeRange } from '../../src/core/run/exports.ts';
import type { EngineIo } from '../../src/run/engine-io.ts';
import { exportLease, runExport } from '../../src/run/export/run-export.ts';
import { minute, openScene, second } from './run-in-store.ts';

const stop = new AbortController();

/** An export whose platform has these items, into a target that keeps what it is told. */
async function openExport(...items: readonly (readonly [key: string, at: number])[]) {
  const { io, clock, store, log, places } = await openScene({ changes: [] });
  const start = clock.now();
  const all = items.map(([key, after]): ExportItem => ({ key, at: start + after, row: { key } }));
  const asked: TimeRange[] = [];
  const told: unknown[] = [];
  const fails = { reading: undefined as Error | undefined, whileReading: async () => {} };
  let bytes = 0;
  const one: Export = {
    settings: {
      name: 'x',
      connection: 'acme',
      what: 'feedback',
      people: 'none',
      comments: true,
      from: start,
      overlapMs: 5,
    },
    feed: {
      async read(range) {
        asked.push({ from: range.from - start, to: range.to - start });
        await fails.whileReading();
        if (fails.reading !== undefined) throw fails.reading;
        return { kind: 'all', items: all.filter(({ at }) => at >= range.from && at <= range.to) };
      },
    },
    target: {
      place: 'here',
      async begin(file) {
        told.push(['begin', file]);
        return file;
      },
      async append(rows): Promise<ExportFile> {
        bytes += rows.length;
        told.push(['append', rows.map(({ key }) => key)]);
        return { path: 'f.csv', bytes };
      },
      finish: async (file) => void told.push(['finish', file]),
      close: async () => void told.push(['close']),
    },
  };
  const more: EngineIo = { ...io, exports: new Map([['x', one]]) };
  return {
    ...{ io: more, clock, store, log, start, all, asked, told, fails, places },
    add: (key: string, after: number) => all.push({ key, at: start + after, row: { key } }),
    pass: (after: number) => {
      clock.jumpTo(start + after);
      return runExport('x', more, stop.signal);
    },
    state: async (): Promise<Partial<ExportState>> => (await store.exports.list())[0] ?? {},
  };
}

describe('a pass of an export', () => {
  it('reads from the configured beginning until now, and stores the place and the keys of what it wrote', async () => {
    const { pass, asked, told, state, log, start, places } = await openExport(['a', 0], ['b', 7], ['c', 11]);
    expect(await pass(10)).toBe(2);
    expect(asked).toEqual([{ from: 0, to: 10 }]);
    const file = { path: 'f.csv', bytes: 2 };
    expect(told).toEqual([
      ['begin', undefined],
      ['append', ['a', 'b']],
      ['finish', { ...file, isComplete: true }],
      ['close'],
    ]);
    expect(await state()).toMatchObject({
      ...{ items: 2, lastItemAt: start + 7, readUntil: start + 10, successAt: start + 10, failures: 0 },
      ...{ file: undefined, failure: undefined, retryAt: undefined },
    });
    expect(log.lines).toEqual([{ level: 'info', message: 'export finished', fields: { export: 'x', items: 2 } }]);
    const steps = ['begun', 'read', 'written', 'stored', 'completed', 'finished'];
    expect(places).toEqual(steps.map((step) => `export-${step}`));
  });

  it('reads a while back for what comes late, writes nothing twice, and makes no file without an item', async () => {
    const { pass, asked, told, state, start, add } = await openExport(['a', 3], ['b', 7]);
    await pass(2);
    expect(await state()).toMatchObject({ items: 0, lastItemAt: undefined });
    asked.length = 0;
    await pass(10);
    add('late', 6);
    told.length = 0;
    expect(await pass(12)).toBe(1);
    expect(asked.slice(1)).toEqual([{ from: 5, to: 12 }]);
    expect(told[1]).toEqual(['append', ['late']]);
    expect(await state()).toMatchObject({ items: 3, lastItemAt: start + 7, readUntil: start + 12 });
    told.length = 0;
    expect(await pass(13)).toBe(0);
    expect(told).toEqual([['begin', undefined], ['close']]);
    expect(await state()).toMatchObject({ items: 3, lastItemAt: start + 7, readUntil: start + 13 });
  });

  it('goes on with the file and after the last range that an interrupted pass has stored', async () => {
    const { pass, told, state, store, asked, start } = await openExport(['a', 0], ['b', 7]);
    const before = await store.exports.begin('x');
    const file = { path: 'old.csv', bytes: 9 };
    await store.exports.save(before, { file, readUntil: start + 20, items: 4, lastItemAt: start + 9 });
    expect(await pass(16)).toBe(0);
    expect(told).toEqual([['begin', file], ['finish', { ...file, isComplete: true }], ['close']]);
    expect(asked).toEqual([{ from: 15, to: 16 }]);
    expect(await state()).toMatchObject({ readUntil: start + 20, items: 4, file: undefined });
  });

  it('that fails says so, closes the target, and waits ever longer, up to an hour', async () => {
    const { pass, told, state, fails, log, clock } = await openExport(['a', 0]);
    fails.reading = new RollcallError('no answer', { code: 'PLATFORM_UNREACHABLE' });
    const waits: number[] = [];
    for (let i = 0; i < 8; i += 1) {
      await expect(pass(i)).rejects.toBe(fails.reading);
      waits.push(((await state()).retryAt ?? 0) - clock.now());
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60].map((minutes) => minutes * minute));
    const { failure, failures, items } = await state();
    expect([failure, failures, items]).toEqual(['no answer', 8, 0]);
    expect(told.slice(0, 2)).toEqual([['begin', undefined], ['close']]);
    const message = 'export failed; it continues later where it stopped';
    expect(log.lines[0]).toEqual({ level: 'error', message, fields: { export: 'x', error: failure } });
    fails.reading = undefined;
    expect(await pass(9)).toBe(1);
    expect(await state()).toMatchObject({ failures: 0, failure: undefined, retryAt: undefined });
  });

  it.each(['stopped', 'taken over'])('that is %s stores no failure: another pass continues', async (how) => {
    const { io, state, fails, store, log } = await openExport(['a', 0]);
    const reason = new Error('stop');
    const stopping = new AbortController();
    fails.whileReading = async () => {
      if (how === 'taken over') return void (await store.exports.begin('x'));
      stopping.abort(reason);
      throw new Error('the call was ended');
    };
    const stopped = await runExport('x', io, stopping.signal).catch((error: unknown) => error);
    if (how === 'stopped') expect(stopped).toBe(reason);
    else expect((stopped as RollcallError).code).toBe('LEASE_LOST');
    expect(log.lines).toEqual([]);
    expect(await state()).toMatchObject({ failures: 0, failure: undefined, retryAt: undefined });
  });

  it('of a name that is not configured is refused, and each name has a lease of its own', async () => {
    const { io } = await openExport();
    const unknown = runExport('y', io, stop.signal);
    await expect(unknown).rejects.toThrow('no export is called y');
    expect([exportLease('x'), exportLease('y')]).toEqual(['export:x', 'export:y']);
  });
});

it('a report is sent for the slot that was requested, and otherwise for now', async () => {
  const { io, clock, store, log } = await openExport();
  const slots: number[] = [];
  const send = async (slotAt: number) => slots.push(slotAt) + 10;
  const { exports: _, ...others } = io;
  const more = { ...others, reports: new Map([['month', { send }]]) };
  expect(await runExport('month', more, stop.signal)).toBe(11);
  const slotAt = clock.now() - second;
  await store.exports.request({ name: 'month', at: clock.now(), slotAt });
  expect(await runExport('month', more, stop.signal)).toBe(12);
  expect(slots).toEqual([clock.now(), slotAt]);
  expect((await store.exports.list())[0]).toMatchObject({
    name: 'month',
    successAt: clock.now(),
    requestedAt: undefined,
  });
  expect(log.lines.at(-1)).toMatchObject({ message: 'export finished', fields: { export: 'month', items: 12 } });
});
