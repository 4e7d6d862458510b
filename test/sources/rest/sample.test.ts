import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { compileSourcePath } from '../../../src/core/person/source-path.ts';
import { openSource } from '../../../src/sources/registry.ts';
import { rest } from '../../../src/sources/rest/index.ts';
import { readPeople } from '../../contracts/source.ts';
import { jsonReply } from '../../fakes/hris/json-reply.ts';
import { doneSync } from '../../fakes/hris/merge.ts';
import { startVendor } from '../../fakes/hris/vendor-server.ts';
import { sourceBase } from '../../support/source-base.ts';

async function sample(name: string): Promise<unknown> {
  return JSON.parse(await readFile(new URL(`../../../src/sources/rest/sample/${name}.json`, import.meta.url), 'utf8'));
}

/** By preset: the answers of its addresses, and what its three people are on the contract's day. */
const presets: readonly (readonly [string, Readonly<Record<string, string | object>>, readonly string[]])[] = [
  ['rippling', { '/workers/': 'rippling' }, ['active', 'prehire', 'terminated']],
  [
    'merge',
    { '/employees': 'merge', '/sync-status': { results: [{ model_name: 'Employee', ...doneSync }] } },
    ['active', 'prehire', 'terminated'],
  ],
  ['deel', { '/people': 'deel' }, ['active', 'prehire', 'terminated']],
  ['factorial', { '/2026-07-01/resources/employees/employees': 'factorial' }, ['active', 'active', 'terminated']],
  ['humaans', { '/people': 'humaans' }, ['active', 'prehire', 'terminated']],
  [
    'ukg',
    { '/personnel/v1/employment-details': 'ukg-employments', '/personnel/v1/person-details': 'ukg-people' },
    ['active', 'prehire', 'terminated'],
  ],
];

it.each(presets)('the starter of %s maps what its API answers', async (name, answers, statuses) => {
  const bodies = new Map<string, unknown>();
  for (const [path, body] of Object.entries(answers)) {
    bodies.set(path, typeof body === 'string' ? await sample(body) : body);
  }
  const server = await startVendor({
    isData: () => false,
    answer({ url }) {
      const body = bodies.get(url.pathname);
      if (body === undefined) return { status: 404, body: '' };
      // Behind their only page these lists are empty.
      const isBeyond = Number(url.searchParams.get('page') ?? 1) > 1;
      if (isBeyond) return jsonReply([]);
      const skipped = Number(url.searchParams.get('offset') ?? url.searchParams.get('$skip') ?? 0);
      return jsonReply(
        skipped === 0
          ? body
          : { ...(body as { data: object[] }), data: (body as { data: object[] }).data.slice(skipped) },
      );
    },
  });
  const starter = rest.starters.find((one) => one.name === name) ?? expect.unreachable();
  const source = { ...parseYaml(starter.source).source, baseUrl: server.url };
  const { mapping, lifecycle } = parseYaml(starter.mapping);

  const { people, end } = await readPeople(openSource(source, sourceBase('/')));

  expect(end).toMatchObject({ complete: true, rows: 3 });
  expect(people.map(({ rollcallStatus }) => rollcallStatus)).toEqual(statuses);
  const [first = {}, , last = {}] = people;
  for (const rule of Object.values(mapping) as (string | { from: string })[]) {
    const path = typeof rule === 'string' ? rule : rule.from;
    expect([path, typeof compileSourcePath(path)(first)]).toEqual([path, 'string']);
  }
  if (lifecycle.leaveDate !== undefined) expect(last[lifecycle.leaveDate]).toMatch(/^202[45]-\d{2}-\d{2}$/);
});
