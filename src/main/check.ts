import type { Config } from '../config/config.ts';
import { RollcallError } from '../core/errors.ts';
import type { CheckLine } from '../ports/app.ts';
import { checkDeltas } from './check-deltas.ts';
import { checkSource } from './check-source.ts';
import type { Connection } from './open-connection.ts';
import type { Engine } from './open-engine.ts';

/** A file id that no platform gives: a status endpoint that exists says it does not know it. */
const noSuchFile = '0';

/** Looks at everything a run would need, changes nothing, and goes on after a failure so that all is said at once. */
export async function* checkConfig(
  config: Config,
  engine: Engine,
  only: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<CheckLine, void> {
  const names = Object.keys(config.connections);
  if (only !== undefined && !names.includes(only)) {
    throw new RollcallError(`no connection is called ${only}; the configuration has: ${names.join(', ')}`, {
      code: 'USAGE',
    });
  }
  yield { subject: 'configuration', state: 'ok', message: `${config.path} is in order` };
  if (config.redis !== undefined) {
    // The queue is loaded only where it is used.
    const { checkRedis } = await import('./check-redis.ts');
    yield await checkRedis(config.redis, engine.io.clock);
  }
  for (const [name, connection] of engine.connections) {
    if (only === undefined || only === name) yield* checkConnection(name, connection, signal);
  }
  for (const [name, sync] of engine.io.syncs) {
    if (only !== undefined && sync.settings.connection !== only) continue;
    const subject = `sync ${name}`;
    try {
      yield { subject, ...(await checkSource(sync, engine.io, signal)) };
    } catch (error) {
      signal.throwIfAborted();
      yield failed(subject, error);
      continue;
    }
    try {
      const deltas = await checkDeltas(sync, engine.io, signal);
      if (deltas !== undefined) yield { subject, ...deltas };
    } catch (error) {
      signal.throwIfAborted();
      const { message } = failed(subject, error);
      yield { subject, state: 'failed', message: `deltas: asked who has changed, the source said: ${message}` };
    }
  }
}

async function* checkConnection(
  name: string,
  connection: Connection,
  signal: AbortSignal,
): AsyncGenerator<CheckLine, void> {
  const subject = `connection ${name}`;
  const token = await connection.custody.status();
  const isUsable = token.state === 'ready' || token.state === 'static' || token.state === 'refreshing';
  yield { subject, state: isUsable ? 'ok' : 'warning', message: `token: ${token.state}. ${token.advice}`.trim() };
  try {
    let users = 0;
    for await (const page of connection.platform.scan(signal)) users += page.users.length;
    yield { subject, state: 'ok', message: `user search: ${users} users read, every one once` };
  } catch (error) {
    yield failed(subject, error);
    return;
  }
  try {
    const status = await connection.platform.status(noSuchFile, signal);
    const message =
      status.kind === 'no-status'
        ? 'file status: a file that does not exist gets "not found"; if real files do too, batches are settled by reading users back'
        : 'file status: the endpoint answers';
    yield { subject, state: 'ok', message };
  } catch (error) {
    yield { ...failed(subject, error), state: 'warning' };
  }
}

function failed(subject: string, error: unknown): CheckLine {
  if (!(error instanceof RollcallError)) throw error;
  return { subject, state: 'failed', message: error.message };
}
