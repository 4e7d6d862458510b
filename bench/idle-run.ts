import type { Role } from '../src/app/app-io.ts';
import { createExpressions } from '../src/config/expressions.ts';
import { loadConfig } from '../src/config/load-config.ts';
import { openApp } from '../src/main/app.ts';
import { openEngine } from '../src/main/engine.ts';
import { systemClock as clock, newUlid, openUptime } from '../src/main/process.ts';
import { knownKinds } from '../src/sources/kinds.ts';
import { followClock } from '../src/work/liveness.ts';
import { silent } from './updates-world.ts';

export interface IdleOrder {
  readonly config: string;
  readonly role: Role;
}

/** A process says that it works, and on each later message how much CPU it has used so far. */
export type IdleNews = { readonly kind: 'ready' } | { readonly kind: 'used'; readonly cpuMs: number };

/** `rollcall start` in this process until the parent lets go. Run as a child process with an `IdleOrder`. */
async function work({ config: path, role }: IdleOrder): Promise<void> {
  const config = await loadConfig(path, { env: {}, sourceKinds: knownKinds, expressions: createExpressions() });
  const parts = { clock, uptime: openUptime(), logger: silent, newId: newUlid, checkpoint: () => {} };
  const engine = await openEngine(config, { ...parts, mayPresentSeed: true });
  const app = openApp(config, engine);
  const stopFollowing = followClock(engine.checkClock, clock);
  const stopping = new AbortController();
  const send = (news: IdleNews): void => void process.send?.(news);
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    send({ kind: 'used', cpuMs: (user + system) / 1000 });
  });
  process.once('disconnect', () => stopping.abort(new Error('the parent has gone')));
  await app.start({ signal: stopping.signal, progress: () => {}, role, onReady: () => send({ kind: 'ready' }) });
  await stopFollowing();
  await app.close();
}

await work(JSON.parse(process.argv[2] ?? '{}') as IdleOrder);
