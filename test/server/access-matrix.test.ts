import { expect, it } from 'vitest';
import { orderPreview } from '../../src/app/previews.ts';
import { queueRun } from '../../src/app/requests.ts';
import type { Grant } from '../../src/core/guard/access.ts';
import type { OpenApiOperation } from '../../src/server/server-parts.ts';
import { type Office, openOffice, plainSync, type Row } from '../support/office.ts';
import { slowly } from '../support/slowness.ts';
import { ask, openTestServer } from './open-test-server.ts';

/* Every operation of the OpenAPI document, called over HTTP by every kind of caller, about each of two syncs. */

interface Played {
  readonly path: string;
  readonly method: 'GET' | 'POST';
  readonly needs: { readonly role: string; readonly of: string; readonly people: string };
  readonly isStream: boolean;
}

type Ids = Readonly<Record<'run' | 'hold' | 'preview' | 'request', string>>;

const callers: Readonly<Record<string, Grant>> = {
  monitor: { role: 'monitor' },
  'monitor of staff': { role: 'monitor', syncs: ['staff'] },
  viewer: { role: 'viewer' },
  'viewer of staff': { role: 'viewer', syncs: ['staff'] },
  'blind viewer': { role: 'viewer', people: false },
  'blind operator of staff': { role: 'operator', syncs: ['staff'], people: false },
  'operator of staff': { role: 'operator', syncs: ['staff'] },
  operator: { role: 'operator' },
  'admin of both': { role: 'admin', syncs: ['people', 'staff'] },
  admin: { role: 'admin' },
};
const syncs = ['people', 'staff'] as const;
const tokenOf = (name: string): string => `token of ${name} `.replaceAll(' ', '-').padEnd(20, '-');

/** Each sync has people of its own, whom nothing else in the world is called. */
const peopleOf = (sync: string): Row[] =>
  Array.from({ length: 12 }, (_, i) => ({
    id: `QX${sync}${i}`,
    first: `Firstname${sync}${i}`,
    last: `Lastname${sync}`,
    mail: `mail${sync}${i}@example.com`,
    status: 'active',
  }));

const namesIn = (sync: string): RegExp => new RegExp(`QX${sync}\\d|Firstname${sync}|Lastname${sync}|mail${sync}`);

async function openWorld() {
  const staff = {
    ...plainSync('./staff.csv'),
    settle: { every: '2s', visibleWithin: '20s' },
  };
  const office = await openOffice({ sandbox: { people: [] }, syncs: { staff } });
  const ids: Record<string, Ids> = {};
  for (const sync of syncs) ids[sync] = await fill(office, sync);
  const tokens = Object.entries(callers).map(([name, grant]) => ({
    name: tokenOf(name),
    ...grant,
    token: tokenOf(name),
  }));
  const { store } = office.engine.io;
  const server = await openTestServer(office.app, {
    settings: { tokens, requestsPerMinute: 100_000 },
    parts: { store },
  });
  await office.app.checkAlerts(AbortSignal.timeout(slowly(10_000)));
  return { office, server, ids: ids as Readonly<Record<'people' | 'staff', Ids>> };
}

/** Leaves a held run with a finding about a person, a preview and a request. */
async function fill(office: Office, sync: string): Promise<Ids> {
  const file = sync === 'people' ? 'employees.csv' : 'staff.csv';
  const all = peopleOf(sync);
  await office.writeEmployees(all, file);
  await office.applyAll(sync);
  const gone = all.map((row, i) =>
    i < 7 ? { ...row, status: 'left' } : i === 8 ? { ...row, status: 'strange' } : row,
  );
  await office.writeEmployees(gone, file);
  const { run, holds } = await office.apply({ sync });
  const scope = { kind: 'users', identifications: [`QX${sync}1`] } as const;
  const preview = await orderPreview(office.app, sync, { scope, by: 'test' });
  const { trigger } = await queueRun(office.app, sync, { scope, by: 'test' });
  return { run: run.id, hold: holds[0]?.id ?? '', preview: preview.preview.id, request: trigger };
}

/** The rights of a caller, said once more and in another way than the product does. */
function expected(grant: Grant, { needs: { role, of, people } }: Played, sync: string): 'yes' | 403 | 404 {
  const order = 'monitor viewer operator admin'.split(' ');
  const isIn = grant.syncs === undefined || grant.syncs.includes(sync);
  const hasRole = order.indexOf(grant.role) >= order.indexOf(role);
  const isBlind = grant.people === false || grant.role === 'monitor';
  if (!hasRole || (people === 'needed' && isBlind)) return 403;
  if (of === 'deployment') return grant.syncs === undefined ? 'yes' : 403;
  // The connection belongs to both syncs.
  if (of === 'connection' || of === 'subject') return grant.syncs?.length === 1 ? 404 : 'yes';
  return isIn ? 'yes' : 404;
}

const bodies: Readonly<Record<string, (sync: string) => unknown>> = {
  'POST /api/previews': (sync) => ({ sync }),
  'POST /api/syncs/{sync}/mapping/preview': () => ({ mapping: 'identification: id' }),
  'POST /api/syncs/{sync}/adopt': (sync) => ({ ids: [`QX${sync}9`] }),
  'POST /api/syncs/{sync}/adopt/preview': (sync) => ({ ids: [`QX${sync}9`] }),
  'POST /api/syncs/{sync}/adopt-from': () => ({ from: 'gone' }),
};

