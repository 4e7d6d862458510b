import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { delimiter, dirname, join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** The port of the sandbox, and that of the server, as pages write them. */
const pagePorts = ['8787', '8080'];

/** How long a command that goes on may take to say that it is ready. */
const startMs = 60_000;

/** What a block of commands printed. */
export interface Printed {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A shell in a folder of its own, with `rollcall` on its path, on ports of its own. */
export interface PageShell {
  run(commands: string): Promise<Printed>;
  /** Starts a command that goes on, and resolves to what it printed until it has printed `until`. */
  start(command: string, until: string): Promise<Printed>;
  close(): Promise<void>;
}

/** Opens a shell for the commands of one page. Text goes in and comes out with the ports of the page. */
export async function openPageShell(): Promise<PageShell> {
  const home = await mkdtemp(join(tmpdir(), 'rollcall-page-'));
  const folder = join(home, 'work');
  const bin = join(home, 'bin');
  await mkdir(folder);
  await mkdir(bin);
  const program = join(root, 'src/main/cli.ts');
  const ports = await Promise.all(pagePorts.map(freePort));
  // The default port of a sandbox is on no command line.
  const script = `#!/bin/sh
[ "$1" = sandbox ] && set -- "$@" --port ${ports[0]}
exec "${process.execPath}" "${program}" "$@"
`;
  await writeFile(join(bin, 'rollcall'), script, { mode: 0o755 });
  const inward = (text: string) => exchange(text, pagePorts, ports);
  const login = new RegExp(`(?<=\\blogin |\\bby )${userInfo().username}\\b`, 'g');
  const outward = (text: string) => exchange(text, ports, pagePorts).replace(login, 'ana');
  const env = {
    PATH: [bin, dirname(process.execPath), process.env.PATH].join(delimiter),
    HOME: home,
    TZ: 'UTC',
    LANG: 'C.UTF-8',
    NO_COLOR: '1',
  };
  const started: ChildProcess[] = [];
  let place = folder;

  /** Where the last `cd` led is where the next block begins, as in a reader's terminal. */
  const run = async (commands: string): Promise<Printed> => {
    const trace = join(home, 'place');
    const child = spawn('sh', ['-c', `trap 'pwd > "${trace}"' EXIT\n${inward(commands)}`], {
      cwd: place,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const texts = collect(child);
    const [code] = (await once(child, 'close')) as [number | null];
    place = (await readFile(trace, 'utf8')).trim();
    return { code: code ?? -1, stdout: outward(texts.stdout()), stderr: outward(texts.stderr()) };
  };

  const start = async (command: string, until: string): Promise<Printed> => {
    const child = spawn('sh', ['-c', `exec ${inward(command)}`], {
      cwd: place,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    started.push(child);
    const texts = collect(child);
    const ended = once(child, 'close').then(() => 'ended' as const);
    const all = () => outward(texts.stdout() + texts.stderr());
    const signal = AbortSignal.timeout(startMs);
    while (!all().includes(until)) {
      const more = [child.stdout, child.stderr].map((output) => once(output, 'data', { signal }));
      const next = await Promise.race([...more, ended]);
      if (next === 'ended') throw new Error(`"${command}" ended without printing "${until}":\n${all()}`);
    }
    return { code: 0, stdout: outward(texts.stdout()), stderr: outward(texts.stderr()) };
  };

  return {
    run,
    start,
    async close() {
      await Promise.all(started.map(stop));
      await rm(home, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

function collect(child: ChildProcess) {
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text;
    });
  }
  return { stdout: () => texts.stdout, stderr: () => texts.stderr };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, 'close');
  child.kill('SIGTERM');
  await closed;
}

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return String(typeof address === 'object' && address !== null ? address.port : 0);
}

function exchange(text: string, from: readonly string[], to: readonly string[]): string {
  return from.reduce((rest, port, index) => rest.replaceAll(port, to[index] ?? port), text);
}
