import { rename, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { parseFault, type RunningSandbox, startSandbox } from '../../../src/sandbox/index.ts';
import { ask } from '../../server/open-test-server.ts';
import { csvOf, employees, plainMapping, type Row, usersOf } from '../../support/office.ts';
import { type RollcallProcess, runRollcall, startRollcall } from '../../support/rollcall-process.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { openReceiver } from '../../watch/alerts/receiver.ts';

/** What a process logs when it works. */
export const ready = /"msg":"ready"/;

const preload = join(import.meta.dirname, 'fast-time.ts');

/** What a channel got, in order. */
export interface Notice {
  readonly id: string;
  readonly kind: 'problem' | 'reminder' | 'recovery' | 'note';
  readonly title: string;
  readonly text: string;
  readonly at: string;
  readonly problems: readonly { readonly code: string; readonly run: string | null }[];
  readonly recovered: readonly { readonly code: string }[];
}

export interface Deployment extends RollcallProcess {
  /** Its `/readyz`, `/healthz` and the value of `rollcall_store_up`. */
  health(): Promise<Health>;
}

export interface Health {
  readonly ready: number;
  readonly fault: string | undefined;
  readonly healthy: number;
  readonly storeUp: string | undefined;
}

export interface Drill {
  readonly folder: string;
  readonly sandbox: RunningSandbox;
  writeEmployees(rows: readonly Row[], file?: string): Promise<void>;
  setFaults(...faults: readonly string[]): void;
  /** `rollcall start` in a process of its own, ready unless told otherwise. */
  start(...words: readonly string[]): Promise<Deployment>;
  startUnready(...words: readonly string[]): Promise<Deployment>;
  /** Waits for a while of the deployment's own time. */
  minutes(count: number): Promise<void>;
  /** A command of an operator; its answer as JSON. */
  command<Answer>(...words: readonly string[]): Promise<Answer>;
  /** The runs that ended, newest first. */
  runs(): Promise<readonly DrilledRun[]>;
  notices(channel?: string): readonly Notice[];
  /** How long each notice took, from the end of its run to the channel (ms of the deployment's time). */
  delays(): Promise<readonly number[]>;
  /** The kind and the codes of each notice of the channel, in order. */
  told(channel?: string): readonly string[];
}

export interface DrilledRun {
  readonly id: string;
  readonly sync: string;
  readonly outcome?: string;
  readonly phase: string;
  readonly startedAt: string;
  readonly endedAt?: string;
}

export interface DrillOptions {
  /** How much faster than the world the processes live. With Redis, whose locks keep real time: 1. */
  readonly speed: number;
  /** What the clocks show when it begins. Default: the time. */
  readonly from?: string;
  /** How far SIGUSR2 puts the clock of a process forward, and back on the next one (ms). */
  readonly jumpMs?: number;
  readonly store?: string;
  readonly redis?: string;
  readonly syncs?: readonly string[];
  readonly people?: number;
  readonly sync?: object;
  /** More channels than `hook`. Without an `url` they are received as well. */
  readonly channels?: readonly { readonly name: string; readonly url?: string; readonly after?: string }[];
  readonly processingMs?: number;
}

/** A platform, a channel and a folder with the configuration of a deployment, whose processes are real. */
export async function openDrill(options: DrillOptions): Promise<Drill> {
  const { speed, syncs = ['people'], people = 6 } = options;
  const folder = await temporaryFolder();
  const anchor = Date.now();
  const from = options.from === undefined ? anchor : Date.parse(options.from);
  const at = (real: number): number => Math.floor(from + (real - anchor) * speed);
  const hook = await openReceiver();
  const sandbox = await startSandbox({
    now: () => at(Date.now()),
    processingMs: options.processingMs ?? 50,
    accessTokenLifeMs: 86_400_000_000,
    people: usersOf(employees(people)),
  });
  onTestFinished(() => sandbox.close());
  const everyMinute = (name: string) => ({
    connection: 'acme',
    schedule: { cron: '* * * * *' },
    source: { kind: 'csv', path: `./${name}.csv`, complete: 'stable' },
    policy: 'sync',
    mapping: plainMapping,
    lifecycle: { status: 'status', active: ['active'], leaver: ['left'] },
    settle: { every: '1s', visibleWithin: '20s', unknownAfter: '5s' },
    ...options.sync,
  });
  const config = {
    deployment: 'prod/rollcall',
    store: options.store ?? 'sqlite:./rollcall.db',
    ...(options.redis === undefined ? {} : { redis: options.redis }),
    server: { port: 0, metrics: 'open' },
    connections: {
      acme: {
        baseUrl: sandbox.url,
        accessToken: sandbox.accessToken,
        limits: { requestsPerSecond: 1000, concurrency: 4, timeout: '5s' },
      },
    },
    syncs: Object.fromEntries(syncs.map((name) => [name, everyMinute(name)])),
    alerts: [
      { kind: 'webhook', name: 'hook', url: `${hook.url}/hook` },
      ...(options.channels ?? []).map((one) => ({ kind: 'webhook', url: `${hook.url}/${one.name}`, ...one })),
    ],
  };
  await writeFile(join(folder, 'rollcall.yaml'), JSON.stringify(config));
  const env = {
    DRILL_TIME: `${speed}@${anchor}@${from}`,
    DRILL_JUMP: String(options.jumpMs ?? 0),
    NODE_OPTIONS: `--import=${preload}`,
  };
  const startUnready = async (...words: readonly string[]): Promise<Deployment> => {
    const running = startRollcall(folder, ['start', ...words], env);
    // A process that waited for its store listens anew once it has it: the last address counts.
    const address = async () => (await running.seen(/[\s\S]*"url":"([^"]+)","serves":"/))[1] ?? '';
    await address();
    return { ...running, health: async () => healthAt(await address()) };
  };
  const notices = (channel = 'hook') =>
    hook.received.filter(({ path }) => path === `/${channel}`).map((one) => one.json<Notice>());
  const command = async <Answer>(...words: readonly string[]): Promise<Answer> => {
    const { code, stdout, stderr } = await runRollcall(folder, [...words, '--json'], env);
    if (code !== 0) throw new Error(`rollcall ${words.join(' ')} ended with ${code}: ${stdout}${stderr}`);
    return JSON.parse(stdout);
  };
  const runs = async () =>
    (await command<{ readonly runs: readonly DrilledRun[] }>('runs', '--limit', '500')).runs.filter(
      ({ phase }) => phase === 'done',
    );
  return {
    folder,
    sandbox,
    async writeEmployees(rows, file = `${syncs[0]}.csv`) {
      // A run that reads meanwhile sees the whole file.
      await writeFile(join(folder, 'new.csv'), csvOf(rows));
      if (options.from !== undefined)
        await utimes(join(folder, 'new.csv'), at(Date.now()) / 1000, at(Date.now()) / 1000);
      await rename(join(folder, 'new.csv'), join(folder, file));
    },
    setFaults: (...faults) => sandbox.setFaults(faults.map(parseFault)),
    minutes: (count) => wait((count * 60_000) / speed),
    startUnready,
    async start(...words) {
      const deployment = await startUnready(...words);
      await deployment.seen(ready);
      return deployment;
    },
    command,
    runs,
    notices,
    async delays() {
      const ends = new Map((await runs()).map(({ id, endedAt }) => [id, Date.parse(endedAt ?? '')]));
      return hook.received
        .filter(({ path }) => path === '/hook')
        .flatMap((one) => {
          const run = one.json<Notice>().problems[0]?.run ?? undefined;
          return run === undefined ? [] : [at(one.at) - (ends.get(run) ?? 0)];
        });
    },
    told: (channel) =>
      notices(channel)
        .map(wordsOf)
        .filter((words) => words.includes(' ')),
  };
}

