import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import type { SFTPWrapper, Server as SshServerClass } from 'ssh2';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { sftpError } from '../../../src/sources/csv/places/sftp-errors.ts';
import { openSftpSession } from '../../../src/sources/csv/places/sftp-session.ts';
import { openSource } from '../../../src/sources/registry.ts';
import { readWhole, sourceIo } from '../../contracts/source.ts';
import { startProxy } from '../../support/http-proxy.ts';
import { findSshd, type SshServer, startSshd } from '../../support/services/sshd.ts';
import { slowly } from '../../support/slowness.ts';
import { sourceBase } from '../../support/source-base.ts';
import { openTcpProxy } from '../../support/tcp-proxy.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const program = await findSshd('CSV files on an SFTP server');
const sshd = program === undefined ? undefined : await startSshd(program, afterAll);
const people = 'id,name\n1,Ana\n2,Luz\n';

const ssh2 = createRequire(import.meta.url)('ssh2') as {
  Server: typeof SshServerClass;
  utils: {
    generateKeyPairSync(type: 'ed25519'): { private: string; public: string };
    parseKey(key: string): unknown;
  };
};

const plainFile = { mode: 0o100644, uid: 0, gid: 0, size: 9, atime: 0, mtime: 0 };

/** Returns a key of a server. Some of the pairs that ssh2 makes cannot be read by ssh2. */
function readableKeyPair() {
  for (;;) {
    const key = ssh2.utils.generateKeyPairSync('ed25519');
    if (!(ssh2.utils.parseKey(key.private) instanceof Error)) return key;
  }
}

