import { PlatformError, RollcallError } from '../core/run/errors.ts';
import { formatInstant } from '../core/run/instant.ts';
import type { EngineIo } from '../run/engine-io.ts';
import type { AppIo, CheckLine, ConnectionAccess } from './app-io.ts';
import { checkDeltas, checkSource } from './check-source.ts';
import { findConnection } from './find-named.ts';
import { describeUnreadable } from './keys.ts';

/** A file id that no platform issues: an existing status endpoint answers that it does not know the file. */
const noSuchFile = '0';

/** Checks everything that a run needs, and changes nothing. Continues after a failure, so that all of them are reported. */
export async function* checkAll(
  { engine, connections, configPath, checkRedis }: AppIo,
  only: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<CheckLine, void> {
  if (only !== undefined) findConnection(only, connections);
  yield { subject: 'configuration', state: 'ok', message: `${configPath} is valid` };
  yield* checkKeys(engine);
  if (checkRedis !== undefined) yield await checkRedis();
  for (const [name, connection] of connections) {
    if (only === undefined || only === name) yield* checkConnection(name, connection, engine.clock.now(), signal);
  }
  for (const [name, sync] of engine.syncs) {
    if (only !== undefined && sync.settings.connection !== only) continue;
    const subject = `sync ${name}`;
    try {
      yield { subject, ...(await checkSource(sync, engine, signal)) };
      const deltas = await checkDeltas(sync, engine, signal);
      if (deltas !== undefined) yield { subject, ...deltas };
    } catch (error) {
      signal.throwIfAborted();
      yield failed(subject, error);
    }
  }
}

/** Reports every key whose values cannot be opened. A run stops at the first of them. */
async function* checkKeys({ store }: Pick<EngineIo, 'store'>): AsyncGenerator<CheckLine, void> {
  for (const one of await store.sealing.unreadable()) {
    const message =
      `${describeUnreadable(one)} sealed with the key ${one.keyId}, which is not configured. Name that key in ` +
      'formerEncryptionKeys. If the key is lost, "rollcall keys drop-unreadable" lists the values, and drops them after a confirmation';
    yield { subject: 'store', state: 'failed', message };
  }
}

async function* checkConnection(
  name: string,
  { platform, tokens }: ConnectionAccess,
  now: number,
  signal: AbortSignal,
): AsyncGenerator<CheckLine, void> {
  const subject = `connection ${name}`;
  const token = await tokens.status();
  const isUsable = token.state === 'ready' || token.state === 'static' || token.state === 'refreshing';
  const { expiresAt = now } = token;
  const until =
    token.state === 'reauth-required' && now < expiresAt ? `Syncs work until ${formatInstant(expiresAt)}. ` : '';
  const message = `token: ${token.state}. ${until}${token.advice}`.trim();
  yield { subject, state: isUsable ? 'ok' : 'warning', message };
  try {
    let users = 0;
    for await (const page of platform.scan(signal)) users += page.users.length;
    yield { subject, state: 'ok', message: `user search: ${users} users read, each once` };
  } catch (error) {
    yield failed(subject, error);
    return;
  }
  try {
    const status = await platform.status(noSuchFile, signal);
    const message =
      status.kind === 'no-status'
        ? 'file status: the platform returns "not found" for an unknown file. If it also does so for real files, Rollcall reads users back instead'
        : 'file status: the endpoint answers';
    yield { subject, state: 'ok', message };
  } catch (error) {
    // The contract lists 400 for this call, and no 404.
    const isRefused = error instanceof PlatformError && error.status === 400;
    yield isRefused
      ? { subject, state: 'ok', message: 'file status: the endpoint answers, and refuses an unknown file' }
      : { ...failed(subject, error), state: 'warning' };
  }
}

function failed(subject: string, error: unknown): CheckLine {
  if (!(error instanceof RollcallError)) throw error;
  return { subject, state: 'failed', message: error.message };
}
