import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { connect, isIPv6, type Socket } from 'node:net';
import Client from 'ssh2-sftp-client';
import { RollcallError } from '../../../core/run/errors.ts';
import { given } from '../../../core/run/given.ts';
import { startDeadline } from '../../../drivers/http/deadline.ts';
import { openTunnel } from '../../../drivers/http/dispatcher.ts';
import type { Egress } from '../../../ports/runtime.ts';
import type { Sftp } from './config.ts';
import { isNoSuchFile, NotRegular, sessionError, TooSlow } from './sftp-errors.ts';

/** The operations of a session that are used here. */
type Wrapper = Awaited<ReturnType<Client['connect']>>;
type Stats = Parameters<Parameters<Wrapper['fstat']>[1]>[1];

/** One SFTP session over its own connection. Must be closed. */
export interface SftpSession {
  /** Returns undefined when the file does not exist. */
  stat(path: string): Promise<Stats | undefined>;
  list(folder: string): Promise<readonly { readonly name: string; readonly stats: Stats }[]>;
  /** Reads a file from its start until `take` returns false. Returns the file's state when it was opened. */
  read(path: string, take: (chunk: Buffer) => Promise<boolean>): Promise<Stats>;
  close(): Promise<void>;
}

// Timeouts of a real socket, like those of an HTTP pool, so they do not use the injected clock.
const connectTimeoutMs = 10_000;
const readyTimeoutMs = 20_000;
const keepaliveMs = 10_000;

/** Timeouts for a server whose connection is alive but sends almost nothing. */
export interface SftpTimeouts {
  /** For the answer to one request. */
  readonly answerMs: number;
  /** For one file. */
  readonly fileMs: number;
}

/** Same values as over HTTPS. */
const defaultTimeouts: SftpTimeouts = { answerMs: 60_000, fileMs: 3_600_000 };

/** `S_IFMT` of POSIX. */
const fileTypeBits = 0o170000;

/** Bytes per read request. Several requests are in progress at once, so that latency does not add up. */
const readBytes = 32 * 1024;
const readsUnderWay = 16;

/**
 * Logs in. Throws `SOURCE_UNAVAILABLE` with `retry: never` when the host key is not the pinned one (RFC 4253, 8: no
 * secret was sent by then) or the login is refused. An abort closes the socket at once.
 */
export async function openSftpSession(
  sftp: Sftp,
  signal: AbortSignal,
  {
    egress,
    timeouts = defaultTimeouts,
  }: { readonly egress?: Egress | undefined; readonly timeouts?: SftpTimeouts } = {},
): Promise<SftpSession> {
  signal.throwIfAborted();
  const where = `sftp://${sftp.host}:${sftp.port}`;
  const socket = await openSocket(sftp, egress, signal).catch((error: unknown) => {
    signal.throwIfAborted();
    throw sessionError(where, error);
  });
  socket.setNoDelay();
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const cut = (): void => void socket.destroy();
  signal.addEventListener('abort', cut, { once: true });
  const close = async (): Promise<void> => {
    signal.removeEventListener('abort', cut);
    socket.destroy();
    await closed;
  };
  try {
    return sessionOf(await login(sftp, where, socket), close, timeouts, signal);
  } catch (error) {
    await close();
    signal.throwIfAborted();
    throw sessionError(where, error);
  }
}

