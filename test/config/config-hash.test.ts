import { expect, test } from 'vitest';
import { configHash } from '../../src/config/fingerprint.ts';
import { load } from './support.ts';

const base = `connections:
  acme: { baseUrl: "https://platform.example.com", accessToken: t }
  other: { baseUrl: "https://other.example.com", accessToken: t }
syncs:
  people:
    connection: acme
    source: { kind: csv, path: ./employees.csv }
    policy: sync
    delivery: auto
    batchRows: 1000
    mapping: { identification: id, firstName: first, lastName: last, email: { from: mail } }
    scope: country = 'UY'
    match: [identification, email]
    lifecycle: { status: st, active: [a, b], leaver: [l] }
    protected: [x, y]
    settle: { every: 5s }
    guards: { creates: { absolute: 25 } }
`;

const hashOf = async (text: string) => {
  const { people } = (await load(text)).syncs;
  return configHash(people ?? expect.unreachable());
};

test('the hash is 64 hex digits and stays what it is', async () => {
  expect(await hashOf(base)).toMatch(/^[0-9a-f]{64}$/);
  expect(await hashOf(base)).toBe(await hashOf(`# a comment\n${base}`));
});

test.each([
  ['identification: id, firstName: first, lastName: last', 'lastName: last, firstName: first, identification: id'],
  ['email: { from: mail }', 'email: mail'],
  ['match: [identification, email]', 'match: [email, identification]'],
  ['    match: [identification, email]\n', ''],
  ['active: [a, b]', 'active: [b, a]'],
  ['protected: [x, y]', 'protected: [y, x]'],
  ['delivery: auto', 'delivery: csv'],
  ['batchRows: 1000', 'batchRows: 10'],
  ['every: 5s', 'every: 6s'],
  ['absolute: 25', 'absolute: 26'],
  ['policy: sync', 'policy: sync\n    schedule: { cron: "0 0 * * *" }'],
])('%s or %s: the same plans', async (from, to) => {
  expect(base).toContain(from);
  expect(await hashOf(base.replace(from, () => to))).toBe(await hashOf(base));
});

test.each([
  ['connection: acme', 'connection: other'],
  ['policy: sync', 'policy: upsert-only'],
  ['firstName: first', 'firstName: frist'],
  ['email: { from: mail }', 'email: { from: mail, transform: [trim] }'],
  ['email: { from: mail }', 'email: { from: mail, whenEmpty: clear }'],
  ["'UY'", "'AR'"],
  ["    scope: country = 'UY'\n", ''],
  ['match: [identification, email]', 'match: [identification]'],
  ['leaver: [l]', 'leaver: [l, m]'],
  ['protected: [x, y]', 'protected: [x]'],
  ['policy: sync', 'policy: sync\n    missing: never'],
  ['policy: sync', 'policy: sync\n    missing: { minAge: 25h }'],
  ['policy: sync', 'policy: sync\n    outOfScope: disable'],
  ['policy: sync', 'policy: sync\n    firstSight: assume'],
  ['policy: sync', 'policy: sync\n    foreignDisable: enable'],
  ['policy: sync', 'policy: sync\n    remove: { afterDays: 30 }'],
  ['policy: sync', 'policy: sync\n    parkEmail: "{identification}@parked.example"'],
])('%s and %s: other plans', async (from, to) => {
  expect(base).toContain(from);
  expect(await hashOf(base.replace(from, () => to))).not.toBe(await hashOf(base));
});
