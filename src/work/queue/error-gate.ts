import { RollcallError } from '../../core/run/errors.ts';
import { replyCode } from '../../drivers/redis/open-redis.ts';
import type { Clock, Logger } from '../../ports/runtime.ts';

const quietMs = 30_000;
const stormMs = 1000;
const stormErrors = 20;

/**
 * Receives every error of a connection or a worker. Logs the first error of a kind, then at most one line per kind every
 * 30 seconds, with the number of errors. Calls `onStorm` when dozens of errors occur within one second. A full Redis, for
 * example, makes a worker fail in a hot loop.
 */
export function openErrorGate(io: { clock: Clock; logger: Logger; onStorm?: () => void }) {
  const told = new Map<string, { at: number; unsaid: number }>();
  let storm = { from: Number.NEGATIVE_INFINITY, errors: 0 };
  return {
    report(failure: unknown): void {
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

/** Returns advice about a connection error, as one sentence without any data that was sent. */
export function adviseOn(failure: unknown): string {
  const error = ofOneNode(failure);
  return adviceFor(error, kindOf(error));
}

/** Returns the error of a cluster node or Sentinel, when the client reports only that all of them failed. */
function ofOneNode(error: unknown): unknown {
  return error instanceof Error && 'lastNodeError' in error ? error.lastNodeError : error;
}

/** Returns the error's code or else its class, which contain no data that was sent. */
function kindOf(error: unknown): string {
  const reply = replyCode(error);
  if (reply !== undefined) return reply;
  if (!(error instanceof Error)) return 'unknown';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

const otherAuthority =
  'the certificate of Redis is from an authority that is not trusted: set redis.ca to that authority, in PEM';
const noAnswer =
  'no answer from Redis: the operation is retried, and nothing is lost. If Redis never answered, check the port, and whether it needs TLS (rediss://) or not (redis://)';

// No colon follows a word for a secret, because the log would redact the text after it.
const access =
  'redis.username and redis.password; if the Sentinels require authentication, redis.sentinelUsername and redis.sentinelPassword';

const notReachable =
  'Redis does not answer at this address: check that it runs, and that host and port are correct. Nothing is lost';

const advice: Readonly<Record<string, string>> = {
  OOM: 'Redis is full: give it more memory, with maxmemory-policy noeviction. Nothing is lost, and work continues automatically',
  NOAUTH: `Redis requires a password. Set ${access}`,
  WRONGPASS: `Redis refuses the user or the password. See ${access}`,
  NOPERM:
    'the Redis user lacks a permission: grant the rights that docs/operations.md lists, on the keys of redis.prefix',
  READONLY: 'this Redis is a replica: name the master, or use the sentinel form',
  MISCONF: 'Redis cannot save to its disk and refuses writes: see its log. Nothing is lost',
  // Codes of Node's TLS (node:tls, "X509 certificate error codes").
  SELF_SIGNED_CERT_IN_CHAIN: otherAuthority,
  DEPTH_ZERO_SELF_SIGNED_CERT: otherAuthority,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: otherAuthority,
  UNABLE_TO_GET_ISSUER_CERT: otherAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: otherAuthority,
  CERT_SIGNATURE_FAILURE: otherAuthority,
  CERT_HAS_EXPIRED: 'the certificate of Redis has expired: renew it on the server of Redis',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate of Redis is for another host: use the host name in the certificate',
  ECONNREFUSED: notReachable,
  ENOTFOUND: notReachable,
  EAI_AGAIN: notReachable,
  EHOSTUNREACH: notReachable,
  ETIMEDOUT: noAnswer,
  ECONNRESET: noAnswer,
};

function adviceFor(error: unknown, kind: string): string {
  if (error instanceof RollcallError) return error.message;
  return (
    advice[kind] ??
    `Redis failed${wordsOf(error)}: the operation is retried. Nothing is lost, because the store holds the state of every run`
  );
}

/** Returns what Redis answered. A few answers repeat the words of the command, which are cut off. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error) || replyCode(error) === undefined) return '';
  return ` (${error.message.replace(/,? with args.*/s, '').slice(0, 200)})`;
}
