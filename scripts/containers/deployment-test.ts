import { randomBytes } from 'node:crypto';
import { chmod, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { freePort } from '../../test/support/services/programs.ts';
import { type AlertReceiver, openMailReceiver, openWebReceiver } from './alert-receivers.ts';
import { startPostgresService, startRedisService } from './backing-services.ts';
import { openContainerEngine } from './container-engine.ts';
import { type Deployment, openDeployment, type RunDetail } from './deployment.ts';
import { renderConfig } from './deployment-config.ts';
import { type Employee, type Platform, renderEmployees, startPlatform } from './platform.ts';
import { until } from './until.ts';

/**
 * The image as a deployment of many processes: a scheduler, two workers and a server with Redis and PostgreSQL. One story,
 * told on stdout with its figures; ends with 1 at the first thing that is not so. Part of scripts/container-test.sh.
 *
 *   node scripts/containers/deployment-test.ts --engine podman --image localhost/rollcall:test [--people 100000]
 */
const { values } = parseArgs({
  options: {
    engine: { type: 'string', default: 'podman' },
    image: { type: 'string', default: 'localhost/rollcall:test' },
    people: { type: 'string', default: '100000' },
    'redis-image': { type: 'string' },
    'postgres-image': { type: 'string' },
  },
});
const people = Number(values.people);
/** Fewer, and the run would be over before every replica is replaced. */
const fewestPeople = 30_000;
/** What the documentation advises for 100,000 people. */
const memory = '512m';
const closers: (() => Promise<unknown>)[] = [];

const say = (what: string, figure: string): void => void process.stdout.write(`${what.padEnd(58)} ${figure}\n`);
const megabytes = (bytes: number | undefined): string => (bytes === undefined ? '?' : `${Math.round(bytes / 1e6)} MB`);
const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
const secret = (): string => randomBytes(24).toString('base64url');

function demand(isSo: boolean, otherwise: string): void {
  if (!isSo) throw new Error(otherwise);
}

/** Everything that has to be there before the first replica. */
async function prepare() {
  const engine = openContainerEngine(values.engine);
  const { image } = values;
  const prefix = `rollcall-test-${process.pid}`;
  const folder = await mkdtemp(join(tmpdir(), 'rollcall-containers-'));
  closers.push(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, 'hr'));
  for (const path of [folder, join(folder, 'hr')]) await chmod(path, 0o755);

  closers.push(engine.close);
  const redis = await startRedisService({ engine, prefix, image: values['redis-image'] });
  closers.push(redis.stop);
  const postgres = await startPostgresService({ engine, prefix, image: values['postgres-image'] });
  closers.push(postgres.stop);
  // Whoever uses a service ends before it.
  closers.push(engine.close);
  say('Redis', redis.kind);
  say('PostgreSQL', postgres.kind);

  const secrets = { application: secret(), office: secret(), company: secret(), api: secret(), alerts: secret() };
  const mail = await openMailReceiver();
  closers.push(mail.close);
  const web = await openWebReceiver(secrets.alerts);
  closers.push(web.close);

  const platformOf = async (name: 'office' | 'company', users: number): Promise<Platform> => {
    const port = await freePort();
    const tokens = { application: secrets.application, refresh: secrets[name] };
    return startPlatform(engine, { name: `${prefix}-${name}`, image, port, users, secrets: tokens });
  };
  const office = await platformOf('office', 60);
  // Some of the sandbox's users are disabled: there are a few more, so that enough are not.
  const company = await platformOf('company', Math.ceil(people * 1.05));

  const config = renderConfig({ office, company, mail, web, postgres: postgres.url, redis: redis.url });
  await writeFile(join(folder, 'rollcall.yaml'), JSON.stringify(config));
  const env = {
    APPLICATION_TOKEN: secrets.application,
    OFFICE_REFRESH_TOKEN: secrets.office,
    COMPANY_REFRESH_TOKEN: secrets.company,
    ALERT_SECRET: secrets.alerts,
    OPS_TOKEN: secrets.api,
    ROLLCALL_KEY: randomBytes(32).toString('base64'),
  };
  const deployment = openDeployment({ engine, image, prefix, folder, env, memory, apiToken: secrets.api, freePort });
  /** HR writes its file beside the old one and puts it in its place. */
  const writeHr = async (name: string, employees: readonly Employee[]): Promise<void> => {
    const path = join(folder, 'hr', `${name}.csv`);
    await writeFile(`${path}.new`, renderEmployees(employees), { mode: 0o644 });
    await rename(`${path}.new`, path);
  };
  return { engine, image, office, company, mail, web, deployment, writeHr, secrets: Object.values(env) };
}

type World = Awaited<ReturnType<typeof prepare>>;

