import { describe, expect, it } from 'vitest';
import { findAudit } from '../../src/app/audit.ts';
import { signatureHeader, signWebhook, timestampHeader } from '../../src/server/http/webhook-signature.ts';
import { employees, openOffice } from '../support/office.ts';
import { openTestServer, type TestServer, webhookSecret } from './open-test-server.ts';

interface Sending {
  readonly sync?: string;
  /** The name of the sync that the signature covers. */
  readonly signedFor?: string;
  readonly body?: string;
  readonly secret?: string;
  /** How many ms the sender's clock is ahead of ours. */
  readonly aheadMs?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

const about = JSON.stringify({ identifications: ['E1', 'E2'] });

function send(
  server: TestServer,
  { sync = 'people', signedFor = sync, body = about, secret = webhookSecret, aheadMs = 0, headers }: Sending = {},
) {
  const timestamp = String(Math.floor((server.clock.now() + aheadMs) / 1000));
  const signature = `sha256=${signWebhook(secret, { timestamp, sync: signedFor, body })}`;
  return server.ask(`/api/webhooks/${sync}`, {
    method: 'POST',
    token: null,
    body,
    headers: { [timestampHeader]: timestamp, [signatureHeader]: signature, ...headers },
  });
}

describe('a webhook', () => {
  it('asks for a run of the employees that it names', async () => {
    const office = await openOffice();
    await office.writeEmployees(employees(3));
    const server = await openTestServer(office.app);
    expect(await send(server)).toMatchObject({ status: 202, json: { sync: 'people', isNew: true } });
    expect(await office.engine.io.store.triggers.waiting()).toMatchObject([
      { kind: 'webhook', scope: { kind: 'users', identifications: ['E1', 'E2'] } },
    ]);
    expect(await findAudit(office.app, { limit: 5 })).toMatchObject([
      { by: 'webhook:people', action: 'webhook', detail: '2 named people' },
    ]);
  });

  it('counts once, also after a restart and for two at once', async () => {
    const office = await openOffice();
    const server = await openTestServer(office.app);
    const both = await Promise.all([send(server), send(server)]);
    expect(both.map(({ status }) => status).sort()).toEqual([202, 409]);
    const restarted = await openTestServer(office.app);
    expect(await send(restarted)).toMatchObject({ status: 409, json: { code: 'SIGNATURE_USED' } });
    expect(await office.engine.io.store.triggers.waiting()).toHaveLength(1);
    expect((await send(restarted, { aheadMs: 1000 })).status).toBe(202);
  });

  it('is refused and leaves nothing when it is not signed as it should be', async () => {
    const office = await openOffice();
    const server = await openTestServer(office.app);
    for (const [what, sending, status, code] of refusals) {
      expect(await send(server, sending), what).toMatchObject({ status, json: { code } });
    }
    // A token is no signature.
    const unsigned = await server.ask('/api/webhooks/people', { method: 'POST', body: about });
    expect(unsigned).toMatchObject({ status: 401, json: { code: 'SIGNATURE_MISSING' } });
    expect(await office.engine.io.store.triggers.waiting()).toEqual([]);
    for (const aheadMs of [-299_000, 299_000]) expect((await send(server, { aheadMs })).status).toBe(202);
  });
});

const refusals: readonly (readonly [what: string, sending: Sending, status: number, code: string])[] = [
  ['another sync', { signedFor: 'contractors' }, 401, 'SIGNATURE_WRONG'],
  ['another secret', { secret: `${webhookSecret}x` }, 401, 'SIGNATURE_WRONG'],
  ['another body', { headers: { [signatureHeader]: `sha256=${'0'.repeat(64)}` } }, 401, 'SIGNATURE_WRONG'],
  ['another timestamp', { headers: { [timestampHeader]: '1795262401' } }, 401, 'SIGNATURE_WRONG'],
  ['no signature', { headers: { [signatureHeader]: '' } }, 401, 'SIGNATURE_MISSING'],
  ['half a signature', { headers: { [signatureHeader]: 'sha256=00ff' } }, 401, 'SIGNATURE_MISSING'],
  ['no timestamp', { headers: { [timestampHeader]: '' } }, 401, 'SIGNATURE_MISSING'],
  ['an old timestamp', { aheadMs: -301_000 }, 401, 'SIGNATURE_OLD'],
  ['a timestamp from later', { aheadMs: 301_000 }, 401, 'SIGNATURE_OLD'],
  ['a sync without a webhook', { sync: 'other' }, 404, 'NO_WEBHOOK'],
  ['a body that is no JSON', { body: 'E1' }, 400, 'BODY_INVALID'],
  ['nobody', { body: '{"identifications":[]}' }, 400, 'REQUEST_INVALID'],
];
