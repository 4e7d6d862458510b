import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { formatCount } from '../../core/run/formats.ts';
import type { DemoWorld, FaultList, SandboxRequest, StartedSandbox } from '../cli-io.ts';
import type { Shell } from '../shell.ts';
import { renderTable, type Style } from '../terminal.ts';

interface SandboxOptions extends Omit<SandboxRequest, 'faults' | 'quirks' | 'refreshTokens'> {
  readonly fault: readonly string[];
  readonly quirk: readonly string[];
  readonly refreshToken: readonly string[];
  readonly listFaults?: boolean;
  readonly openapi?: boolean;
}

export async function startSandbox(shell: Shell, options: SandboxOptions): Promise<number> {
  const { io, signal } = shell;
  const { fault: faults, quirk: quirks, refreshToken: refreshTokens, listFaults, openapi, ...rest } = options;
  if (listFaults === true) {
    const list = await io.sandbox.faults();
    return shell.answer(list, renderFaultList(list, shell.style));
  }
  if (openapi === true) {
    // JSON with and without --json, because it is for other programs.
    io.stdout.write(`${JSON.stringify(await io.sandbox.openApi(), undefined, 2)}\n`);
    return 0;
  }
  const started = await io.sandbox.start({ ...rest, faults, quirks, refreshTokens });
  try {
    const { url, applicationToken, accessToken, refreshToken } = started;
    shell.printJson({ url, applicationToken, accessToken, refreshToken });
    shell.print(renderSandbox(started, options.users, shell.style));
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    // It ends when it is stopped.
    return 0;
  } finally {
    await started.close();
  }
}

/** Renders the address of the sandbox and a configuration for it. Its tokens are random and give access to nothing else. */
function renderSandbox(sandbox: Omit<StartedSandbox, 'close'>, users: number, { colors }: Style): string {
  const { url, applicationToken, accessToken, refreshToken } = sandbox;
  return `${colors.bold(url)} is a platform with ${formatCount(users, 'synthetic user')}; Ctrl-C ends it.
Read and try its API in a browser: ${url}/docs (the same for programs: ${url}/openapi.json)

application token  ${applicationToken}
access token       ${accessToken}
refresh token      ${refreshToken}

For rollcall.yaml, in place of the connections that \`rollcall init\` wrote:

connections:
  acme:
    baseUrl: ${url}
    accessToken: ${accessToken}`;
}

/** Renders the accepted values of `--fault` and `--quirk`. */
function renderFaultList({ grammar, operations, kinds, quirks }: FaultList, { colors }: Style): string {
  const faults = kinds.map(({ kind, argument, summary }) => [
    argument === 'none' ? kind : `${kind}=${argument}`,
    summary,
  ]);
  return [
    `${colors.bold('--fault')}  ${grammar}`,
    renderTable(faults, '  '),
    `${colors.bold('operations')}  ${operations.join(', ')}`,
    `${colors.bold('--quirk')} name=value, with the defaults:`,
    renderTable(
      quirks.map(({ name, value }) => [name, value]),
      '  ',
    ),
  ].join('\n\n');
}

/** The result of the demo, for `--json`. */
interface DemoReport {
  readonly ok: boolean;
  readonly users: number;
  readonly employees: number;
  readonly firstRun: unknown;
  readonly secondRun: unknown;
  readonly secondPlan: unknown;
}

export async function runDemo(
  shell: Shell,
  options: { readonly folder?: string; readonly page?: boolean },
): Promise<number> {
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'rollcall-demo-')));
  const world = await shell.io.openDemo(folder);
  try {
    const report = await play(world, shell);
    shell.printJson(report);
    shell.print(
      report.ok ? `\n${happyEnd(options.folder)}` : '\nThe second plan should be empty and is not: this is a bug.',
    );
    if (report.ok && options.page === true && !shell.signal.aborted) {
      await showPage(world, shell);
    }
    return report.ok ? 0 : 1;
  } finally {
    await world.sandbox.close();
    if (options.folder === undefined) await rm(folder, { recursive: true, force: true });
  }
}

/** Serves the page with a hold to decide about. */
async function showPage(world: DemoWorld, { io, print, runCli }: Shell): Promise<void> {
  const here = ['--config', world.configPath];
  await world.makeAccident();
  print('\n── The next HR file has an accident: it marks every tenth person as terminated.\n$ rollcall apply people\n');
  await runCli(['apply', 'people', ...here], io);
  print('\n── Decide about the hold on the page. Ctrl-C ends it.\n$ rollcall start\n');
  await runCli(['start', '--link', ...here], io);
}

async function play(world: DemoWorld, { io, isJson, print, runCli }: Shell): Promise<DemoReport> {
  const here = ['--config', world.configPath];
  /** Runs a command in front of the reader. With `--json` only `ask` runs commands. */
  const show = async (words: readonly string[], note: string): Promise<void> => {
    print(`\n── ${note}\n$ rollcall ${words.join(' ')}\n`);
    if (!isJson) await runCli([...words, ...here], io);
  };
  const ask = async (words: readonly string[]): Promise<Record<string, unknown>> => {
    const kept = keeper();
    const quiet = { ...io, stdout: kept.output, stderr: keeper().output };
    const exitCode = await runCli([...words, ...here, '--json'], quiet);
    return { ...(JSON.parse(kept.text()) as Record<string, unknown>), exitCode };
  };

  print(`A platform with ${world.users} users, and an HR file with ${world.employees} employees. They differ:`);
  for (const line of world.story) print(`  · ${line}`);

  await show(['plan', 'people', '--limit', '6'], 'What would change? Nothing is written to the platform.');
  const { digest } = await ask(['plan', 'people']);
  print('\nThe first writes are held: the platform never shows job titles, so an operator must approve them.');
  const approval = ['apply', 'people', '--approve', String(digest).slice(0, 12)];
  const approved = 'A person has read the plan and approves it. The first run:';
  const firstRun = await (isJson ? ask(approval) : show(approval, approved));

  await show(['plan', 'people'], 'The second plan:');
  const secondPlan = await ask(['plan', 'people']);
  const apply = ['apply', 'people'];
  const secondRun = await (isJson ? ask(apply) : show(apply, 'The second run:'));
  await show(['why', 'people', world.leaver], 'Why did that happen to one of the leavers?');

  const ok = Object.values(secondPlan.counts as Readonly<Record<string, number>>).every((count) => count === 0);
  return { ok, users: world.users, employees: world.employees, firstRun, secondRun, secondPlan };
}

function happyEnd(folder: string | undefined): string {
  const next =
    folder === undefined
      ? 'Keep the files with: rollcall demo --folder ./rollcall-demo'
      : `Everything is in ${folder}; start a platform for it with: rollcall sandbox`;
  return `The second plan is empty: the platform equals the HR file, except for people whose rows need HR. ${next}`;
}

function keeper(): { readonly output: Writable; readonly text: () => string } {
  const pieces: string[] = [];
  const output = new Writable({
    write(piece: Buffer, _encoding, done) {
      pieces.push(piece.toString());
      done();
    },
  });
  return { output, text: () => pieces.join('') };
}
