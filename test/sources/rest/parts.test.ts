import { describe, expect, it } from 'vitest';
import type { ReadRequest } from '../../../src/ports/source.ts';
import { openSource } from '../../../src/sources/registry.ts';
import { readWhole } from '../../contracts/source.ts';
import { jsonReply } from '../../fakes/hris/json-reply.ts';
import { startVendor } from '../../fakes/hris/vendor-server.ts';
import { sourceBase } from '../../support/source-base.ts';

type Config = Readonly<Record<string, unknown>>;
type Staff = Readonly<Record<string, readonly string[]>>;

const staff: Staff = { AT: ['1', '2', '3'], CH: [], DE: ['4', '5', '6', '7'] };

/** An API that gives the people of one company at a time, two on a page; without a company it gives nobody. */
async function readCompanies(companies: Staff, config: Config, request?: ReadRequest) {
  const server = await startVendor({
    answer({ url }) {
      const ids = companies[url.searchParams.get('company') ?? ''] ?? [];
      const from = Number(url.searchParams.get('offset'));
      const total = ids.length + (url.searchParams.get('company') === config.lies ? 1 : 0);
      return jsonReply({ data: ids.slice(from, from + 2).map((id) => ({ id })), total });
    },
    isData: () => true,
  });
  const { lies: _, ...more } = config;
  const source = openSource(
    {
      kind: 'rest',
      baseUrl: server.url,
      path: '/people',
      items: 'data',
      key: 'id',
      auth: { kind: 'none' },
      paging: { style: 'offset', size: 2 },
      parts: { query: { company: '{part}' }, of: Object.keys(companies) },
      ...more,
    },
    sourceBase('/'),
  );
  const { pages, end } = await readWhole(source, request);
  return { end, ids: pages.flatMap(({ records }) => records.map(({ fields }) => fields.id)), server };
}

describe('a list that is given in parts', () => {
  it.each([
    ['with a total of each', { total: 'total' }],
    ['without a total', {}],
    ['that end at their totals', { total: 'total', paging: { style: 'offset', size: 2, lastPage: 'total' } }],
  ])('is read part after part, %s; one without anybody is nothing special', async (_, config) => {
    const { end, ids } = await readCompanies(staff, config);

    expect(ids).toEqual(['1', '2', '3', '4', '5', '6', '7']);
    expect(end).toMatchObject({ complete: true, rows: 7, evidence: expect.stringContaining('each of 3 parts') });
  });

  it('is complete only if each part holds as many as it says', async () => {
    const { end, ids } = await readCompanies(staff, { total: 'total', lies: 'AT' });

    expect(ids).toHaveLength(7);
    expect(end).toMatchObject({
      complete: false,
      reasons: [expect.stringContaining('a total of 4 for part 1 of 3, but returned 3')],
    });
  });

  it('holds nobody twice', async () => {
    const { end } = await readCompanies({ AT: ['1', '2'], DE: ['3', '2'] }, {});

    expect(end).toMatchObject({ complete: false, reasons: [expect.stringContaining('twice')] });
  });

  it('is nobody when all parts are empty, which proves nothing', async () => {
    expect((await readCompanies({ AT: [], DE: [] }, {})).end).toMatchObject({ complete: false, rows: 0 });
  });

  it('is looked through for named people', async () => {
    const { ids } = await readCompanies(staff, {}, { kind: 'point', identifications: ['6'], field: 'id' });

    expect(ids).toEqual(['6']);
  });

  it('may be given in windows of days, which leave no day out and go beyond today', async () => {
    const windows = { from: '2026-01-01', days: 100, ahead: '30d' };
    const query = { from: '{from}', to: '{to}', until: '{until}' };
    const { server } = await readCompanies(staff, { parts: { query, windows }, paging: { style: 'none' } });

    const asked = server.requests.map(({ url }) => ['from', 'to', 'until'].map((name) => url.searchParams.get(name)));
    expect(asked).toEqual([
      ['2026-01-01', '2026-04-10', '2026-04-11'],
      ['2026-04-11', '2026-07-19', '2026-07-20'],
      ['2026-07-20', '2026-10-27', '2026-10-28'],
      ['2026-10-28', '2027-02-04', '2027-02-05'],
    ]);
  });

  it.each([
    [{ query: { company: '{part}' } }, 'needs either `of` or `windows`'],
    [{ query: { from: '{from}' }, windows: { from: '1.1.1990' } }, 'must be a date: 1990-01-01'],
  ])('is refused when it is not said which parts there are: %j', async (parts, message) => {
    await expect(readCompanies(staff, { parts })).rejects.toThrow(message);
  });
});
