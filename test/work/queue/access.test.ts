import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { CheckLine } from '../../../src/app/app-io.ts';
import { checkAll } from '../../../src/app/connections.ts';
import { expectPromisesKept } from '../../chaos/kill-world.ts';
import { employees } from '../../support/office.ts';
import { once } from '../../support/once.ts';
import { freePort } from '../../support/services/programs.ts';
import { until } from '../../support/services/redis.ts';
import { startCluster, startSentinels } from '../../support/services/redis-groups.ts';
import { missingForTls, type SecureRedis, startSecureRedis } from '../../support/services/redis-tls.ts';
import type { RedisWorld } from './redis-world.ts';
import { closeAfterAll, openRedisServer, openWorld, redisOrSkip, runAfterAll, startHere } from './with-redis.ts';

closeAfterAll();

const what = 'Redis with TLS and an ACL user';
const program = await redisOrSkip(what);
const missing = program === undefined ? undefined : await missingForTls(program);
if (missing !== undefined) process.stderr.write(`skipped: ${what} needs ${missing}\n`);

const people = employees(9);
const password = 'a-password-of-redis';

/** What the documentation tells to put behind `user NAME on >PASSWORD`. */
async function documentedRights(): Promise<string> {
  const text = await readFile(join(import.meta.dirname, '../../../docs/operations.md'), 'utf8');
  return /^ *user rollcall on >PASSWORD (.+)$/m.exec(text)?.[1] ?? expect.fail('no ACL line in docs/operations.md');
}

async function openSecure(): Promise<SecureRedis> {
  const rights = await documentedRights();
  const redis = await startSecureRedis(program ?? '', [
    `user rollcall on >${password} ${rights}`,
    `user elsewhere on >${password} ${rights.replace('{rollcall}', '{elsewhere}')}`,
  ]);
  runAfterAll(() => redis.close());
  return redis;
}

const urlOf = ({ tlsPort }: SecureRedis, user = 'rollcall', secret = password): string =>
  `rediss://${user}:${secret}@127.0.0.1:${tlsPort}`;

/** What `rollcall check` says of Redis. */
function checkedBy(world: RedisWorld): Promise<CheckLine | undefined> {
  return world.here(async (app) => {
    for await (const line of checkAll(app, undefined, AbortSignal.timeout(30_000))) {
      if (line.subject === 'redis') return line;
    }
    return undefined;
  });
}

