import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { findAudit } from '../../src/app/audit.ts';
import type { WebhookKind } from '../../src/core/setup/webhook-ways.ts';
import { bobPeople, bobUser, startBob } from '../fakes/hris/hibob.ts';
import { bobFields } from '../sources/hibob/under-test.ts';
import { employees, type Office, openOffice } from '../support/office.ts';
import { openTestServer, type TestServer, webhookOf, webhookSecret } from './open-test-server.ts';

interface Sending {
  readonly sync?: string;
  readonly body?: string;
  /** The body that the signature covers. */
  readonly signed?: string;
  /** The name of the sync that the signature covers. */
  readonly signedFor?: string;
  readonly secret?: string;
  /** How many ms the sender's clock is ahead of ours. */
  readonly aheadMs?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Signing {
  readonly body: string;
  readonly secret: string;
  /** Epoch seconds. */
  readonly at: string;
  readonly sync: string;
}

interface Sender {
  /** The headers, written from the documentation of the sender and not with our own code. */
  sign(signing: Signing): Record<string, string>;
  /** A message about this person. `n`: tells apart messages that the sender tells apart. */
  about(id: string, n?: number): unknown;
  /** A message of the sender that names nobody. */
  readonly nobody: unknown;
  /** What the sender sends to try the address, without a signature. */
  readonly ping?: unknown;
  /** The proof is a token, and so covers nothing of the message. */
  readonly hasToken?: true;
}

const hmac = (hash: string, secret: string, text: string) => createHmac(hash, secret).update(text);

const rollcall: Sender = {
  sign: ({ body, secret, at, sync }) => ({
    'x-rollcall-timestamp': at,
    'x-rollcall-signature': `sha256=${hmac('sha256', secret, `${at}.${sync}.${body}`).digest('hex')}`,
  }),
  about: (id) => ({ identifications: [id] }),
  nobody: {},
};

const senders: Readonly<Record<WebhookKind, Sender>> = {
  rollcall,
  personio: {
    sign: ({ secret }) => ({ authorization: `Bearer ${secret}` }),
    about: (id, n = 0) => ({
      company_id: '1',
      event_name: 'person.updated',
      occurred_at: `2026-11-21T10:00:0${n}Z`,
      payload: { person: { id } },
    }),
    nobody: { company_id: '1', event_name: 'document.created', payload: { document: { id: 'd1' } } },
    hasToken: true,
  },
  hibob: {
    sign: ({ body, secret }) => ({ 'bob-signature': hmac('sha512', secret, body).digest('base64') }),
    about: (employeeId, n = 0) => ({
      companyId: 636192,
      type: 'employee.left',
      triggeredAt: `2026-11-21T13:06:26.91590${n}`,
      version: 'v2',
      data: { employeeId },
    }),
    nobody: { companyId: 636192, type: 'task.created', data: { taskId: 7 } },
    ping: { text: 'Ping test' },
  },
  bamboohr: {
    sign: ({ body, secret, at }) => ({
      'x-bamboohr-timestamp': at,
      'x-bamboohr-signature': hmac('sha256', secret, body + at).digest('hex'),
    }),
    about: (employeeId) => ({
      type: 'employee.updated',
      data: { companyId: '1', employeeId, changedFields: ['status'] },
    }),
    nobody: { type: 'company.updated', data: { companyId: '1' } },
  },
  workday: {
    sign: ({ secret }) => ({ authorization: `Bearer ${secret}` }),
    about: (id) => ({ Employee_ID: id }),
    nobody: { event: 'Termination' },
    hasToken: true,
  },
  gusto: {
    sign: ({ body, secret }) => ({ 'x-gusto-signature': hmac('sha256', secret, body).digest('hex') }),
    about: (id, n = 0) => ({
      uuid: `e${n}`,
      event_type: 'employee.terminated',
      entity_type: 'Employee',
      entity_uuid: id,
    }),
    nobody: { uuid: 'e9', event_type: 'company.updated', entity_type: 'Company' },
    ping: { verification_token: '6590f590-3dba-495e-9bea-c361e1e2efc0', webhook_subscription_uuid: 'f1' },
  },
};

function send(server: TestServer, sender: Sender, sending: Sending = {}) {
  const { sync = 'people', signedFor = sync, secret = webhookSecret, aheadMs = 0, headers } = sending;
  const body = sending.body ?? JSON.stringify(sender.about('E1'));
  const at = String(Math.floor((server.clock.now() + aheadMs) / 1000));
  const signing = { body: sending.signed ?? body, secret, at, sync: signedFor };
  return server.ask(`/api/webhooks/${sync}`, {
    method: 'POST',
    token: null,
    body,
    headers: { ...sender.sign(signing), ...headers },
  });
}

async function open(kind: WebhookKind, own = {}) {
  const office = await openOffice();
  await office.writeEmployees(employees(3));
  const webhooks = new Map([['people', webhookOf(kind, { field: 'id', ...own })]]);
  return { office, server: await openTestServer(office.app, { settings: { webhooks } }) };
}

const waiting = async ({ engine }: Office) => (await engine.io.store.triggers.waiting()).map(({ scope }) => scope);
const one = (id: string) => ({ kind: 'users', identifications: [id] });
const everyone = { kind: 'all', isFull: true };

describe.each(Object.entries(senders) as [WebhookKind, Sender][])('a webhook of %s', (kind, sender) => {
  it('starts a run about whom it names, or about everyone, and nothing else', async () => {
    const { office, server } = await open(kind);
    const asked = async (sending?: Sending): Promise<unknown> => {
      const { status, json } = await send(server, sender, sending);
      const scopes = await waiting(office);
      for (const { id } of await office.engine.io.store.triggers.waiting()) {
        await office.engine.io.store.triggers.cancel(id);
      }
      return [status, json.code ?? scopes];
    };
    expect(await asked(), 'names').toEqual([200, [one('E1')]]);
    expect(await asked(), 'a replay').toEqual([409, 'SIGNATURE_USED']);
    expect(await asked({ body: JSON.stringify(sender.about('E2', 1)), aheadMs: 1000 }), 'a new one').toEqual([
      200,
      [one('E2')],
    ]);
    const other = JSON.stringify(sender.about('E3', 2));
    expect(await asked({ secret: `${webhookSecret}x` }), 'another secret').toEqual([401, 'SIGNATURE_WRONG']);
    expect(await asked({ body: other, signed: '{}' }), 'a changed body').toEqual(
      sender.hasToken === true ? [200, [one('E3')]] : [401, 'SIGNATURE_WRONG'],
    );
    expect(await asked({ body: JSON.stringify(sender.nobody) }), 'no names').toEqual([200, [everyone]]);
    expect(await asked({ body: '["a shape", {"of": "another version"}]' }), 'an unknown shape').toEqual(
      kind === 'rollcall' ? [400, 'REQUEST_INVALID'] : [200, [everyone]],
    );
    expect(await asked({ body: 'E1' }), 'no JSON').toEqual([400, 'BODY_INVALID']);
    if (sender.ping !== undefined) {
      const ping = { method: 'POST', token: null, body: sender.ping } as const;
      const answer = await server.ask('/api/webhooks/people', ping);
      expect(answer, 'a ping').toMatchObject({ status: 200, json: {} });
      expect(await waiting(office)).toEqual([]);
    }
  });
});

describe('a message', () => {
  it('is in the audit without the people', async () => {
    const { office, server } = await open('rollcall');
    const body = JSON.stringify({ identifications: ['E1', 'E2'] });
    expect(await send(server, rollcall, { body })).toMatchObject({ status: 200, json: { sync: 'people' } });
    expect(await office.engine.io.store.triggers.waiting()).toMatchObject([{ kind: 'webhook' }]);
    expect(await findAudit(office.app, { limit: 5 })).toMatchObject([
      { by: 'webhook:people', action: 'webhook', detail: '2 named people' },
    ]);
  });

  it('counts once, also after a restart and for two at once', async () => {
    const { office, server } = await open('rollcall');
    const both = await Promise.all([send(server, rollcall), send(server, rollcall)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    const restarted = await openTestServer(office.app);
    expect(await send(restarted, rollcall)).toMatchObject({ status: 409, json: { code: 'SIGNATURE_USED' } });
    expect(await office.engine.io.store.triggers.waiting()).toHaveLength(1);
    expect((await send(restarted, rollcall, { aheadMs: 1000 })).status).toBe(200);
  });

  it.each(['workday', 'personio', 'hibob', 'gusto'] as const)(
    'of %s, whose time is not signed, may come again after five minutes',
    async (kind) => {
      const { office, server } = await open(kind);
      // The next five minutes by the clock begin between the two.
      office.clock.jump(240_000);
      const { status } = await send(server, senders[kind]);
      office.clock.jump(120_000);
      const again = await send(server, senders[kind]);
      office.clock.jump(200_000);
      expect([status, again.status, (await send(server, senders[kind])).status]).toEqual([200, 409, 200]);
    },
  );

  it('is refused and leaves nothing when it is not signed as it should be', async () => {
    const { office, server } = await open('rollcall');
    for (const [what, sending, status, code] of refusals) {
      expect(await send(server, rollcall, sending), what).toMatchObject({ status, json: { code } });
    }
    // A token is no signature.
    const unsigned = await server.ask('/api/webhooks/people', { method: 'POST', body: '{}' });
    expect(unsigned).toMatchObject({ status: 401, json: { code: 'SIGNATURE_MISSING' } });
    expect(await waiting(office)).toEqual([]);
    for (const aheadMs of [-299_000, 299_000]) expect((await send(server, rollcall, { aheadMs })).status).toBe(200);
  });

  it('without names starts at most one full read in the configured time, and none is lost', async () => {
    const { office, server } = await open('hibob');
    const { store } = office.engine.io;
    const nobody = (n: number) => send(server, senders.hibob, { body: JSON.stringify({ n }) });
    await nobody(1);
    await nobody(2);
    const run = { id: 'run_1', connection: 'acme', now: office.clock.now() };
    expect((await store.runs.open('people', run))?.run.scope).toEqual(everyone);
    expect(await store.triggers.waiting()).toEqual([]);
    for (const n of [3, 4, 5]) expect((await nobody(n)).status).toBe(200);
    expect(await waiting(office)).toEqual([everyone]);
    const due = async (ms: number) => [...(await store.triggers.waitingSyncs(run.now + ms)).keys()];
    expect([await due(299_000), await due(300_000)]).toEqual([[], ['people']]);
  });

  it('is looked up in the source where its ids are not the identifications', async () => {
    const bob = await startBob(bobPeople(3));
    const office = await openOffice({
      sync: {
        source: {
          kind: 'hibob',
          url: bob.url,
          serviceUser: bobUser.id,
          token: bobUser.token,
          fields: bobFields,
          limits: { requestsPerSecond: 1000, timeout: '24h', deadline: '48h' },
        },
        mapping: { identification: 'root.email', firstName: 'root.firstName', lastName: 'root.surname' },
        lifecycle: { status: 'rollcallStatus', active: ['active'], leaver: ['terminated'] },
      },
    });
    const webhooks = new Map([['people', webhookOf('hibob')]]);
    const server = await openTestServer(office.app, { settings: { webhooks } });
    const [first] = bob.people;
    const known = JSON.stringify(senders.hibob.about(first?.id ?? ''));
    const unknown = JSON.stringify(senders.hibob.about('999'));
    expect((await send(server, senders.hibob, { body: known })).status).toBe(200);
    expect((await send(server, senders.hibob, { body: unknown })).status).toBe(200);
    expect(await waiting(office)).toEqual([one(first?.email ?? ''), everyone]);
    const asked = bob.server.requests.length;
    expect((await send(server, senders.hibob, { body: JSON.stringify(senders.hibob.nobody) })).status).toBe(200);
    expect(bob.server.requests.length).toBe(asked);
  });
});

const refusals: readonly (readonly [what: string, sending: Sending, status: number, code: string])[] = [
  ['another sync', { signedFor: 'contractors' }, 401, 'SIGNATURE_WRONG'],
  ['another timestamp', { headers: { 'x-rollcall-timestamp': '1795262401' } }, 401, 'SIGNATURE_WRONG'],
  ['no signature', { headers: { 'x-rollcall-signature': '' } }, 401, 'SIGNATURE_MISSING'],
  ['half a signature', { headers: { 'x-rollcall-signature': 'sha256=00ff' } }, 401, 'SIGNATURE_WRONG'],
  ['another algorithm', { headers: { 'x-rollcall-signature': 'sha1=00ff' } }, 401, 'SIGNATURE_MISSING'],
  ['no timestamp', { headers: { 'x-rollcall-timestamp': '' } }, 401, 'SIGNATURE_MISSING'],
  ['an old timestamp', { aheadMs: -301_000 }, 401, 'SIGNATURE_OLD'],
  ['a timestamp from later', { aheadMs: 301_000 }, 401, 'SIGNATURE_OLD'],
  ['a sync without a webhook', { sync: 'other' }, 404, 'NO_WEBHOOK'],
  ['nobody', { body: '{"identifications":[]}' }, 400, 'REQUEST_INVALID'],
  ['a name that is none', { body: '{"identifications":[".."]}' }, 400, 'IDENTIFICATION_INVALID'],
];