async function openSocket({ host, port }: Sftp, egress: Egress | undefined, signal: AbortSignal): Promise<Socket> {
  const address = new URL(`sftp://${isIPv6(host) ? `[${host}]` : host}:${port}`);
  const proxy = egress?.proxyFor(address);
  if (proxy !== undefined) return openTunnel({ proxy, host, port }, connectTimeoutMs, signal);
  const socket = connect({ host, port });
  const timer = setTimeout(() => {
    socket.destroy(Object.assign(new Error('no connection in time'), { code: 'UND_ERR_CONNECT_TIMEOUT' }));
  }, connectTimeoutMs);
  try {
    await once(socket, 'connect', { signal });
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

async function login(sftp: Sftp, where: string, socket: Socket): Promise<Wrapper> {
  const { user, password, privateKey, passphrase } = sftp;
  const pinned = [sftp.hostKey].flat().map((text) => text.replace(/=$/, ''));
  let shown: string | undefined;
  let failure: unknown;
  const client = new Client('source', {
    error: (error: unknown) => {
      failure ??= error;
    },
    end: () => {},
    close: () => {},
  });
  client.on('error', (error) => {
    failure ??= error;
  });
  try {
    return await client.connect({
      sock: socket,
      username: user,
      readyTimeout: readyTimeoutMs,
      keepaliveInterval: keepaliveMs,
      ...given({ password, privateKey, passphrase }),
      hostVerifier: (key: Buffer) => {
        shown = `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=$/, '')}`;
        return pinned.includes(shown);
      },
    });
  } catch (error) {
    if (shown !== undefined && !pinned.includes(shown)) throw foreignHost(where, shown, pinned);
    // The library's own refusals, before it sends anything, have no code.
    const isKeyUnusable = privateKey !== undefined && failure === undefined && !hasCode(error);
    throw isKeyUnusable ? unusableKey(error) : (failure ?? error);
  }
}

function hasCode(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code !== undefined;
}

function unusableKey(cause: unknown): RollcallError {
  const message =
    'source.sftp.privateKey cannot be used: it is not a private key in OpenSSH or PEM form, or source.sftp.passphrase is ' +
    'missing or wrong. Nothing was sent';
  return new RollcallError(message, { code: 'SOURCE_UNAVAILABLE', cause });
}

function foreignHost(where: string, shown: string, pinned: readonly string[]): RollcallError {
  const message =
    `${where} is not the server that source.sftp.hostKey names: its host key is ${shown}, but ${pinned.join(', ')} is pinned. ` +
    'No password was sent. Ask the administrator of the server whether its key was changed, and only then pin the new one';
  return new RollcallError(message, { code: 'SOURCE_UNAVAILABLE' });
}

function sessionOf(
  wrapper: Wrapper,
  close: () => Promise<void>,
  timeouts: SftpTimeouts,
  signal: AbortSignal,
): SftpSession {
  const settled = <T>(call: Call<T>): Promise<T> => answered(call, timeouts.answerMs);
  return {
    close,
    stat: (path) =>
      settled<Stats>((done) => wrapper.stat(path, done)).catch((error: unknown) => {
        if (isNoSuchFile(error)) return undefined;
        throw error;
      }),
    async list(folder) {
      const entries = await settled<readonly { readonly filename: string; readonly attrs: Stats }[]>((done) =>
        wrapper.readdir(folder, (error, list) => done(error, list as never)),
      );
      return entries.map(({ filename, attrs }) => ({ name: filename, stats: attrs }));
    },
    async read(path, take) {
      // The server itself waits for a writer when it opens a pipe, so the kind of file is asked first.
      const found = await settled<Stats>((done) => wrapper.stat(path, done));
      if (hasKind(found) && !found.isFile()) throw new NotRegular();
      const handle = await settled<Buffer>((done) => wrapper.open(path, 'r', done));
      const stats = await settled<Stats>((done) => wrapper.fstat(handle, done));
      const whole = startDeadline(signal, timeouts.fileMs);
      const inTime = async (call: Call<Buffer>): Promise<Buffer> => {
        if (whole.hasPassed()) throw new TooSlow(`it was still arriving after ${timeouts.fileMs} ms`);
        return settled(call);
      };
      try {
        for await (const chunk of chunksOf(wrapper, handle, inTime)) if (!(await take(chunk))) break;
      } finally {
        whole.dispose();
      }
      await settled<void>((done) => wrapper.close(handle, (error) => done(error, undefined)));
      return stats;
    },
  };
}

/** Some servers send no mode, and then nothing says that it is not a file. */
function hasKind({ mode }: Stats): boolean {
  return ((mode ?? 0) & fileTypeBits) !== 0;
}

/** Yields the file in order, with several reads in progress. */
async function* chunksOf(
  wrapper: Wrapper,
  handle: Buffer,
  settled: (call: Call<Buffer>) => Promise<Buffer>,
): AsyncGenerator<Buffer> {
  const readAt = (position: number, length: number): Promise<Buffer> =>
    settled((done) => {
      const into = Buffer.allocUnsafe(length);
      wrapper.read(handle, into, 0, length, position, (error, count) => done(error, into.subarray(0, count)));
    });
  const underWay: Promise<Buffer>[] = [];
  let offset = 0;
  const ask = (): void => {
    const reading = readAt(offset, readBytes);
    // Reads after a failed one fail too, and no caller awaits them.
    reading.catch(() => {});
    underWay.push(reading);
    offset += readBytes;
  };
  for (let position = 0; ; position += readBytes) {
    while (underWay.length < readsUnderWay) ask();
    let chunk = await (underWay.shift() ?? readAt(position, readBytes));
    // A server may return fewer bytes than requested, and none only at the end (draft-ietf-secsh-filexfer-02, 6.4).
    while (chunk.length > 0 && chunk.length < readBytes) {
      const rest = await readAt(position + chunk.length, readBytes - chunk.length);
      if (rest.length === 0) break;
      chunk = Buffer.concat([chunk, rest]);
    }
    if (chunk.length > 0) yield chunk;
    if (chunk.length < readBytes) return;
  }
}

type Call<T> = (done: (error: Error | null | undefined, value: T) => void) => void;

function answered<T>(call: Call<T>, withinMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new TooSlow(`no answer within ${withinMs} ms`)), withinMs);
    // A session that was closed meanwhile never answers.
    timer.unref();
    call((error, value) => {
      clearTimeout(timer);
      if (error === undefined || error === null) resolve(value);
      else reject(error);
    });
  });
}
