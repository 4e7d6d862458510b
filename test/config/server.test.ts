import { inspect } from 'node:util';
import { expect, it, test } from 'vitest';
import { z } from 'zod';
import { server } from '../../src/config/sections/server.ts';
import { load } from './support.ts';

const read = (value: unknown) => z.object({ server }).safeParse({ server: value });

test('without the key there is no server, and an empty one has the careful defaults', () => {
  expect(read(undefined).data?.server).toBeUndefined();
  const sessions = { idleMs: 1_800_000, lifetimeMs: 43_200_000 };
  const defaults = {
    host: '127.0.0.1',
    port: 8080,
    tokens: [],
    trustedProxies: [],
    webhooks: {},
    requestsPerMinute: 300,
    metrics: 'token',
  };
  expect(read({}).data?.server).toEqual({ ...defaults, sessions });
});

test('a webhook is as its HR system sends it, but for what the file says', () => {
  const secret = 'a-secret-of-sixteen';
  const own = {
    kind: 'workday',
    secret,
    header: 'X-Signature',
    algorithm: 'sha256',
    prefix: '',
    people: ['worker.id'],
  };
  const { webhooks } = read({ webhooks: { people: own, others: { secret } } }).data?.server ?? {};
  const workday = {
    header: 'x-signature',
    algorithm: 'sha256',
    prefix: '',
    people: ['worker.id'],
    field: 'Employee_ID',
  };
  expect(webhooks?.people).toMatchObject({ kind: 'workday', ...workday, signs: '{body}', minEveryMs: 300_000 });
  expect(webhooks?.others).toMatchObject({ kind: 'rollcall', header: 'x-rollcall-signature' });
  const fault = read({ webhooks: { people: { secret, signs: '{sync}' } } }).error?.issues[0];
  expect(fault?.message).toBe('must contain {body}');
});

test('tokens and secrets are read and never shown', async () => {
  const text = [
    'connections: { acme: { baseUrl: "https://platform.example.com", accessToken: fixed-token } }',
    'server:',
    `  tokens: [{ name: ops, role: operator, token: "\${env:OPS}" }]`,
  ].join('\n');
  const config = await load(text, { env: { OPS: 'a-token-of-sixteen' } });
  expect(config.server?.tokens[0]?.token.reveal()).toBe('a-token-of-sixteen');
  expect(inspect(config, { depth: 9 }) + JSON.stringify(config)).not.toContain('a-token');
});

it.each([
  [[{ name: 'a b', role: 'viewer', token: 'a-token-of-sixteen' }], 'letters, digits'],
  [[{ name: 'a', role: 'viewer', token: 'fifteen-letters' }], 'at least 16 characters'],
  [[{ name: 'a', role: 'viewer', token: 'a token with blanks' }], 'without blanks'],
  [
    [
      { name: 'a', role: 'viewer', token: 'a-token-of-sixteen' },
      { name: 'a', role: 'operator', token: 'another-token-16' },
    ],
    'its own name',
  ],
  [
    [
      { name: 'a', role: 'viewer', token: 'a-token-of-sixteen' },
      { name: 'b', role: 'operator', token: 'a-token-of-sixteen' },
    ],
    'its own token',
  ],
])('tokens %j are refused', (tokens, words) => {
  expect(read({ tokens }).error?.issues.map(({ message }) => message)).toEqual([expect.stringContaining(words)]);
});
