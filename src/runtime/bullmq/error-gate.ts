import { RollcallError } from '../../core/errors.ts';
import type { Clock, Logger } from '../../ports/runtime.ts';
import { replyCode } from './open-redis.ts';

/** Takes every error of a connection or a worker and lets few of them through to the log. */
export interface ErrorGate {
  report(error: unknown): void;
}

const quietMs = 30_000;
const stormMs = 1000;
const stormErrors = 20;

/**
 * Logs the first error of a kind, and then at most one line per kind in half a minute, with how many it stands for.
 * `onStorm` is called when errors come by the dozen within a second: a full Redis has a worker fail in a hot loop.
 */
export function openErrorGate(io: { clock: Clock; logger: Logger; onStorm?: () => void }): ErrorGate {
  const told = new Map<string, { at: number; unsaid: number }>();
  let storm = { from: Number.NEGATIVE_INFINITY, errors: 0 };
  return {
    report(error) {
      const now = io.clock.now();
      if (now - storm.from > stormMs) storm = { from: now, errors: 0 };
      storm.errors += 1;
      if (storm.errors === stormErrors) io.onStorm?.();
      const kind = kindOf(error);
      const last = told.get(kind);
      if (last !== undefined && now - last.at < quietMs) {
        last.unsaid += 1;
        return;
      }
      told.set(kind, { at: now, unsaid: 0 });
      io.logger.error({ kind, unsaid: last?.unsaid ?? 0 }, adviceFor(error, kind));
    },
  };
}

/** A word for the error that holds nothing of what was sent: its code, else its class. */
function kindOf(error: unknown): string {
  const reply = replyCode(error);
  if (reply !== undefined) return reply;
  if (!(error instanceof Error)) return 'unknown';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

const advice: Readonly<Record<string, string>> = {
  OOM: 'Redis is full: give it more memory, with maxmemory-policy noeviction. Nothing is lost; work goes on by itself',
  NOAUTH: 'Redis wants a password: set redis.password',
  WRONGPASS: 'Redis refuses the user or password: see redis.username and redis.password',
  NOPERM: 'the Redis user may not do this: give it all commands on the keys below redis.prefix',
  READONLY: 'this Redis is a replica: name the master, or use the sentinel form',
  MISCONF: 'Redis cannot save to its disk and takes no writes: see its log. Nothing is lost',
};

function adviceFor(error: unknown, kind: string): string {
  if (error instanceof RollcallError) return error.message;
  return (
    advice[kind] ?? 'trouble with Redis: it is tried again. Nothing is lost, the store knows where every run stands'
  );
}
