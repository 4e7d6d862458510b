import { queueRun } from '../src/app/requests.ts';
import { createExpressions } from '../src/config/expressions.ts';
import { loadConfig } from '../src/config/load-config.ts';
import { openApp } from '../src/main/app.ts';
import { openEngine } from '../src/main/engine.ts';
import { systemClock as clock, newUlid, openUptime } from '../src/main/process.ts';
import { knownKinds } from '../src/sources/kinds.ts';
import { followClock } from '../src/work/liveness.ts';
import { silent } from './updates-world.ts';

export interface ManyOrder {
  readonly config: string;
  readonly role: 'all' | 'worker';
}

/** What a process has used since its start. `requested`: a run of every sync is requested. */
export interface ManyNews {
  readonly kind: 'ready' | 'requested' | 'used';
  readonly cpuMs: number;
  readonly peakRssMb: number;
}

/**
 * `rollcall start` in this process, until the parent lets go. On the message `request` it requests a run of every sync at
 * once. Run as a child process with a `ManyOrder`.
 */
async function work({ config: path, role }: ManyOrder): Promise<void> {
  const config = await loadConfig(path, { env: {}, sourceKinds: knownKinds, expressions: createExpressions() });
  const parts = { clock, uptime: openUptime(), logger: silent, newId: newUlid, checkpoint: () => {} };
  const engine = await openEngine(config, { ...parts, mayPresentSeed: true });
  const app = openApp(config, engine);
  const stopFollowing = followClock(engine.checkClock, clock);
  const stopping = new AbortController();
  const tell = (kind: ManyNews['kind']): void => {
    const { user, system } = process.cpuUsage();
    const peakRssMb = (process.resourceUsage().maxRSS * 1024) / 1e6;
    process.send?.({ kind, cpuMs: (user + system) / 1000, peakRssMb } satisfies ManyNews);
  };
  const request = async (): Promise<void> => {
    const order = { scope: { kind: 'all', isFull: true }, kind: 'manual', by: 'shell:bench' } as const;
    await Promise.all(Object.keys(config.syncs).map((sync) => queueRun(app, sync, order)));
    tell('requested');
  };
  process.on('message', (word) => (word === 'request' ? void request() : tell('used')));
  process.once('disconnect', () => stopping.abort(new Error('the parent has gone')));
  await app.start({ signal: stopping.signal, progress: () => {}, role, onReady: () => tell('ready') });
  await stopFollowing();
  await app.close();
}

await work(JSON.parse(process.argv[2] ?? '{}') as ManyOrder);