/** Prints what came, for the table of docs/measurements.md. */
export function count(what: string, drill: Drill, also = ''): void {
  const told = drill.told();
  const of = (kind: string) => told.filter((one) => one.startsWith(kind)).length;
  process.stderr.write(
    `drill | ${what} | ${of('problem')} problems, ${of('recovery')} ends, ${of('note')} notes | ${also}\n`,
  );
}

/** `problem run-failed`, `recovery run-failed`. A busy machine makes a store slow that lives 30 times faster than the world. */
function wordsOf({ kind, problems, recovered }: Notice): string {
  const codes = (kind === 'recovery' ? recovered : problems).map(({ code }) => code);
  return [kind, ...codes.filter((code) => code !== 'store-slow')].join(' ');
}

async function healthAt(url: string): Promise<Health> {
  const [ready, healthy, metrics] = await Promise.all(
    ['/readyz', '/healthz', '/metrics'].map((path) => ask(`${url}${path}`)),
  );
  const faults = ready?.json as { readonly faults?: { readonly store?: string } } | undefined;
  return {
    ready: ready?.status ?? 0,
    fault: faults?.faults?.store,
    healthy: healthy?.status ?? 0,
    storeUp: /^rollcall_store_up (\d)$/m.exec(metrics?.text ?? '')?.[1],
  };
}
