import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import type { PagePostgres } from './page-postgres.ts';
import { openPageProgram } from './page-program.ts';

const root = join(import.meta.dirname, '../..');

/** The port of the sandbox, and that of the server, as pages write them. */
const pagePorts = ['8787', '8080'];

/** The platform of pages about a reader's own platform. Commands reach the sandbox there. */
const exampleAddress = 'https://platform.example.com';

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
  /** Runs a block, up to the first command that fails. */
  run(commands: string): Promise<Printed>;
  /** Starts a command that goes on, and resolves to what it printed until it has printed `until`. */
  start(command: string, until: string): Promise<Printed>;
  /** Stops the command that was started last with this text, and waits for its end. */
  stop(command: string): Promise<void>;
  /** Writes a file into the folder where the next commands run. */
  write(name: string, content: string): Promise<void>;
  close(): Promise<void>;
}

interface RunningCommand {
  readonly command: string;
  readonly child: ChildProcess;
}

export interface PageSettings {
  /** Paths of further programs of its PATH, by name. */
  readonly programs?: Readonly<Record<string, string>>;
  readonly postgres?: Pick<PagePostgres, 'places' | 'password'>;
}

/** Opens a shell for the commands of one page. Text goes in and comes out with the ports and addresses of the page. */
export async function openPageShell({ programs = {}, postgres }: PageSettings = {}): Promise<PageShell> {
  const home = await mkdtemp(join(tmpdir(), 'rollcall-page-'));
  const folder = join(home, 'work');
  const bin = join(home, 'bin');
  await mkdir(folder);
  await mkdir(bin);
  const program = await openPageProgram(join(home, 'program'));
  const caller = join(home, 'caller.cjs');
  await writeFile(caller, program.callerSource);
  const ports = await Promise.all(pagePorts.map(freePort));
  // The default port of a sandbox is on no command line.
  const script = `#!/bin/sh
[ "$1" = sandbox ] && set -- "$@" --port ${ports[0]}
exec "${process.execPath}" "${caller}" "${program.address}" "$@"
`;
  await writeFile(join(bin, 'rollcall'), script, { mode: 0o755 });
  for (const [name, path] of Object.entries(programs)) {
    if (isAbsolute(path)) await symlink(path, join(bin, name));
  }
  const sandboxAddress = `http://127.0.0.1:${pagePorts[0]}`;
  const exchanged = [['/home/ana', folder] as const, ...(postgres?.places ?? [])];
  const shownPlaces = exchanged.map(([shown]) => shown);
  const places = exchanged.map(([, actual]) => actual);
  const inward = (text: string) =>
    exchange(exchange(text.replaceAll(exampleAddress, sandboxAddress), shownPlaces, places), pagePorts, ports);
  const login = new RegExp(`(?<=\\blogin |\\bby |UTC  )${userInfo().username}\\b`, 'g');
  const outward = (text: string) =>
    exchange(exchange(text, places, shownPlaces), ports, pagePorts).replace(login, 'ana');
  const env = {
    PATH: [bin, dirname(process.execPath), process.env.PATH].join(delimiter),
    HOME: home,
    TZ: 'UTC',
    LANG: 'C.UTF-8',
    NO_COLOR: '1',
    /** The clone, for hidden commands. */
    CLONE: root,
    ...(postgres === undefined ? {} : { DATABASE_PASSWORD: postgres.password }),
  };
  const started: RunningCommand[] = [];
  let place = folder;
  const trace = join(home, 'place');
  const exports = join(home, 'exports');
  await writeFile(exports, '');

  /** The next block begins where the last `cd` led, with what was exported, as in a reader's terminal. */
  const run = async (commands: string): Promise<Printed> => {
    const script = `trap 'pwd > "${trace}"; export -p > "${exports}"' EXIT\n. "${exports}"\nset -e\n${inward(commands)}`;
    const child = spawn('sh', ['-c', script], {
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
    const child = spawn('sh', ['-c', `. "${exports}"; exec ${inward(command)}`], {
      cwd: place,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    started.push({ command, child });
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
    async stop(command) {
      const running = started.findLast((each) => each.command === command);
      if (running === undefined) throw new Error(`"${command}" was not started`);
      await end(running.child);
    },
    write: (name, content) => writeFile(join(place, name), `${inward(content)}\n`),
    async close() {
      await Promise.all(started.map(({ child }) => end(child)));
      await program.close();
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

async function end(child: ChildProcess): Promise<void> {
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
  return from.reduce((rest, word, index) => rest.replaceAll(word, to[index] ?? word), text);
}