/** A server made of the client's own library, that lets everybody in and serves files in its own way. */
async function startOddServer(serve: (sftp: SFTPWrapper) => void) {
  const key = readableKeyPair();
  const server = new ssh2.Server({ hostKeys: [key.private] }, (client) => {
    client.on('error', () => {});
    client.on('authentication', (attempt) => attempt.accept());
    client.on('session', (acceptSession) => acceptSession().on('sftp', (accept) => serve(accept())));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const { port } = server.address() as { port: number };
  const blob = Buffer.from(key.public.split(' ')[1] ?? '', 'base64');
  const hostKey = `SHA256:${createHash('sha256').update(blob).digest('base64').replace(/=$/, '')}`;
  return { host: '127.0.0.1', port, user: 'rollcall', password: 'any', path: '/employees.csv', hostKey };
}

async function office(server: SshServer) {
  const [folder, scratchFolder] = [await temporaryFolder(), await temporaryFolder()];
  const path = join(folder, 'employees.csv');
  await writeFile(path, people);
  const sftp = {
    host: '127.0.0.1',
    port: server.port,
    user: server.user,
    privateKey: server.privateKey,
    hostKey: server.hostKeys,
    path,
  };
  return {
    server,
    folder,
    open: (more: Readonly<Record<string, unknown>> = {}, config: Readonly<Record<string, unknown>> = {}) =>
      openSource({ kind: 'csv', sftp: { ...sftp, ...more }, ...config }, sourceBase(folder, { scratchFolder })),
  };
}

describe.skipIf(sshd === undefined)('a CSV file on an SFTP server', () => {
  const start = () => office(sshd as SshServer);

  it('is refused with both fingerprints when the host key is not the pinned one, before any login', async () => {
    const { server, open } = await start();
    const pinned = `SHA256:${'a'.repeat(43)}`;

    const refused = open({ hostKey: pinned }).fields(sourceIo());

    await expect(refused).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE', retry: 'never' });
    const error = await refused.catch((one: Error) => one);
    const shown = server.hostKeys.filter((key) => String(error).includes(key));
    expect(shown).toHaveLength(1);
    expect(String(error)).toContain(`but ${pinned} is pinned`);
  });

  it('is read with one of several pinned keys, and with an encrypted private key', async () => {
    const { server, open } = await start();
    const pinned = [`SHA256:${'a'.repeat(43)}=`, ...server.hostKeys];

    const { end } = await readWhole(open({ hostKey: pinned, ...server.encryptedKey }));

    expect(end).toMatchObject({ complete: true, rows: 2 });
  });

  it.each([
    ['a wrong passphrase', { passphrase: 'not this' }],
    ['a key that is none', { privateKey: 'no key', passphrase: undefined }],
  ])('tells %s apart, once and for all, without the key', async (_, wrong) => {
    const { server, open } = await start();

    const refused = open({ ...server.encryptedKey, ...wrong }).fields(sourceIo());

    await expect(refused).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE', retry: 'never' });
    await expect(refused).rejects.toThrow(/privateKey.*passphrase/);
  });

  it.each([
    ['no such file', 'nothing.csv', 'backoff', /nothing\.csv is not there: check source\.sftp\.path/],
    ['no file of the pattern', 'nothing-*.csv', 'backoff', /no file matches sftp:.*nothing-\*\.csv/],
    ['no such folder', 'none/a-*.csv', 'backoff', /none\/ is not there/],
  ])('says that there is %s', async (_, name, retry, message) => {
    const { folder, open } = await start();

    const refused = readWhole(open({ path: join(folder, name) }));

    await expect(refused).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE', retry });
    await expect(refused).rejects.toThrow(message);
  });

  it.each([
    ['pipe', 'pipe.csv'],
    ['folder', '.'],
  ])('is refused at once when it is a %s', async (_, name) => {
    const { folder, open } = await start();
    await promisify(execFile)('mkfifo', [join(folder, 'pipe.csv')]);

    const refused = readWhole(open({ path: join(folder, name) }));

    await expect(refused).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE', retry: 'never' });
    await expect(refused).rejects.toThrow(/is not a file: a folder, pipe or device cannot be read/);
  });

  it.each([undefined, 'ana:secret'])('is reached through the proxy, with the credentials %s', async (credentials) => {
    const { open, server } = await start();
    const proxy = await startProxy(server.port, credentials);
    const address = `http://${credentials === undefined ? '' : `${credentials}@`}127.0.0.1:${proxy.port}`;

    const { end } = await readWhole(open({ host: 'hr.example.com', port: 22 }, { proxy: address }));

    expect(end).toMatchObject({ complete: true, rows: 2 });
    expect(new Set(proxy.seen)).toEqual(new Set(['CONNECT hr.example.com:22']));
  });

  it('is not reached through a proxy that refuses, which is named without its password', async () => {
    const { open, server } = await start();
    const proxy = await startProxy(server.port, 'ana:secret');

    const refused = readWhole(open({}, { proxy: `http://ana:wrong-word@127.0.0.1:${proxy.port}` })).catch(String);

    expect(await refused).toContain(`the proxy 127.0.0.1:${proxy.port} refused to connect (407)`);
    expect(await refused).not.toContain('wrong-word');
  });

  it('is the newest of a pattern, unpacked, with the marker beside it', async () => {
    const { folder, open } = await start();
    const write = (name: string, text: string) => writeFile(join(folder, name), gzipSync(text));
    await write('all-2026-11-9.csv.gz', people);
    await write('all-2026-11-10.csv.gz', `${people}3,Eva\n`);
    await writeFile(join(folder, 'all-2026-11-10.csv.gz.done'), 'rows=3\n');

    const source = open({ path: join(folder, 'all-*.csv.gz') }, { complete: 'marker' });
    const { end } = await readWhole(source);

    expect(await source.fields(sourceIo())).toEqual(['id', 'name']);
    expect(end).toMatchObject({
      complete: true,
      rows: 3,
      evidence: expect.stringMatching(/10\.csv\.gz\.done is there/),
    });
  });

  it('is not complete without its marker, or with one that says otherwise', async () => {
    const { folder, open } = await start();
    const source = open({}, { complete: 'marker' });

    const without = await readWhole(source);
    await writeFile(join(folder, 'employees.csv.done'), 'rows=7\n');
    const other = await readWhole(source);

    expect(without.end).toMatchObject({
      complete: false,
      reasons: [expect.stringMatching(/marker sftp:.* not there/)],
    });
    expect(other.end).toMatchObject({
      complete: false,
      reasons: [expect.stringMatching(/says 7 rows, the file has 2/)],
    });
  });

  it('is waited for only a little when the server is away, and tried again by the next run', async () => {
    const { open, server } = await start();
    const door = await openTcpProxy(server.port, () => 'cut');

    const away = readWhole(open({ port: door.port }));

    await expect(away).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE', retry: 'backoff' });
    expect(door.connections).toBe(4);
  });

  it('stops in the middle of a transfer when it is cancelled', async () => {
    const { folder, open, server } = await start();
    await writeFile(join(folder, 'employees.csv'), `id,name\n${'1,Ana\n'.repeat(200_000)}`);
    const abort = new AbortController();
    const door = await openTcpProxy(server.port, (_, bytes) => {
      if (bytes > 200_000) abort.abort(new Error('the run was cancelled'));
      return 'pass';
    });

    const read = readWhole(open({ port: door.port }), { kind: 'full' }, sourceIo({ signal: abort.signal }));

    await expect(read).rejects.toThrow('the run was cancelled');
    expect(door.connections).toBe(1);
  });
});

it.each<[string, number, RegExp]>([
  ['says nothing more', 0, /no answer within 300 ms/],
  ['gives a byte now and then', 1, /it was still arriving after 300 ms/],
])('a server that opens the file and %s is given up, though its connection lives', async (_, bytes, reason) => {
  const settings = await startOddServer((sftp) => {
    sftp.on('error', () => {});
    sftp.on('STAT', (id) => sftp.attrs(id, plainFile));
    sftp.on('OPEN', (id) => sftp.handle(id, Buffer.from('h')));
    sftp.on('FSTAT', (id) => sftp.attrs(id, plainFile));
    sftp.on('READ', (id) => {
      if (bytes > 0) setTimeout(() => sftp.data(id, Buffer.alloc(bytes, 'x')), 1);
    });
  });
  const timeouts = { answerMs: bytes === 0 ? 300 : slowly(60_000), fileMs: 300 };
  const session = await openSftpSession(settings, new AbortController().signal, { timeouts });
  onTestFinished(() => session.close());

  const reading = session.read('/employees.csv', async () => true).catch((error) => sftpError('the file', error));

  expect(await reading).toMatchObject({ code: 'SOURCE_UNAVAILABLE', retry: 'backoff' });
  expect(String(await reading)).toMatch(reason);
});

it('a password is shown to the server that was pinned, and to no other', async () => {
  // OpenSSH takes passwords of the system's accounts alone, so this server is made of the client's own library.
  const tried: string[] = [];
  const server = new ssh2.Server({ hostKeys: [readableKeyPair().private] }, (client) => {
    client.on('error', () => {});
    client.on('authentication', (attempt) => {
      if (attempt.method !== 'password') return attempt.reject(['password']);
      tried.push(`${attempt.username} ${attempt.password}`);
      attempt.reject(['password']);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const { port } = server.address() as { port: number };
  const sftp = { host: '127.0.0.1', port, user: 'rollcall', password: 'open sesame', path: '/employees.csv' };
  const base = sourceBase(await temporaryFolder());
  const ask = (hostKey: string): Promise<unknown> =>
    openSource({ kind: 'csv', sftp: { ...sftp, hostKey } }, base)
      .fields(sourceIo())
      .catch((error: unknown) => String(error));

  const refused = await ask(`SHA256:${'a'.repeat(43)}`);
  expect(tried).toEqual([]);
  const shown = /its host key is (SHA256:\S+),/.exec(String(refused))?.[1] ?? '';

  expect(await ask(shown)).toMatch(/refuses the login: check user and password/);
  expect(tried).toEqual(['rollcall open sesame']);
});
