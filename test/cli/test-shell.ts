import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { afterEach } from 'vitest';
import type { CliIo, Output } from '../../src/cli/cli-io.ts';
import { Interruption } from '../../src/cli/cli-io.ts';
import { runCli } from '../../src/cli/run-cli.ts';
import { initTemplate, proposedConfig } from '../../src/config/init-template.ts';
import { readConfigNames } from '../../src/config/load-config.ts';
import {
  guessFile,
  identityOf,
  migrateConfiguredStore,
  openBackups,
  openConfiguredApp,
  readConfig,
  sandboxAccess,
  systemClock,
} from '../../src/main/process.ts';
import { listApiOperations } from '../../src/platform/table/parameters.ts';
import { openDemoWorld } from '../../src/sandbox/demo-world.ts';
import { type RunningSandbox, startSandbox } from '../../src/sandbox/index.ts';
import { sourceKinds } from '../../src/sources/registry.ts';
import { failOnLeaks } from '../support/leak-check.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** What one command line came to. */
export interface Finished {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** The one JSON object of stdout. Throws when it is not one. */
  json<Shape>(): Shape;
}

export interface CommandOptions {
  /** stdout and stderr are terminals. */
  readonly isTerminal?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  /** What the person answers to questions. */
  readonly answer?: string;
  /** Sees stderr while the command runs; `stop` is Ctrl-C. */
  readonly onStderr?: (text: string, stop: () => void) => void;
  readonly onStdout?: (text: string, stop: () => void) => void;
}

/** A folder in which commands run, in this process, over the real parts. */
export interface TestShell {
  readonly folder: string;
  run(words: readonly string[], options?: CommandOptions): Promise<Finished>;
}

export async function openTestShell(env: Readonly<Record<string, string>> = {}): Promise<TestShell> {
  return shellIn(await temporaryFolder(), env);
}

/** The same in a folder that exists. */
export function shellIn(folder: string, env: Readonly<Record<string, string>> = {}): TestShell {
  return { folder, run: (words, options = {}) => run(folder, words, { ...options, env: { ...env, ...options.env } }) };
}

/** Opens a folder with a configuration and a source of `people` lines, connected to a sandbox of its own. */
export type OpenConnectedShell = (people: readonly string[]) => Promise<ConnectedShell>;

export interface ConnectedShell extends TestShell {
  readonly sandbox: RunningSandbox;
}

/** Call it once at the top of a test file: what is opened is closed after each test, and nothing may be left. */
export function useConnectedShells(): OpenConnectedShell {
  failOnLeaks();
  const sandboxes: RunningSandbox[] = [];
  afterEach(async () => {
    for (const sandbox of sandboxes.splice(0)) await sandbox.close();
  });
  return async (people) => {
    const sandbox = await startSandbox({ now: () => systemClock.now(), processingMs: 0 });
    sandboxes.push(sandbox);
    const shell = await openTestShell({ ROLLCALL_ACCESS_TOKEN: sandbox.accessToken });
    await shell.run(['init']);
    const path = join(shell.folder, 'rollcall.yaml');
    const config = (await readFile(path, 'utf8'))
      .replace('https://platform.example.com', `${sandbox.url}\n    limits: { requestsPerSecond: 1000 }`)
      .replace('policy: upsert-only', 'policy: sync\n    settle: { every: 50ms, deadline: 1m }');
    await writeFile(path, config);
    await writePeople(shell, people);
    return { ...shell, sandbox };
  };
}

const header = 'employee_id,first_name,last_name,work_email,department,hire_date,status,end_date';

/** Each person is `id,first name,department,status`; the rest follows from it. */
export async function writePeople(shell: Pick<TestShell, 'folder'>, people: readonly string[]): Promise<void> {
  const lines = people.map((person) => {
    const [id, name, department, status = 'active'] = person.split(',');
    return `${id},${name},Test,${id}@example.com,${department},04/03/2019,${status},`;
  });
  await writeFile(join(shell.folder, 'employees.csv'), `${[header, ...lines].join('\n')}\n`);
}

async function run(folder: string, words: readonly string[], options: CommandOptions): Promise<Finished> {
  const { isTerminal = false, env = {}, answer, onStderr, onStdout } = options;
  const stopping = new AbortController();
  // As a signal comes: never in the middle of a write.
  const stop = () => void setImmediate(() => stopping.abort(new Interruption('SIGINT')));
  const stdout = captured(isTerminal, (text) => onStdout?.(text, stop));
  const stderr = captured(isTerminal, (text) => onStderr?.(text, stop));
  const respond = async (question: string): Promise<string> => {
    stderr.output.write(question);
    return answer ?? '';
  };
  const io: CliIo = {
    stdout: stdout.output,
    stderr: stderr.output,
    env,
    cwd: folder,
    clock: systemClock,
    signal: stopping.signal,
    ...(answer === undefined ? {} : { ask: respond }),
    operator: 'tester',
    identify: async (configPath, token) => identityOf(await readConfig(join(folder, configPath), env), token),
    version: '9.9.9',
    openApp: (configPath, open) =>
      openConfiguredApp(resolve(folder, configPath), {
        ...open,
        env,
        stderr: { write: (line) => stderr.output.write(line) },
      }),
    checkConfig: async (configPath) => (await readConfig(join(folder, configPath), env)).plainText,
    namesIn: (configPath, key) => readConfigNames(join(folder, configPath), key),
    migrateStore: (configPath) => migrateConfiguredStore(join(folder, configPath), env),
    backups: backupsIn(folder, env),
    sourceKinds: async () => sourceKinds,
    starterFiles: async (name) => initTemplate(sourceKinds, name),
    guessFile: (path) => guessFile(path, stopping.signal),
    proposedConfig: async (sections) => proposedConfig(sections),
    apiOperations: async () => listApiOperations(),
    sandbox: sandboxAccess,
    openDemo: (demoFolder) => openDemoWorld(demoFolder, systemClock.now),
  };
  const code = await runCli(words, io);
  const said = stdout.text();
  return { code, stdout: said, stderr: stderr.text(), json: () => JSON.parse(said) };
}

/** Backups of a command that runs in the folder. */
function backupsIn(folder: string, env: Readonly<Record<string, string>>): CliIo['backups'] {
  const { create, preview, restore, move } = openBackups(env);
  const at = (path: string): string => resolve(folder, path);
  return {
    create: (config, file, signed) => create(at(config), at(file), signed),
    preview: (config, file) => preview(at(config), at(file)),
    restore: (config, file, signed) => restore(at(config), at(file), signed),
    move: (config, from, signed) => move(at(config), from, signed),
  };
}

/** A stream that remembers what was written to it, a terminal of 100 columns if so wanted. */
export function captured(isTTY: boolean, onText: (text: string) => void = () => {}) {
  const parts: string[] = [];
  const output: Output = Object.assign(
    new Writable({
      write(chunk, _, done) {
        parts.push(String(chunk));
        onText(String(chunk));
        done();
      },
    }),
    { isTTY, columns: 100 },
  );
  return { output, text: () => parts.join(''), plain: () => stripVTControlCharacters(parts.join('')) };
}
