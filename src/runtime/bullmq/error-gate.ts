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
    report(failure) {
      const error = ofOneNode(failure);
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

/** What to do about an error of a connection, in a sentence that holds nothing of what was sent. */
export function adviseOn(failure: unknown): string {
  const error = ofOneNode(failure);
  return adviceFor(error, kindOf(error));
}

/** What a node of a cluster or a Sentinel said, where the client only tells that none of them would have us. */
function ofOneNode(error: unknown): unknown {
  return error instanceof Error && 'lastNodeError' in error ? error.lastNodeError : error;
}

/** A word for the error that holds nothing of what was sent: its code, else its class. */
function kindOf(error: unknown): string {
  const reply = replyCode(error);
  if (reply !== undefined) return reply;
  if (!(error instanceof Error)) return 'unknown';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

const otherAuthority =
  'the certificate of Redis is of an authority that is not trusted here: put that authority into redis.ca, in PEM';
const noAnswer =
  'no answer from Redis: it is tried again, and nothing is lost. If there never was one: is this its port, and is that one for TLS (rediss://) or not (redis://)?';

// Without a colon behind a word for a secret: the log would take what follows for one.
const access =
  'redis.username and redis.password; if it is the Sentinels that ask, redis.sentinelUsername and redis.sentinelPassword';

const nobodyThere =
  'nobody answers where Redis should be: is it up, and are host and port right? Nothing is lost meanwhile';

const advice: Readonly<Record<string, string>> = {
  OOM: 'Redis is full: give it more memory, with maxmemory-policy noeviction. Nothing is lost; work goes on by itself',
  NOAUTH: `Redis wants a password. Set ${access}`,
  WRONGPASS: `Redis refuses the user or the password. See ${access}`,
  NOPERM:
    'the Redis user may not do this: give it the rights that docs/operations.md lists, on the keys of redis.prefix',
  READONLY: 'this Redis is a replica: name the master, or use the sentinel form',
  MISCONF: 'Redis cannot save to its disk and takes no writes: see its log. Nothing is lost',
  // Codes of Node's TLS (node:tls, "X509 certificate error codes").
  SELF_SIGNED_CERT_IN_CHAIN: otherAuthority,
  DEPTH_ZERO_SELF_SIGNED_CERT: otherAuthority,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: otherAuthority,
  UNABLE_TO_GET_ISSUER_CERT: otherAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: otherAuthority,
  CERT_SIGNATURE_FAILURE: otherAuthority,
  CERT_HAS_EXPIRED: 'the certificate of Redis has expired: renew it there',
  ERR_TLS_CERT_ALTNAME_INVALID:
    'the certificate of Redis is of another host than redis names: use the name that it holds',
  ECONNREFUSED: nobodyThere,
  ENOTFOUND: nobodyThere,
  EAI_AGAIN: nobodyThere,
  EHOSTUNREACH: nobodyThere,
  ETIMEDOUT: noAnswer,
  ECONNRESET: noAnswer,
};

function adviceFor(error: unknown, kind: string): string {
  if (error instanceof RollcallError) return error.message;
  return (
    advice[kind] ?? 'trouble with Redis: it is tried again. Nothing is lost, the store knows where every run stands'
  );
}