/** Every so-manieth person is in another area now. */
function move(employees: readonly Employee[], area: string, every = 1): readonly Employee[] {
  return employees.map((one, i) => (i % every === 0 ? { ...one, area } : one));
}

function demandSuccess(run: RunDetail): void {
  demand(run.outcome === 'succeeded', `run ${run.id} ended ${run.outcome}: ${run.reason ?? 'without a reason'}`);
}

async function install({ deployment }: World): Promise<void> {
  for (const role of ['scheduler', 'worker', 'worker', 'server'] as const) {
    const { readyMs } = await deployment.start(role);
    say(`${role}: from the start of its container until it is ready`, `${Math.round(readyMs)} ms`);
  }
}

async function scheduledRun({ deployment, office, writeHr }: World): Promise<void> {
  const employees = move(await office.employees(), 'Scheduled', 10);
  await writeHr('office', employees);
  const found = await until(
    'a scheduled run does it',
    async () =>
      (await deployment.runs('office')).find(({ trigger, counts }) => trigger === 'schedule' && counts.applied > 0),
    { withinMs: 130_000, everyMs: 500 },
  );
  const run = await deployment.ended(found.id);
  demandSuccess(run);
  demand((await office.differing(employees)).length === 0, 'the platform is not as HR says after the scheduled run');
  say('scheduled run', `${run.outcome}, ${run.counts.applied} changes`);
}

async function resyncByApi({ deployment, office, writeHr }: World): Promise<void> {
  const employees = move(await office.employees(), 'By hand', 10);
  await writeHr('office', employees);
  const from = performance.now();
  const run = await deployment.ended((await deployment.resync('office')).id);
  const tookMs = performance.now() - from;
  demand(
    run.outcome === 'succeeded' || run.outcome === 'nothing-to-do',
    `the run asked for by API ended ${run.outcome}`,
  );
  demand(
    (await office.differing(employees)).length === 0,
    'the platform is not as HR says after the run asked for by API',
  );
  say('run asked for by the API, from the question to its end', `${run.outcome}, ${seconds(tookMs)}`);
}

/** A file fails; both channels are told once, however often it fails again; and once more when it is over. */
async function failedBatch({ deployment, office, mail, web, writeHr }: World): Promise<void> {
  const employees = move(await office.employees(), 'After the fault', 10);
  await office.setFaults(['file:fail']);
  await writeHr('office', employees);
  const failed = await deployment.ended((await deployment.resync('office')).id);
  const from = performance.now();
  demand(failed.counts.failed > 0, `the batch was to fail, but the run ended ${failed.outcome}`);
  const told = (kind: 'problem' | 'recovery') =>
    until(`mail and webhook tell the ${kind}`, async () => {
      const copies = [mail, web].map(({ received }) => received.find((one) => one.kind === kind));
      return copies.every((copy) => copy !== undefined) || undefined;
    });
  await told('problem');
  say(
    `run ${failed.outcome}, ${failed.counts.failed} changes failed: told by SMTP and HTTP`,
    `after ${seconds(performance.now() - from)}`,
  );
  const again = await deployment.ended((await deployment.resync('office')).id);
  demand(again.counts.failed > 0, `the next run was to fail as well, but ended ${again.outcome}`);

  await office.setFaults([]);
  const healed = await deployment.ended((await deployment.resync('office')).id);
  demandSuccess(healed);
  const healedAt = performance.now();
  await told('recovery');
  say('healed: the recovery told by SMTP and HTTP', `after ${seconds(performance.now() - healedAt)}`);
  demandToldOnce([mail, web]);
  demand((await office.differing(employees)).length === 0, 'the platform is not as HR says after it was healed');
}

function demandToldOnce(receivers: readonly AlertReceiver[]): void {
  const told = receivers.map(({ received }) => received.map(({ kind }) => kind).join(', '));
  for (const kinds of told)
    demand(kinds === 'problem, recovery', `told was not one problem and one recovery: ${kinds}`);
  const ids = receivers.map(({ received }) => received.map(({ notice }) => notice).join(' '));
  demand(new Set(ids).size === 1, 'mail and webhook were told by different notices');
}

async function tellMemory({ replicas }: Deployment, when: string): Promise<void> {
  for (const { role, container } of replicas) {
    const { rss, peakRss, peak } = await container.usage();
    say(
      `memory ${when}: ${container.name.replace(/^.*?\d+-/, '')} (${role})`.slice(0, 58),
      `${megabytes(rss)} now, ${megabytes(peakRss)} at most, ${megabytes(peak)} by its cgroup`,
    );
  }
}

