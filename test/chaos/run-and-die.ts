/**
 * A command in a process of its own that may kill itself: `run-and-die.ts ORDER`, the order as JSON (`Order`). Prints
 * one JSON line with what came of it; a line `ready` first where it works until SIGTERM.
 */

import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { decideRun } from '../../src/app/approve.ts';
import { changeTokens } from '../../src/app/connections.ts';
import { requestOrRun, runSync, stopRun } from '../../src/app/requests.ts';
import { openUptime } from '../../src/main/process.ts';
import { silentLogger } from '../../src/ports/runtime.ts';
import { openHere } from './open-here.ts';
import { SharedClock, type SharedTime } from './shared-clock.ts';
import { watchStore } from './watch-store.ts';

export interface Order {
  readonly config: string;
  readonly time: SharedTime & { readonly offsetMs: number };
  readonly command: 'apply' | 'resync' | 'start' | 'approve' | 'cancel' | 'token-refresh';
  /** The run of `approve` and `cancel`. */
  readonly run?: string;
  /** Kills itself with SIGKILL at the nth checkpoint, or the nth time that a write to the store begins or ends. */
  readonly die?: Death;
  /** How far the clock of this process's machine is ahead. The process knows the machine's uptime then. */
  readonly aheadMs?: number;
  readonly sync?: string;
}

export interface Death {
  readonly at: 'checkpoint' | 'write';
  readonly n: number;
  /** A folder through which processes count together: whichever of them comes to the nth place dies. */
  readonly countedIn?: string;
}

const order = JSON.parse(process.argv[2] ?? '{}') as Order;
const sync = order.sync ?? 'people';

/** Written at once, not when the process gets round to it. */
function tell(line: string): void {
  writeSync(1, `${line}\n`);
}

if (order.aheadMs !== undefined) {
  const { aheadMs } = order;
  const right = Date.now;
  // Also for the queue, which has no clock of ours.
  Date.now = () => right() + aheadMs;
}

let passed = 0;
/** The number of the place that is passed now: here, or in all the processes that count together. */
function numberOfPlace(folder: string | undefined): number {
  for (;;) {
    passed += 1;
    if (folder === undefined) return passed;
    try {
      closeSync(openSync(join(folder, String(passed)), 'wx'));
      return passed;
    } catch (error) {
      // Another process has passed that place.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

const pass = (kind: 'checkpoint' | 'write') => (place: string) => {
  if (order.die?.at !== kind) return;
  if (numberOfPlace(order.die.countedIn) !== order.die.n) return;
  tell(`died at ${place}`);
  process.kill(process.pid, 'SIGKILL');
  // The signal may come a moment later: nothing may happen in between.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
};

const stopped = new AbortController();
process.once('SIGTERM', () => stopped.abort(new Error('asked to stop')));
const watch = { signal: stopped.signal, progress: () => {}, by: 'shell:ana' };
const { app } = await openHere(order.config, {
  clock: new SharedClock(order.time, order.time.offsetMs),
  ...(order.aheadMs === undefined ? {} : { uptime: openUptime() }),
  logger: silentLogger,
  checkpoint: pass('checkpoint'),
  watchStore: (store) => watchStore(store, pass('write')),
});

async function obey(): Promise<unknown> {
  switch (order.command) {
    case 'apply':
      return runSync(app, sync, watch);
    case 'resync':
      return requestOrRun(app, sync, { ...watch, scope: { kind: 'all' } });
    case 'start':
      await app.start({ ...watch, onReady: () => tell('ready') });
      return { stopped: true };
    case 'approve':
      return decideRun(app, 'approve', order.run ?? '', { by: 'tests' });
    case 'cancel':
      return stopRun(app, order.run ?? '', { by: watch.by });
    case 'token-refresh':
      return changeTokens(app, 'refresh', 'acme', watch);
  }
}

try {
  tell(JSON.stringify(await obey()));
} catch (error) {
  tell(JSON.stringify({ error: error instanceof Error ? error.message : String(error) }));
  process.exitCode = 1;
} finally {
  await app.close();
}
