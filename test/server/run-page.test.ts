import { expect, it } from 'vitest';
import type { UnknownState } from '../../src/ports/runs.ts';
import { findingPage, runDetail, runDetailView, runWithTimes } from '../../src/views/runs.ts';
import { sampleBatch, sampleReport } from '../cli/samples.ts';
import { employees, openOffice, usersOf } from '../support/office.ts';
import { openTestServer } from './open-test-server.ts';

it('a run shows the time in each phase, its files with their rows, and findings by cause', async () => {
  const before = employees(10);
  const office = await openOffice({ sandbox: { people: usersOf(before) }, faults: ['file:fail-if=E12'] });
  await office.writeEmployees([
    ...employees(40),
    ...[1, 2, 3, 4].map((i) => ({ id: `X${i}`, first: '', last: 'Díaz', mail: `x${i}@example.com`, status: 'active' })),
  ]);
  const { run } = await office.applyAll();
  const server = await openTestServer(office.app);
  const { json } = await server.ask(`/api/runs/${run.id}`);
  expect(runWithTimes.parse(json)).toEqual(json);
  const phases = json.timeline.map(({ phase }: { phase: string }) => phase);
  expect(phases).toEqual(['reading', 'planning', 'delivering', 'proving']);
  expect(json.timeline[0].startedAt).toBe(json.startedAt);
  const spent = json.timeline.reduce((sum: number, { ms }: { ms: number }) => sum + ms, 0);
  expect(spent).toBe(Date.parse(json.endedAt) - Date.parse(json.startedAt));
  expect(json.timeline.some(({ isCurrent }: { isCurrent: boolean }) => isCurrent)).toBe(false);

  const [first, ...parts] = json.batches;
  expect(first).toMatchObject({ size: 30, final: 'failed', parent: null });
  expect(Date.parse(first.finalAt)).toBeGreaterThan(Date.parse(first.sentAt));
  expect(parts.some(({ parent }: { parent: string }) => parent === first.id)).toBe(true);
  const states = json.batches.map((one: { states: Record<string, number> }) => one.states);
  const sum = (state: string) =>
    states.reduce((all: number, one: Record<string, number>) => all + (one[state] ?? 0), 0);
  expect(sum('failed')).toBe(1);
  expect(sum('applied')).toBe(29);
  const failed = await server.ask(`/api/runs/${run.id}/changes/search?state=failed`);
  expect(failed.json).toMatchObject({
    total: 1,
    changes: [{ identification: 'E12', stateReason: expect.any(String) }],
  });

  const rejected = json.causes.find(({ code }: { code: string }) => code === 'create-refused');
  expect(rejected).toMatchObject({ count: 4, examples: [{ identification: 'X1', at: 'line 42' }, {}, {}] });
  expect(json.findingCodes).toContainEqual({ code: 'create-refused', count: 4 });
  const all: string[] = [];
  for (let cursor = ''; ; ) {
    const page = (await server.ask(`/api/runs/${run.id}/findings?code=create-refused&limit=3${cursor}`)).json;
    expect(findingPage.parse(page)).toEqual(page);
    all.push(...page.findings.map((one: { identification: string }) => one.identification));
    if (page.next === null) break;
    cursor = `&cursor=${page.next}`;
  }
  // The first one counts them.
  expect(all).toEqual([null, 'X1', 'X2', 'X3', 'X4']);
  expect((await server.ask(`/api/runs/${run.id}/findings?cursor=x`)).status).toBe(400);
});

it('runs are listed by outcome, trigger and time', async () => {
  const office = await openOffice({ sandbox: { people: usersOf(employees(3)) } });
  const { run: first } = await office.applyRows(employees(3));
  office.clock.jump(3_600_000);
  const { run: second } = await office.applyRows(employees(4));
  const server = await openTestServer(office.app);
  const ids = async (query: string) =>
    (await server.ask(`/api/runs?${query}`)).json.runs.map(({ id }: { id: string }) => id);
  expect(await ids('outcome=nothing-to-do')).toEqual([first.id]);
  expect(await ids('outcome=succeeded&sync=people')).toEqual([second.id]);
  expect(await ids('outcome=open')).toEqual([]);
  expect(await ids('trigger=manual')).toEqual([second.id, first.id]);
  expect(await ids('trigger=schedule')).toEqual([]);
  expect(await ids(`until=${new Date(second.startedAt).toISOString()}`)).toEqual([first.id]);
  expect(await ids(`since=${new Date(second.startedAt).toISOString()}`)).toEqual([second.id]);
});

it('states of a newer version are answered with their text', () => {
  const state = (text: string) => text as UnknownState;
  const patch = { phase: state('verifying'), outcome: state('superseded') };
  const view = runDetailView(sampleReport(patch, { batches: [sampleBatch({ state: state('uploading') })] }));

  expect(runDetail.parse(view)).toEqual(view);
  expect(view).toMatchObject({ phase: 'verifying', outcome: 'superseded', batches: [{ state: 'uploading' }] });
});