async function largeRun({ deployment, company, writeHr }: World): Promise<void> {
  const employees = move((await company.employees()).slice(0, people), 'Large run');
  demand(employees.length === people, `the sandbox has ${employees.length} enabled users only`);
  await writeHr('company', employees);
  const cpuOfWorkers = async (): Promise<number> => {
    const workers = deployment.replicas.filter(({ role }) => role === 'worker');
    const usages = await Promise.all(workers.map(({ container }) => container.usage()));
    return usages.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0);
  };
  const cpuBefore = await cpuOfWorkers();
  const run = await deployment.ended((await deployment.resync('company')).id, 1_800_000);
  const cpuSeconds = (await cpuOfWorkers()) - cpuBefore;
  demandSuccess(run);
  demand(run.counts.applied === people, `${run.counts.applied} of ${people} changes were applied`);
  demand((await company.differing(employees)).length === 0, 'the platform is not as HR says after the large run');
  const tookMs = Date.parse(run.endedAt ?? '') - Date.parse(run.startedAt);
  say(
    `run of ${people} updates in ${run.batches.length} files`,
    `${seconds(tookMs)}, CPU time of the workers ${cpuSeconds.toFixed(1)} s`,
  );
}

/** Every replica is replaced, one after the other, while a run of many batches is under way. */
async function rollingRestart({ deployment, company, writeHr }: World): Promise<void> {
  const before = (await company.rowsSent()).length;
  const employees = move((await company.employees()).slice(0, people), 'Rolling restart', 2);
  const changes = Math.ceil(people / 2);
  await writeHr('company', employees);
  const { id } = await deployment.resync('company');
  const settled = async (): Promise<number> => {
    return (await deployment.run(id)).batches.filter(({ state }) => state === 'settled').length;
  };
  await until('the third batch is settled', async () => ((await settled()) >= 3 ? true : undefined), {
    withinMs: 300_000,
  });
  const from = performance.now();
  const first = await settled();
  for (const old of [...deployment.replicas]) {
    const code = await deployment.replace(old);
    demand(code === 0, `${old.role} ended with ${code} after SIGTERM: ${(await deployment.logs()).slice(-2000)}`);
  }
  const last = await settled();
  const rolled = await deployment.run(id);
  say(
    'every replica replaced, one after the other',
    `in ${seconds(performance.now() - from)}, while batches ${first} to ${last} were settled`,
  );
  demand(rolled.phase !== 'done', 'the run had ended before every replica was replaced: take more people');
  const run = await deployment.ended(id, 900_000);
  demandSuccess(run);
  demand((await company.differing(employees)).length === 0, 'the platform is not as HR says after the rolling restart');
  const rows = (await company.rowsSent()).slice(before);
  demand(
    rows.length === changes && new Set(rows).size === changes,
    `${rows.length} rows were sent for ${changes} changes`,
  );
  demand(
    run.counts.applied === changes && run.counts.repeated === 0,
    `counts of the run: ${JSON.stringify(run.counts)}`,
  );
  const { all, repeated } = await company.refreshes();
  demand(repeated === 0, `${repeated} refresh tokens were presented twice`);
  say(`the run: ${run.outcome}, ${rows.length} rows sent, none twice`, `${all} token refreshes, none twice`);
}

async function story(): Promise<void> {
  demand(
    people >= fewestPeople,
    `--people ${values.people}: take ${fewestPeople} or more, so that a run has many batches`,
  );
  const world = await prepare();
  const { deployment, engine, image } = world;
  say('size of the image', megabytes(await engine.imageBytes(image)));
  await install(world);
  await scheduledRun(world);
  await resyncByApi(world);
  await failedBatch(world);
  await new Promise((resolve) => setTimeout(resolve, 5000));
  await tellMemory(deployment, 'at rest');
  await largeRun(world);
  await tellMemory(deployment, 'after the large run');
  await rollingRestart(world);
  demandToldOnce([world.mail, world.web]);
  const logs = await deployment.logs();
  demand(!world.secrets.some((text) => logs.includes(text)), 'a secret is in the logs');
  demand(!logs.includes('@example.com'), 'an e-mail address is in the logs');
  say('logs of all replicas', 'no secret and no person in them');
}

async function close(): Promise<void> {
  // Each once, the newest first; one that fails keeps no other from it.
  for (let next = closers.pop(); next !== undefined; next = closers.pop()) await next().catch(() => {});
}

const stop = (signal: NodeJS.Signals): void => {
  process.stderr.write(`${signal}: cleaning up\n`);
  close().finally(() => process.exit(1));
};
process.once('SIGINT', stop);
process.once('SIGTERM', stop);

try {
  await story();
} catch (error) {
  process.exitCode = 1;
  process.stderr.write(`FAILED: ${error instanceof Error ? error.message : String(error)}\n`);
} finally {
  await close();
}
