import { RollcallError } from '../core/errors.ts';
import type { CheckLine } from './app.ts';
import type { AppIo, ConnectionAccess } from './app-io.ts';
import { checkDeltas } from './check-deltas.ts';
import { checkSource } from './check-source.ts';
import { findConnection } from './find-named.ts';

/** A file id that no platform gives: a status endpoint that exists says it does not know it. */
const noSuchFile = '0';

/** Looks at everything a run would need, changes nothing, and goes on after a failure so that all is said at once. */
export async function* check(
  only: string | undefined,
  signal: AbortSignal,
  io: AppIo,
): AsyncGenerator<CheckLine, void> {
  const { engine, connections, configPath, checkRedis } = io;
  if (only !== undefined) findConnection(only, connections);
  yield { subject: 'configuration', state: 'ok', message: `${configPath} is in order` };
  if (checkRedis !== undefined) yield await checkRedis();
  for (const [name, connection] of connections) {
    if (only === undefined || only === name) yield* checkConnection(name, connection, signal);
  }
  for (const [name, sync] of engine.syncs) {
    if (only !== undefined && sync.settings.connection !== only) continue;
    const subject = `sync ${name}`;
    try {
      yield { subject, ...(await checkSource(sync, engine, signal)) };
    } catch (error) {
      signal.throwIfAborted();
      yield failed(subject, error);
      continue;
    }
    try {
      const deltas = await checkDeltas(sync, engine, signal);
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
  { platform, tokens }: ConnectionAccess,
  signal: AbortSignal,
): AsyncGenerator<CheckLine, void> {
  const subject = `connection ${name}`;
  const token = await tokens.status();
  const isUsable = token.state === 'ready' || token.state === 'static' || token.state === 'refreshing';
  yield { subject, state: isUsable ? 'ok' : 'warning', message: `token: ${token.state}. ${token.advice}`.trim() };
  try {
    let users = 0;
    for await (const page of platform.scan(signal)) users += page.users.length;
    yield { subject, state: 'ok', message: `user search: ${users} users read, every one once` };
  } catch (error) {
    yield failed(subject, error);
    return;
  }
  try {
    const status = await platform.status(noSuchFile, signal);
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
