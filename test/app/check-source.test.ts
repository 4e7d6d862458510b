import { expect, it } from 'vitest';
import { checkSource } from '../../src/app/connections.ts';
import { createExpressions } from '../../src/config/expressions.ts';
import { compileMapping } from '../../src/core/person/mapping.ts';
import type { ReadEnd } from '../../src/core/plan/snapshot.ts';
import { RollcallError } from '../../src/core/run/errors.ts';
import type { FieldRule } from '../../src/core/run/settings.ts';
import type { Source, SourcePage } from '../../src/ports/source.ts';
import type { Sync } from '../../src/run/engine-io.ts';
import { FastClock } from '../support/fast-clock.ts';
import { memoryLogger } from '../support/memory-logger.ts';

const whole: ReadEnd = { complete: true, rows: 2, evidence: 'all came', stamp: 's' };
const ana = { at: 'row 1', fields: { id: '1', first: 'Ana', last: 'Paz', left: null } };
const bruno = { at: 'row 2', fields: { id: '2', first: 'Bruno', last: 'Paz' } };
const bad = { at: 'line 3', reason: '2 columns instead of 4' };

const from = (path: string): FieldRule => {
  return { kind: 'from', path, transform: [], format: undefined, whenEmpty: 'keep' };
};
const nothing = {
  status: undefined,
  hireDate: undefined,
  dateFormat: undefined,
  leavesBy: undefined,
  timezone: undefined,
};
const lifecycle = { ...nothing, active: [], leaver: [] };

interface Played {
  readonly fields?: readonly string[];
  readonly pages?: readonly SourcePage[];
  readonly end?: ReadEnd;
  readonly refusal?: RollcallError;
  readonly scope?: string;
}

/** A source of these pages, and what was taken of it. */
function play({ fields, pages = [], end = whole, refusal, scope }: Played) {
  const taken = { pages: 0, isClosed: false };
  async function* read(): ReturnType<Source['read']> {
    try {
      if (refusal !== undefined) throw refusal;
      for (const page of pages) {
        taken.pages += 1;
        yield page;
      }
      return end;
    } finally {
      taken.isClosed = true;
    }
  }
  const capabilities = { delta: false, point: false, terminated: 'never', future: 'never' } as const;
  const source: Source = { kind: 'played', capabilities, read, fields: async () => fields };
  const rules = { identification: from('id'), fields: { firstName: from('first'), lastName: from('last') } };
  const leaves = { ...lifecycle, leaveDate: 'left' };
  const mapping = compileMapping(rules, leaves, { scope }, { expressions: createExpressions() });
  const sync = { settings: { name: 'people', mapping: rules, lifecycle: leaves }, source, mapping } as unknown as Sync;
  const io = { clock: new FastClock(0), logger: memoryLogger() };
  return { taken, check: () => checkSource(sync, io, new AbortController().signal) };
}

it.each<readonly [string, Played, string, RegExp]>([
  [
    'a page that shows all',
    { pages: [{ records: [ana], broken: [] }] },
    'ok',
    /access works; the first page has 1 record, /,
  ],
  [
    'fields that are known',
    { fields: ['id', 'first', 'last', 'left'], pages: [{ records: [ana, bruno], broken: [] }] },
    'ok',
    /2 records, and every mapped field is present \(4 fields\)$/,
  ],
  [
    'a mapped field that no record of the page shows',
    { pages: [{ records: [bruno], broken: [] }] },
    'warning',
    /does not show these mapped fields: left \(for lifecycle\.leaveDate\)\. .*rollcall source try people$/,
  ],
  [
    'records that cannot be read beside others',
    { pages: [{ records: [ana], broken: [bad] }] },
    'warning',
    /1 record and 1 that cannot be read \(line 3: 2 columns instead of 4\)/,
  ],
  [
    'columns that look swapped',
    {
      pages: [
        {
          records: [ana, bruno].map((one) => ({ ...one, fields: { ...one.fields, first: '8731', left: '' } })),
          broken: [],
        },
      ],
    },
    'warning',
    /may be swapped: .*people\.mapping\. first \(for firstName\): 2 of 2 cells are not like names, first at row 1: "9999"$/,
  ],
  ['a page of nothing else', { pages: [{ records: [], broken: [bad] }] }, 'failed', /no record .* line 3: 2 columns/],
  [
    'a read without records',
    { end: { complete: false, rows: 0, reasons: ['the source gave nobody'] } },
    'failed',
    /access works, but the read is empty: the source gave nobody$/,
  ],
  [
    'a field that is not there',
    { fields: ['id', 'first', 'last'] },
    'failed',
    /no field left\. It has: id, first, last$/,
  ],
  [
    'a text without quotes in scope',
    { fields: ['id', 'first', 'last', 'left', 'area'], scope: 'area = Ops and country = UY' },
    'failed',
    /the source has no fields Ops, country, UY\. If they are texts, write quotes in scope: 'Ops'\. It has: id/,
  ],
  ['no field at all', { fields: [] }, 'failed', /no fields id, first, last, left\. It has no fields$/],
  [
    'a field in other letters',
    { fields: ['ID', 'first', 'last', 'left'] },
    'failed',
    /the source has no field id \(did you mean ID\?\)\. It has: ID, first/,
  ],
])('%s', async (_, played, state, message) => {
  const { check } = play(played);

  expect(await check()).toEqual({ state, message: expect.stringMatching(message) });
});

it('takes one page, closes the read, and tells no value', async () => {
  const { check, taken } = play({
    pages: [
      { records: [ana], broken: [] },
      { records: [bruno], broken: [] },
    ],
  });

  const { message } = await check();

  expect(taken).toEqual({ pages: 1, isClosed: true });
  expect(message).not.toMatch(/Ana|Paz/);
});

it('does not read where a field is missing that is known beforehand', async () => {
  const { check, taken } = play({ fields: ['id'], pages: [{ records: [ana], broken: [] }] });

  await check();

  expect(taken.pages).toBe(0);
});

it('throws what the source throws', async () => {
  const refused = new RollcallError('no', { code: 'SOURCE_REFUSED' });
  const { check } = play({ refusal: refused });

  await expect(check()).rejects.toBe(refused);
});
