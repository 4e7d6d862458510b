import { randomUUID } from 'node:crypto';
import type { Container, ContainerEngine } from './container-engine.ts';
import { until } from './until.ts';

export type Role = 'scheduler' | 'worker' | 'server';

export interface DeploymentOptions {
  readonly engine: ContainerEngine;
  readonly image: string;
  readonly prefix: string;
  /** Folder of this machine with rollcall.yaml and hr/. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly memory: string;
  readonly apiToken: string;
  freePort(): Promise<number>;
}

export interface Replica {
  readonly role: Role;
  readonly container: Container;
  readonly url: string;
  /** From the call of the engine until /readyz said yes. */
  readonly readyMs: number;
}

export interface RunView {
  readonly id: string;
  readonly trigger: string;
  readonly phase: string;
  readonly outcome: string | null;
  readonly reason: string | null;
  readonly startedAt: string;
  readonly endedAt: string | null;
  readonly counts: { readonly applied: number; readonly failed: number; readonly repeated: number };
}

export interface RunDetail extends RunView {
  readonly batches: readonly { readonly state: string }[];
}

/** Replicas of the image with one configuration, in the roles that the chart gives them. */
export interface Deployment {
  readonly replicas: readonly Replica[];
  start(role: Role): Promise<Replica>;
  /** As a rolling upgrade does it: the new one is ready before the old one is told to end. Gives the old one's exit code. */
  replace(replica: Replica): Promise<number>;
  runs(sync: string): Promise<readonly RunView[]>;
  run(id: string): Promise<RunDetail>;
  /** Asks for a run by the API and gives it as soon as it has begun. */
  resync(sync: string): Promise<RunView>;
  ended(run: string, withinMs?: number): Promise<RunDetail>;
  /** Of every replica, those that are gone too. */
  logs(): Promise<string>;
}

export function openDeployment(options: DeploymentOptions): Deployment {
  const { engine, image, prefix, folder, env, memory, apiToken } = options;
  const replicas: Replica[] = [];
  const started: Container[] = [];
  const oldLogs: string[] = [];
  let count = 0;

  const start = async (role: Role): Promise<Replica> => {
    const port = await options.freePort();
    count += 1;
    const from = performance.now();
    const container = await engine.start({
      name: `${prefix}-${role}-${count}`,
      image,
      command: ['start', '--role', role, '--port', String(port), '--json'],
      env,
      mounts: { '/data/rollcall.yaml': `${folder}/rollcall.yaml`, '/data/hr': `${folder}/hr` },
      memory,
    });
    started.push(container);
    const url = `http://127.0.0.1:${port}`;
    const isReady = () =>
      fetch(`${url}/readyz`).then(
        ({ ok }) => ok || undefined,
        () => undefined,
      );
    await until(`the ${role} is ready`, isReady, { everyMs: 20 }).catch(async (error: Error) => {
      throw new Error(`${error.message}: ${(await container.logs()).slice(-2000)}`);
    });
    const replica = { role, container, url, readyMs: performance.now() - from };
    replicas.push(replica);
    return replica;
  };

  const ask = async <Shape>(path: string, init: RequestInit = {}): Promise<Shape> => {
    const server = replicas.find(({ role }) => role === 'server');
    if (server === undefined) throw new Error('no server is running');
    const headers = { authorization: `Bearer ${apiToken}`, 'content-type': 'application/json', ...init.headers };
    const answer = await fetch(`${server.url}/api/${path}`, { ...init, headers });
    if (!answer.ok) throw new Error(`${path} answers ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as Shape;
  };
  const run = (id: string): Promise<RunDetail> => ask(`runs/${id}`);

  return {
    replicas,
    start,
    async replace(old) {
      await start(old.role);
      replicas.splice(replicas.indexOf(old), 1);
      const code = await old.container.stop();
      oldLogs.push(await old.container.logs());
      await old.container.remove();
      started.splice(started.indexOf(old.container), 1);
      return code;
    },
    runs: async (sync) => (await ask<{ runs: readonly RunView[] }>(`runs?sync=${sync}&limit=50`)).runs,
    run,
    async resync(sync) {
      const key = randomUUID();
      const order = () =>
        ask<{ run: string | null }>(`syncs/${sync}/runs`, {
          method: 'POST',
          body: '{}',
          headers: { 'idempotency-key': key },
        });
      const taken = await until(`the run of ${sync} begins`, async () => (await order()).run ?? undefined, {
        everyMs: 500,
      });
      return run(taken);
    },
    ended: (id, withinMs = 60_000) =>
      until(
        `run ${id} ends`,
        async () => {
          const found = await run(id);
          return found.phase === 'done' ? found : undefined;
        },
        { withinMs, everyMs: 500 },
      ),
    logs: async () => [...oldLogs, ...(await Promise.all(started.map((one) => one.logs())))].join('\n'),
  };
}
