import { describe, expect, it } from 'vitest';
import { openSource } from '../../../src/sources/registry.ts';
import { readWhole } from '../../contracts/source.ts';
import { jsonReply } from '../../fakes/hris/json-reply.ts';
import { startVendor } from '../../fakes/hris/vendor-server.ts';
import { sourceBase } from '../../support/source-base.ts';

type Lists = Readonly<Record<string, readonly object[]>>;
type Join = Readonly<Record<string, unknown>>;

const people = [
  { id: 'a1', name: 'Ana', state: 'active' },
  { id: 'b2', name: 'Bo', state: 'left' },
];
const jobs = [
  { no: 1, person: 'a1', title: 'Clerk', from: '2020-01-01', site: 'L1' },
  { no: 2, person: 'a1', title: 'Head', from: '2024-01-01', site: 'L2' },
];
const job = { path: '/jobs', items: 'data', key: 'person', by: 'id', as: 'job', keep: ['title', 'from', 'site'] };
const sites = [
  { code: 'L1', city: 'Montevideo' },
  { code: 'L2', city: 'Madrid' },
];

/** Reads `/people` with its joins. `answer` replaces what the n-th request to a path gets. */
async function readJoined(
  lists: Lists,
  joins: Join | readonly Join[],
  { more = {}, answer }: { more?: object; answer?: (path: string, n: number) => readonly object[] | undefined } = {},
) {
  const counts = new Map<string, number>();
  const server = await startVendor({
    isData: () => true,
    answer({ url }) {
      const path = url.pathname.slice(1);
      const n = (counts.get(path) ?? 0) + 1;
      counts.set(path, n);
      const data = answer?.(path, n) ?? lists[path] ?? [];
      const start = Number(url.searchParams.get('p') ?? 0) * 2;
      return jsonReply({ data: url.searchParams.has('p') ? data.slice(start, start + 2) : data });
    },
  });
  const config = { baseUrl: server.url, path: '/people', items: 'data', key: 'id', paging: { style: 'none' } };
  const source = openSource({ kind: 'rest', ...config, auth: { kind: 'none' }, join: joins, ...more }, sourceBase('/'));
  const { pages, end } = await readWhole(source);
  return { end, counts, records: pages.flatMap((page) => page.records.map(({ fields }) => fields)) };
}

const [firstJob = {}] = jobs;

describe('join', () => {
  it('counts nobody as missing where somebody has no record, and says how to allow it', async () => {
    const { end, records } = await readJoined({ people, jobs: [firstJob] }, job);

    expect(records).toHaveLength(2);
    expect(end).toMatchObject({ complete: true, doubts: [expect.stringContaining('`join.optional: true`')] });
  });

  it('that is optional leaves a person without a job a person, and the leaver a leaver', async () => {
    const { end, records } = await readJoined({ people, jobs: [firstJob] }, { ...job, optional: true });

    expect(end).toMatchObject({ complete: true, rows: 2 });
    expect(records[1]).toEqual({ id: 'b2', name: 'Bo', state: 'left', job: null });
  });

  it('that is optional is still doubted where its list is', async () => {
    const { end } = await readJoined({ people, jobs: [] }, { ...job, optional: true });

    expect(end).toMatchObject({
      complete: false,
      reasons: [expect.stringContaining('GET /jobs: the source returned no records')],
    });
  });

  it('of a list takes several records of one person, from which a field is picked', async () => {
    const fields = { title: { from: 'jobs', latest: 'from', take: 'title' } };
    const { end, records } = await readJoined(
      { people, jobs },
      { ...job, as: 'jobs', list: true, optional: true },
      { more: { fields } },
    );

    expect(end.complete).toBe(true);
    expect(records).toMatchObject([{ title: 'Head' }, { title: null, jobs: [] }]);
  });

  it('may be several, where a later one refers to what an earlier one brought, as a table does', async () => {
    const site = {
      path: '/sites',
      items: 'data',
      key: 'code',
      by: 'job.site',
      as: 'site',
      keep: ['city'],
      optional: true,
    };
    const { end, records } = await readJoined({ people, jobs: [firstJob], sites }, [{ ...job, optional: true }, site]);

    expect(end.complete).toBe(true);
    expect(records).toMatchObject([
      { job: { title: 'Clerk' }, site: { city: 'Montevideo' } },
      { job: null, site: null },
    ]);
  });

  it('that is optional is read twice where its pages are counted, for a record that slips shows nowhere else', async () => {
    const paged = { ...job, optional: true, paging: { style: 'page', size: 2, start: 0, page: 'p' } };
    const many = ['a1', 'b2', 'c3', 'd4'].map((person) => ({ ...firstJob, person }));
    // The third request is for the last page of the first read.
    const slips = (path: string, n: number) => (path === 'jobs' && n >= 2 ? many.slice(1) : undefined);

    const same = await readJoined({ people, jobs: many }, paged);
    const slipped = await readJoined({ people, jobs: many }, paged, { answer: slips });

    expect([same.end.complete, same.counts.get('jobs')]).toEqual([true, 6]);
    expect(slipped.end).toMatchObject({
      complete: false,
      reasons: [expect.stringContaining('GET /jobs: nothing proves')],
    });
  });

  it('needs a name of its own for each', async () => {
    await expect(readJoined({ people }, [job, { ...job, path: '/other' }])).rejects.toThrow(
      /is the name of an earlier join/,
    );
  });
});

it('a table gives the text of a code; a code that it lacks counts as not visible, and a blank stays blank', async () => {
  const table = { A: 'Active', L: 'Left' };
  const codes = [...people, { id: 'c3', state: 'X' }, { id: 'd4', state: '' }].map((one, i) => ({
    ...one,
    code: ['A', ' L', 'X', ''][i],
  }));
  const { records } = await readJoined({ people: codes }, undefined as never, {
    more: { fields: { word: { from: 'code', table } } },
  });

  expect(records.map(({ word }) => word)).toEqual(['Active', 'Left', undefined, '']);
});