function addressOf({ path, needs: { of } }: Played, sync: 'people' | 'staff', ids: Ids): string {
  const filled = path
    .replace('{sync}', sync)
    .replace('{identification}', `QX${sync}9`)
    .replace('{id}', ids[of as keyof Ids] ?? '')
    .replace('{kind}', 'joiners')
    .replace('{name}', 'acme');
  if (of !== 'list') return filled;
  const hasSync = /days|people|previews|runs$|holds$|audit|changes$|reports/.test(path) && !path.endsWith('/events');
  const query = [
    ...(path === '/api/people' ? ['q=Lastname'] : []),
    ...(path.startsWith('/api/reports/') ? ['from=2026-11-01', 'to=2026-12-31'] : []),
    ...(hasSync ? [`sync=${sync}`] : []),
  ];
  return query.length === 0 ? filled : `${filled}?${query.join('&')}`;
}

it('every operation answers exactly those who may call it, and shows people only to those who see them', {
  timeout: slowly(120_000),
}, async () => {
  const { server, ids } = await openWorld();
  const { paths } = (await server.ask('/openapi.json', { token: null })).json as {
    paths: Record<string, Record<string, OpenApiOperation>>;
  };
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]): Played[] => {
      const needs = operation['x-rollcall-needs'];
      if (needs === undefined) throw new Error(`${method} ${path} does not say what it needs`);
      if (typeof needs === 'string') return [];
      return [
        {
          path,
          method: method.toUpperCase() as 'GET',
          needs: needs as Played['needs'],
          isStream: path.endsWith('/events'),
        },
      ];
    }),
  );
  expect(all.length).toBeGreaterThan(50);
  // What reads comes first, so that no action changes what it shows.
  all.sort((a, b) => (a.method < b.method ? -1 : a.method > b.method ? 1 : 0));
  // Syncs of one connection show no users of each other.
  for (const path of ['/api/syncs/staff/people/QXpeople9', '/api/syncs/staff/people/QXpeople9/history']) {
    expect((await server.ask(path, { token: tokenOf('viewer of staff') })).status).toBe(404);
    const seen = await server.ask(path, { token: tokenOf('viewer') });
    expect(seen.status, seen.text).toBe(200);
  }
  // Reports and found changes have people to hide.
  for (const path of ['/api/reports/joiners?from=2026-11-01&to=2026-12-31', '/api/changes?']) {
    const seen = await server.ask(`${path}&sync=people`, { token: tokenOf('viewer') });
    expect(seen.text).toMatch(namesIn('people'));
  }
  const surprises: string[] = [];
  let played = 0;
  for (const [index, one] of all.entries()) {
    for (const [name, grant] of Object.entries(callers)) {
      // Who has every sync asks about one of them in turn.
      for (const sync of grant.syncs === undefined ? [syncs[index % 2] ?? 'people'] : syncs) {
        const address = addressOf(one, sync, ids[sync]);
        const asked = { method: one.method, token: tokenOf(name) };
        const body = one.method === 'GET' ? {} : { body: bodies[`POST ${one.path}`]?.(sync) ?? {} };
        const { status, text } = one.isStream
          ? await firstOf(`${server.url}${address}`, tokenOf(name))
          : await ask(`${server.url}${address}`, { ...asked, ...body });
        played += 1;
        const want = listed(one, address) ? expected(grant, one, grant.syncs?.[0] ?? sync) : expected(grant, one, sync);
        const isOutside = status === 404 && /outside of your scope/.test(text);
        const got = status === 403 ? 403 : isOutside ? 404 : status === 401 || status >= 500 ? status : 'yes';
        // A static token cannot be refreshed.
        const isRight = got === want || (want === 'yes' && status === 502);
        const about = `${name}: ${one.method} ${address}`;
        if (!isRight) surprises.push(`${about} is ${status} instead of ${want}: ${text.slice(0, 200)}`);
        const isBlind = grant.people === false || grant.role === 'monitor';
        for (const other of syncs) {
          const isHidden = isBlind || grant.syncs?.includes(other) === false;
          if (isHidden && namesIn(other).test(text)) surprises.push(`${about} shows ${namesIn(other).exec(text)?.[0]}`);
        }
        if (grant.syncs?.includes('people') === false && status < 300 && text.includes(ids.people.run)) {
          surprises.push(`${about} shows a run of people`);
        }
      }
    }
  }
  expect(surprises).toEqual([]);
  const each = Object.values(callers).reduce((sum, { syncs: own }) => sum + (own === undefined ? 1 : 2), 0);
  expect(played).toBe(all.length * each);
});

/** Whether the address lists what the caller sees, and names no sync. */
function listed({ needs: { of } }: Played, address: string): boolean {
  return of === 'list' && !address.includes('sync=');
}

async function firstOf(url: string, token: string): Promise<{ readonly status: number; readonly text: string }> {
  const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
  if (response.status !== 200) return { status: response.status, text: await response.text() };
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (!/\ndata: .*\n\n/.test(text)) {
    const piece = await reader?.read();
    if (piece === undefined || piece.done) break;
    text += piece.value;
  }
  await reader?.cancel();
  return { status: response.status, text };
}
