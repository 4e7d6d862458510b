import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { findProgram, freePort, installPackages, run, startProgram, tellSkipped } from './programs.ts';

/** A real OpenSSH server that lets this user in by key, and only to SFTP. */
export interface SshServer {
  readonly port: number;
  readonly user: string;
  /** Of the account; OpenSSH form. */
  readonly privateKey: string;
  /** The same one, encrypted with `passphrase`. */
  readonly encryptedKey: { readonly privateKey: string; readonly passphrase: string };
  /** `SHA256:…` of its host keys: it has an Ed25519 and an ECDSA key. */
  readonly hostKeys: readonly string[];
}

/** OpenSSH's server program, installed now where that is possible (Debian, root). Undefined, told in one line, where it is not. */
export async function findSshd(what: string): Promise<string | undefined> {
  const find = async (): Promise<string | undefined> =>
    (await findProgram('sshd')) ?? ((await isThere('/usr/sbin/sshd')) ? '/usr/sbin/sshd' : undefined);
  const found = (await find()) ?? ((await installPackages(['openssh-server'])) ? await find() : undefined);
  if (found === undefined) tellSkipped(`skipped: ${what} needs sshd (Debian: openssh-server)`);
  return found;
}

/**
 * Starts one on a free port, with keys of its own, for this test, or for the file when `atEnd` is `afterAll`. Nothing of
 * the system's server is touched.
 */
export async function startSshd(
  program: string,
  atEnd: (stop: () => Promise<void>) => void = onTestFinished,
): Promise<SshServer> {
  const folder = await mkdtemp(join(tmpdir(), 'rollcall-sshd-'));
  atEnd(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
  const path = (name: string): string => join(folder, name);
  const passphrase = 'of this test';
  await makeKey(path('host-ed25519'), 'ed25519');
  await makeKey(path('host-ecdsa'), 'ecdsa');
  await makeKey(path('user'), 'ed25519');
  await makeKey(path('user-encrypted'), 'ed25519', passphrase);
  await writeFile(
    path('authorized'),
    (await readFile(path('user.pub'), 'utf8')) + (await readFile(path('user-encrypted.pub'), 'utf8')),
  );
  const port = await freePort();
  const lines = [
    `ListenAddress 127.0.0.1:${port}`,
    `HostKey ${path('host-ed25519')}`,
    `HostKey ${path('host-ecdsa')}`,
    `AuthorizedKeysFile ${path('authorized')}`,
    'PasswordAuthentication yes',
    'PermitRootLogin yes',
    'UsePAM no',
    'StrictModes no',
    'PidFile none',
    'MaxStartups 100',
    'Subsystem sftp internal-sftp',
    'ForceCommand internal-sftp',
  ];
  await writeFile(path('config'), `${lines.join('\n')}\n`);
  // Where sshd, started by root, wants its empty folder to be.
  if (process.getuid?.() === 0) await mkdir('/run/sshd', { recursive: true, mode: 0o755 });
  const sshd = await startProgram(program, ['-D', '-e', '-f', path('config')], (text) => text.includes('listening'));
  atEnd(() => sshd.stop());
  return {
    port,
    user: userInfo().username,
    privateKey: await readFile(path('user'), 'utf8'),
    encryptedKey: { privateKey: await readFile(path('user-encrypted'), 'utf8'), passphrase },
    hostKeys: [await fingerprintOf(path('host-ed25519')), await fingerprintOf(path('host-ecdsa'))],
  };
}

async function makeKey(file: string, type: string, passphrase = ''): Promise<void> {
  await run('ssh-keygen', ['-q', '-t', type, '-N', passphrase, '-C', 'test', '-f', file]);
}

async function fingerprintOf(file: string): Promise<string> {
  const told = await run('ssh-keygen', ['-lf', `${file}.pub`]);
  return /SHA256:\S+/.exec(told)?.[0] ?? '';
}

function isThere(file: string): Promise<boolean> {
  return readFile(file).then(
    () => true,
    () => false,
  );
}