describe.skipIf(program === undefined || missing !== undefined)('a Redis behind TLS that knows its users', () => {
  it('is enough with the rights that the documentation gives, also where workers die, wait and end', async () => {
    const redis = await openSecure();
    const world = await openWorld({
      redis: { url: urlOf(redis), ca: redis.ca },
      employees: people,
      sync: { batchRows: 3 },
      processingMs: 1000,
    });
    const doomed = world.replica({ die: { at: 'checkpoint', n: 9 } });
    await doomed.line('ready');
    await world.ask();
    expect((await doomed.ended).signal).toBe('SIGKILL');
    const second = await startHere(world);
    await until(async () => world.sandbox.state.files.size > 1);
    await second.stop();
    const third = await startHere(world);
    const [run] = await world.ended(1);
    expect(run?.outcome).toBe('succeeded');
    await third.stop();
    for (const { logger } of [second, third]) expect(logger.messages('error')).toEqual([]);
    const checked = await checkedBy(world);
    expect(checked).toMatchObject({ state: 'ok' });
    expect(await redis.server.command('ACL', 'LOG'), 'what was refused').toEqual([]);
    await expectPromisesKept(world, people);
  });

  /** None of those who are refused changes anything in it. */
  const refusing = once(openSecure);
  const someCa = (redis: SecureRedis): string => redis.otherCa;
  const plain = (redis: SecureRedis): string => redis.server.url.replace('redis:', 'rediss:');
  it.concurrent.each([
    ['its certificate is of another authority', urlOf, someCa, /set redis\.ca to that authority/],
    [
      'the password is wrong',
      (redis: SecureRedis) => urlOf(redis, 'rollcall', 'guessed'),
      undefined,
      /redis\.password/,
    ],
    ['the user has other keys', (redis: SecureRedis) => urlOf(redis, 'elsewhere'), undefined, /docs\/operations\.md/],
    [
      'the certificate is of another host',
      (redis: SecureRedis) => urlOf(redis).replace('127.0.0.1', 'localhost'),
      undefined,
      /another host/,
    ],
    ['the port knows no TLS', plain, undefined, /whether it needs TLS/],
    [
      'the port wants TLS',
      (redis: SecureRedis) => urlOf(redis).replace('rediss:', 'redis:'),
      undefined,
      /whether it needs TLS/,
    ],
  ])('has us say what to do when %s, and nothing is lost', async (_when, url, ca, advice) => {
    const redis = await refusing();
    const where = { url: url(redis), ca: ca?.(redis) ?? redis.ca };
    const world = await openWorld({ redis: where, employees: people, sync: { batchRows: 9 } });
    const wrong = await startHere(world);
    await world.ask();
    await until(async () => (await world.runs()).length > 0);
    await until(async () => wrong.logger.messages('error').some((message) => advice.test(message)));
    await wrong.stop();
    const checked = await checkedBy(world);
    expect(checked).toMatchObject({
      state: 'failed',
      message: expect.stringMatching(advice),
    });
    expect(wrong.logger.text()).not.toMatch(new RegExp(`${password}|guessed`));
    expect(await world.runs()).toEqual([expect.objectContaining({ phase: 'reading' })]);
  });

  it.concurrent('is enough with the same rights behind Sentinels that want a user and a password as well, also after a failover', async () => {
    const group = await startSentinels(program ?? '', {
      nodes: [`user rollcall on >${password} ${await documentedRights()}`],
      // Each speaks with the other two as the user whom everybody is.
      sentinels: [`user watcher on >watching ~* &* +sentinel|get-master-addr-by-name +sentinel|sentinels`],
    });
    runAfterAll(() => group.close());
    for (const { command } of group.sentinels)
      await command('ACL', 'SETUSER', 'default', '-sentinel|get-master-addr-by-name');
    const behind = {
      sentinels: group.sentinels.map(({ port }) => `127.0.0.1:${port}`),
      master: group.masterName,
      username: 'rollcall',
      password,
      sentinelUsername: 'watcher',
      sentinelPassword: 'watching',
    };
    const world = await openWorld({ redis: behind, employees: people, sync: { batchRows: 5 }, processingMs: 2500 });
    const deployment = await startHere(world);
    await world.ask();
    await until(async () => world.sandbox.state.files.size > 0);
    await group.master.kill();
    const [run] = await world.ended(1);
    expect(run?.outcome).toBe('succeeded');
    await deployment.stop();
    for (const node of group.replicas) expect(await node.command('ACL', 'LOG'), 'what was refused').toEqual([]);
    await expectPromisesKept(world, people);

    const told = async (wrong: object): Promise<string> => {
      const lost = await openWorld({ redis: { ...behind, ...wrong }, employees: people });
      const deaf = await startHere(lost);
      await until(async () => deaf.logger.messages('error').some((message) => message.includes('redis.password')));
      await deaf.stop();
      return deaf.logger.text();
    };
    expect(await told({ password: 'guessed' })).toMatch(/WRONGPASS/);
    expect(await told({ sentinelPassword: 'guessed' })).toMatch(/WRONGPASS.*redis\.sentinelPassword/);
  });

  it.concurrent('is found through a Sentinel behind TLS, and a certificate of another authority ends no process', async () => {
    const redis = await openSecure();
    const tlsPort = await freePort();
    const watch = ['tls-replication yes', `sentinel monitor watched 127.0.0.1 ${redis.tlsPort} 1`];
    const config = [`tls-port ${tlsPort}`, ...redis.tlsConfig, ...watch];
    await openRedisServer(program ?? '', { isSentinel: true, config });
    const behind = {
      sentinels: [`127.0.0.1:${tlsPort}`],
      master: 'watched',
      username: 'rollcall',
      password,
      tls: true,
      ca: redis.ca,
    };
    const world = await openWorld({ redis: behind, employees: people, sync: { batchRows: 9 } });
    const deployment = await startHere(world);
    await world.ask();
    const [run] = await world.ended(1);
    expect(run?.outcome).toBe('succeeded');
    await deployment.stop();
    expect(deployment.logger.messages('error')).toEqual([]);

    const doubted = await openWorld({ redis: { ...behind, ca: redis.otherCa }, employees: people });
    const wrong = await startHere(doubted);
    await until(async () => wrong.logger.messages('error').some((message) => message.includes('redis.ca')));
    await wrong.stop();
  });

  it.concurrent('is enough with the same rights at each node of a cluster', async () => {
    const cluster = await startCluster(program ?? '');
    try {
      const rights = (await documentedRights()).split(' ');
      for (const node of cluster.nodes) {
        await node.command('ACL', 'SETUSER', 'rollcall', 'on', `>${password}`, ...rights);
      }
      const nodes = cluster.nodes.map(({ port }) => `127.0.0.1:${port}`);
      const guessing = await openWorld({
        redis: { cluster: nodes, username: 'rollcall', password: 'guessed' },
        employees: people,
      });
      const wrong = await startHere(guessing);
      await until(async () => wrong.logger.messages('error').some((message) => message.includes('redis.password')));
      await wrong.stop();
      for (const node of cluster.nodes) await node.command('ACL', 'LOG', 'RESET');
      const world = await openWorld({
        redis: { cluster: nodes, username: 'rollcall', password },
        employees: people,
        sync: { batchRows: 5 },
      });
      const deployment = await startHere(world);
      await world.ask();
      const [run] = await world.ended(1);
      expect(run?.outcome).toBe('succeeded');
      await deployment.stop();
      for (const node of cluster.nodes) expect(await node.command('ACL', 'LOG'), 'what was refused').toEqual([]);
      expect(deployment.logger.messages('error')).toEqual([]);
    } finally {
      await cluster.close();
    }
  });
});
