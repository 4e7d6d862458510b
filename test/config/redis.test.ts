import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { redis } from '../../src/config/sections/redis.ts';
import type { RedisSettings } from '../../src/ports/redis.ts';

function read(value: unknown) {
  const config = z.object({ redis }).parse({ redis: value }).redis;
  if (config === undefined) throw new Error('there is no redis');
  return config;
}

function withPasswords(config: RedisSettings): object {
  const passwords = Object.entries(config)
    .filter(([key]) => /password$/i.test(key))
    .map(([key, password]) => [key, password.reveal()]);
  return { ...config, ...Object.fromEntries(passwords) };
}

const access = { prefix: 'rollcall', db: 0 };

test.each([
  ['redis://127.0.0.1', { kind: 'single', host: '127.0.0.1', port: 6379, ...access }],
  [
    'rediss://rollcall:p%40ss@redis.example.com:6380/2',
    {
      kind: 'single',
      host: 'redis.example.com',
      port: 6380,
      ...access,
      db: 2,
      username: 'rollcall',
      password: 'p@ss',
      tls: {},
    },
  ],
  [
    { url: 'redis://[::1]:7000', username: 'u', password: 'hunter2', prefix: 'acme' },
    { kind: 'single', host: '::1', port: 7000, db: 0, prefix: 'acme', username: 'u', password: 'hunter2' },
  ],
  [
    { sentinels: ['s1.example.com:26379', '[::1]:26380'], master: 'm', sentinelPassword: 'other', tls: true, db: 1 },
    {
      kind: 'sentinel',
      sentinels: [
        { host: 's1.example.com', port: 26379 },
        { host: '::1', port: 26380 },
      ],
      master: 'm',
      sentinelPassword: 'other',
      ...access,
      db: 1,
      tls: {},
    },
  ],
  [
    { cluster: ['n1.example.com:6379'], password: 'hunter2', ca: '-----BEGIN CERTIFICATE-----' },
    {
      kind: 'cluster',
      nodes: [{ host: 'n1.example.com', port: 6379 }],
      ...access,
      password: 'hunter2',
      tls: { ca: '-----BEGIN CERTIFICATE-----' },
    },
  ],
])('redis: %j is read, and its password never shown', (given, expected) => {
  const config = read(given);
  expect(withPasswords(config)).toEqual(expected);
  expect(inspect(config, { depth: 9 }) + JSON.stringify(config)).not.toMatch(/p@ss|hunter2|'other'|"other"/);
});

test('the url of a faulty redis is not repeated in the complaint', () => {
  const { error } = z.object({ redis }).safeParse({ redis: 'http://user:hunter2@redis.example.com' });
  expect(error?.message).toContain('must be redis://');
  expect(error?.message).not.toContain('hunter2');
});
