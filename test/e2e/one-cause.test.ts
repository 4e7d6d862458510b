import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import type { TokenStatus } from '../../src/ports/tokens.ts';
import { openAlerts } from '../../src/watch/alerts/open-alerts.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { memoryLogger } from '../support/memory-logger.ts';
import { openOffice, plainMapping } from '../support/office.ts';
import { openReceiver } from '../watch/alerts/receiver.ts';

const names = Array.from({ length: 5 }, (_, i) => `office${i + 1}`);
const never = new AbortController().signal;
let ids = 0;

/** A status, a body that is cut, or another body. */
type Answered = number | string;

/** An HR system with a list for each sync: one employee, whom the platform has not yet. */
async function openHr() {
  let status: Answered = 200;
  const server = createServer((request, response) => {
    const id = `E${request.url?.slice(1)}`;
    const person = { id, first: 'Ana', last: 'Díaz', mail: `${id}@example.com`, status: 'active' };
    const body = JSON.stringify([person]);
    const type = { 'content-type': 'application/json' };
    if (typeof status === 'string') response.writeHead(200, type).end(status === 'cut' ? body.slice(0, 20) : status);
    else response.writeHead(status, type).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    answer: (next: Answered) => {
      status = next;
    },
  };
}

const syncOf = (host: string, name: string) => ({
  connection: 'acme',
  source: {
    kind: 'rest',
    baseUrl: `http://${host}`,
    path: `/${name}`,
    ...{ items: '.', key: 'id', auth: { kind: 'none' }, paging: { style: 'none' } },
    limits: { deadline: '2s', timeout: '1s' },
  },
  policy: 'sync',
  delivery: 'csv',
  settle: { every: '2s', visibleWithin: '20s', deadline: '60s' },
  mapping: plainMapping,
  lifecycle: { status: 'status', active: ['active'], leaver: ['left'] },
});

/** Five syncs of one connection and one HR host, a webhook, and a pager that takes what is critical only. */
async function openStage() {
  const hr = await openHr();
  const office = await openOffice({ syncs: Object.fromEntries(names.map((name) => [name, syncOf(hr.host, name)])) });
  const [hook, pager] = [await openReceiver(), await openReceiver()];
  pager.say({ status: 'success', dedup_key: 'k' });
  const { store } = office.engine.io;
  const clock = new FakeClock(office.clock.now());
  const reveal = (value: string) => ({ reveal: () => value });
  const rule = { afterMs: 0, remindMs: undefined } as const;
  const alerts = openAlerts({
    channels: [
      { ...rule, kind: 'webhook', name: 'hook', url: reveal(hook.url) },
      {
        ...{ ...rule, kind: 'pagerduty', name: 'pager', severities: ['critical'] },
        ...{ url: reveal(pager.url), routingKey: reveal('key') },
      },
    ],
    place: { deployment: 'prod', publicUrl: undefined },
    syncs: names.map((name) => ({ name, connection: 'acme', staleBefore: () => undefined })),
    connections: [{ name: 'acme', token: async () => ({ state: 'static', attempts: 0 }) as TokenStatus, reports: [] }],
    ...{ store, clock, logger: memoryLogger(), random: () => 0.5 },
    newId: (prefix) => `${prefix}_${++ids}`,
  });
  const look = async () => {
    await alerts.evaluate(never);
    await alerts.send(never);
  };
  return {
    hr,
    office,
    clock,
    look,
    runAll: async () => {
      for (const sync of names) await office.apply({ sync });
      await clock.advance(Math.max(0, office.clock.now() - clock.now()) + 5000);
      await look();
    },
    told: () => hook.received.splice(0).map((one) => one.json<{ title: string; text: string }>()),
    paged: () => pager.received.splice(0).map((one) => one.json<{ event_action: string }>().event_action),
  };
}

const titlesOf = (all: readonly { readonly title: string }[]) => all.map(({ title }) => title);

it('an HR host of five syncs that answers 503 is one notice, one page and one recovery', async () => {
  const { hr, runAll, told, paged } = await openStage();
  hr.answer(503);
  await runAll();
  const [notice, ...more] = told();
  expect(more).toEqual([]);
  expect(notice?.title).toBe(`CRITICAL source ${hr.host}: the HR system answers 503`);
  expect(notice?.text).toMatch(/^The HR system answers 503, so 5 syncs cannot read employees/);
  expect(paged()).toEqual(['trigger']);
  hr.answer(200);
  await runAll();
  expect(titlesOf(told())).toEqual([`RECOVERED source ${hr.host}: the HR system answers again`]);
  expect(paged()).toEqual(['resolve']);
});

it.each([
  [302, 'the HR system answers 302'],
  [404, 'the HR system answers 404'],
  ['cut', 'the HR system answers with a damaged body'],
  ['<html><form action="/login"><input type="password"></form>', 'the HR system answers with a sign-in page'],
])('an HR host that answers %s to five syncs is one page', async (answer, title) => {
  const { hr, runAll, told, paged } = await openStage();
  hr.answer(answer);
  await runAll();
  expect(titlesOf(told())).toEqual([`CRITICAL source ${hr.host}: ${title}`]);
  expect(paged()).toEqual(['trigger']);
  hr.answer(200);
  await runAll();
  expect(titlesOf(told())).toEqual([`RECOVERED source ${hr.host}: the HR system answers again`]);
});

it('credentials that an HR host refuses to five syncs are one notice and one recovery', async () => {
  const { hr, runAll, told } = await openStage();
  hr.answer(401);
  await runAll();
  expect(titlesOf(told())).toEqual([`CRITICAL source ${hr.host}: the HR system refuses the credentials (401)`]);
  hr.answer(200);
  await runAll();
  expect(titlesOf(told())).toEqual([`RECOVERED source ${hr.host}: the HR system accepts the credentials again`]);
});

it.each([
  ['503', 'upload:status=503;retry-after=5'],
  ['503', 'upload:status=503'],
  ['403', 'upload:status=403'],
])(
  'uploads answered %s (%s) are one notice, which reaches the pager in time, and one recovery',
  async (status, fault) => {
    const { office, runAll, told, paged, clock, look } = await openStage();
    office.setFaults(fault);
    await runAll();
    const first = told();
    expect(titlesOf(first).map((title) => title.replace(/^\w+ /, ''))).toEqual([
      `connection acme: the platform answers ${status} to changes`,
    ]);
    expect(first[0]?.text).toContain('so 5 syncs cannot deliver changes');
    expect(first[0]?.text).not.toContain('have an unknown outcome');
    await clock.advance(30 * 60_000);
    await office.clock.sleep(30 * 60_000);
    await look();
    expect(paged()).toEqual(['trigger']);
    told();
    office.setFaults();
    await runAll();
    expect(titlesOf(told())).toEqual(['RECOVERED connection acme: no change waits for the platform']);
    expect(paged()).toEqual(['resolve']);
  },
);

it('a platform whose files all end as failed is told with the connection, not by five syncs', async () => {
  const { office, runAll, told } = await openStage();
  office.setFaults('file:fail');
  await runAll();
  expect(titlesOf(told())).toEqual(['WARNING connection acme: files end as failed']);
  office.setFaults();
  await runAll();
  expect(titlesOf(told())).toEqual(['RECOVERED connection acme: no file ends as failed any longer']);
});
