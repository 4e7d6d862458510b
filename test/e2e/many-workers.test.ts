import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { silentLogger } from '../../src/ports/runtime.ts';
import { expectPromisesKept } from '../chaos/kill-world.ts';
import { openHere } from '../chaos/open-here.ts';
import { employees } from '../support/office.ts';
import { programOf } from '../support/programs.ts';
import { until } from '../support/services/redis.ts';
import { type RedisSpace, startPostgres, startRedisService } from '../support/services.ts';
import type { RedisWorld } from '../work/queue/redis-world.ts';
import { closeAfterAll, everythingIn, openWorld } from '../work/queue/with-redis.ts';

closeAfterAll();

const postgres = await startPostgres();
const service = await startRedisService('many workers over PostgreSQL and Redis');
const cli = programOf('src/main/cli.ts');
const people = employees(21);
const minuteMs = 60_000;

interface Replica {
  readonly process: ChildProcess;
  /** All that it wrote to stderr: its log. */
  log(): string;
  readonly ended: Promise<number | null>;
}

/** `rollcall start`, as a person starts it. Resolves as soon as it works. */
async function startReplica(config: string, role: 'scheduler' | 'worker'): Promise<Replica> {
  const child = spawn(process.execPath, [cli, 'start', '--role', role, '--config', config, '--json']);
  onTestFinished(() => void child.kill('SIGKILL'));
  let errors = '';
  child.stderr.on('data', (data: Buffer) => {
    errors += data.toString();
  });
  const ended = once(child, 'close').then(([code]): number | null => code);
  const ready = once(child.stdout, 'data');
  const early = ended.then(() => expect.fail(`${role} ended before it was ready: ${errors}`));
  await Promise.race([ready, early]);
  early.catch(() => {});
  return { process: child, log: () => errors, ended };
}

/** Makes the schedule's slot of some minutes ago one that nobody has seen, as after an outage. */
async function missASlot(world: RedisWorld, slot: number): Promise<void> {
  const { app, engine } = await openHere(world.config, { clock: world.clock, logger: silentLogger });
  const { triggers } = engine.io.store;
  const requestedAt = slot - 5 * minuteMs;
  const key = `people@${new Date(requestedAt).toISOString()}`;
  const before = { id: 'trigger_before', sync: 'people', kind: 'schedule', key } as const;
  await triggers.add({ ...before, requestedAt, scope: { kind: 'all' } });
  await triggers.cancel(before.id);
  await app.close();
}

/** Collects what Redis holds until it is told to end; every look is kept. */
function watchRedis(redis: RedisSpace): () => Promise<string> {
  const seen = new Set<string>();
  let isOver = false;
  const looking = (async () => {
    while (!isOver) {
      for (const line of (await everythingIn(redis)).split('\n')) seen.add(line);
      await wait(100);
    }
  })();
  return async () => {
    isOver = true;
    await looking;
    return [...seen].join('\n');
  };
}

describe.skipIf(postgres === undefined || service === undefined)('many workers over PostgreSQL and Redis', () => {
  it('do each change once, though one is killed while it sends and Redis is emptied, and leave nothing behind', async () => {
    const redis = (await service?.newSpace()) ?? expect.fail('there is no Redis');
    const store = (await postgres?.newStore()) ?? '';
    const query = async (statement: string) => (await postgres?.query(store, statement)) ?? [];
    const slot = Math.floor(Date.now() / minuteMs) * minuteMs - 2 * minuteMs;
    const at = new Date(slot);
    const cron = `${at.getUTCMinutes()} ${at.getUTCHours()} * * *`;
    const world = await openWorld({
      store,
      redis: redis.url,
      encryptionKey: Buffer.alloc(32, 7).toString('base64'),
      tokens: ({ applicationToken, refreshToken }) => ({ applicationToken, refreshToken }),
      employees: people,
      sync: { batchRows: 3, schedule: { cron, timezone: 'UTC' } },
      processingMs: 300,
    });
    await missASlot(world, slot);
    world.setFaults('upload:slow=1500@3', 'search:status=502@1');
    const { state } = world.sandbox;
    const endWatch = watchRedis(redis);

    const workers = await Promise.all([1, 2].map(() => startReplica(world.config, 'worker')));
    const scheduler = await startReplica(world.config, 'scheduler');
    await until(async () => state.requests.upload === 3);
    const [lease] = await query("select owner from leases where name like 'run:%'");
    const doomed = workers.find(({ process }) => String(lease?.owner).includes(`-${process.pid}-`));
    expect(doomed, 'the run is in the hands of one of the two').toBeDefined();
    doomed?.process.kill('SIGKILL');
    await doomed?.ended;
    const replicas = [
      scheduler,
      ...workers.filter((one) => one !== doomed),
      await startReplica(world.config, 'worker'),
    ];

    await world.ask();
    await until(async () => state.requests.upload > 4);
    await redis.empty();
    const runs = await world.ended(2);
    await until(async () => (await world.runs()).every(({ phase }) => phase === 'done'));
    const isQuiet = async (): Promise<boolean> => {
      const keys = (await redis.command('KEYS', '*')) as readonly string[];
      return keys.every(
        (key) => !/:(?:runs|plans):(?:wait|active|delayed|prioritized|paused|run_.*|keep-token.*|prune.*)$/.test(key),
      );
    };
    await until(isQuiet);
    const seen = await endWatch();
    for (const { process } of replicas) process.kill('SIGTERM');
    for (const { ended, log } of replicas) expect(await ended, log()).toBe(0);

    expect(runs.map(({ trigger }) => trigger).toSorted()).toEqual(['resync', 'schedule']);
    expect(runs.reduce((sum, { counts }) => sum + counts.applied, 0)).toBe(people.length);
    expect(state.files.size).toBeGreaterThanOrEqual(7);
    const leases = await query(
      "select name from leases where owner is not null and name not in ('deployment', 'workers', 'writable')",
    );
    expect(leases).toEqual([]);
    expect(await isQuiet()).toBe(true);
    await expectPromisesKept(world, people);

    const aboutRuns = [...workers, ...replicas.slice(1)]
      .flatMap((one) => one.log().match(/^\{.*\}$/gm) ?? [])
      .filter((line) => /"(?:operation|sync|queueJob|step|batch)":/.test(line));
    for (const about of ['"operation":', '"msg":"run ended"']) expect(aboutRuns.join()).toContain(about);
    for (const line of aboutRuns) expect(line).toMatch(/"run":"run_/);

    const data = [...seen.matchAll(/"data","(\{.*?\})"(?:,"|\])/g)].map(([, text = '']) =>
      JSON.parse(JSON.parse(`"${text}"`)),
    );
    expect(data.length).toBeGreaterThan(5);
    for (const job of data) {
      const { notBefore = 0, ...words } = job;
      expect(notBefore).toBeTypeOf('number');
      expect(Object.keys(words).toSorted()).toEqual(['job', 'payload', 'piece', 'tries', 'v']);
      for (const value of Object.values(job.payload)) expect(value).toMatch(/^(?:run_[0-9A-Z]{26}(?:_b\d{5})?|acme)$/);
    }
    const secrets = [
      world.sandbox.applicationToken,
      'sandbox-access',
      'sandbox-refresh',
      'Díaz',
      'example.com',
      '"E3"',
    ];
    for (const text of [...replicas, doomed].map((one) => one?.log() ?? '').concat(seen)) {
      for (const secret of secrets) expect(text).not.toContain(secret);
      expect(text).not.toMatch(/Ana\d|\bE\d+\b/);
    }
  });
});
