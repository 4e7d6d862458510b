import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import type { DemoWorld } from './cli-io.ts';
import type { AddCommand, CommandHost } from './command.ts';
import type { Shell } from './shell.ts';

/** The result of the demo, for `--json`. */
interface DemoReport {
  readonly ok: boolean;
  readonly users: number;
  readonly employees: number;
  readonly firstRun: unknown;
  readonly secondRun: unknown;
  readonly secondPlan: unknown;
}

/** `rollcall demo`: the real commands, one after the other, on a sandbox platform and a generated HR file. */
export const addDemo: AddCommand = (program, host) => {
  program
    .command('demo')
    .summary('run the whole job once, with a sandbox platform and synthetic people; needs no configuration')
    .description(
      'Starts a sandbox platform with 500 users, writes an HR file with 520 employees, and runs the real commands: plan, apply, and both again. Ends with 0 when the second plan is empty.',
    )
    .option(
      '--folder <folder>',
      'folder for configuration, HR file and store (default: a temporary folder, deleted afterwards)',
    )
    .action(host.action((shell, options: DemoOptions) => demo(shell, options, host)));
};

interface DemoOptions {
  readonly folder?: string;
}

async function demo(shell: Shell, options: DemoOptions, host: CommandHost): Promise<number> {
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'rollcall-demo-')));
  const world = await shell.io.openDemo(folder);
  try {
    const report = await play(world, shell, host);
    shell.printJson(report);
    shell.print(
      report.ok ? `\n${happyEnd(options.folder)}` : '\nThe second plan should be empty and is not: this is a bug.',
    );
    return report.ok ? 0 : 1;
  } finally {
    await world.sandbox.close();
    if (options.folder === undefined) await rm(folder, { recursive: true, force: true });
  }
}

async function play(world: DemoWorld, { io, isJson, print }: Shell, host: CommandHost): Promise<DemoReport> {
  const here = ['--config', world.configPath];
  /** Runs a command in front of the reader. With `--json` only `ask` runs commands. */
  const show = async (words: readonly string[], note: string): Promise<void> => {
    print(`\n── ${note}\n$ rollcall ${words.join(' ')}\n`);
    if (!isJson) await host.runCli([...words, ...here], io);
  };
  const ask = async (words: readonly string[]): Promise<Record<string, unknown>> => {
    const kept = keeper();
    const quiet = { ...io, stdout: kept.output, stderr: keeper().output };
    const exitCode = await host.runCli([...words, ...here, '--json'], quiet);
    return { ...(JSON.parse(kept.text()) as Record<string, unknown>), exitCode };
  };

  print(`A platform with ${world.users} users, and an HR file with ${world.employees} employees. They differ:`);
  for (const line of world.story) print(`  · ${line}`);

  await show(['plan', 'people', '--limit', '6'], 'What would change? Nothing is written to the platform.');
  const { digest } = await ask(['plan', 'people']);
  print('\nThe first-sight writes are held: the platform never shows job titles, so an operator must approve them.');
  const approval = ['apply', 'people', '--approve', String(digest).slice(0, 12)];
  const approved = 'A person has read the plan and approves it. The first run:';
  const firstRun = await (isJson ? ask(approval) : show(approval, approved));

  await show(['plan', 'people'], 'The second plan:');
  const secondPlan = await ask(['plan', 'people']);
  const apply = ['apply', 'people'];
  const secondRun = await (isJson ? ask(apply) : show(apply, 'The second run:'));
  await show(['why', 'people', world.leaver], 'Why did that happen to one of the leavers?');

  const ok = secondPlan.outcome === 'nothing-to-do';
  return { ok, users: world.users, employees: world.employees, firstRun, secondRun, secondPlan };
}

function happyEnd(folder: string | undefined): string {
  const next =
    folder === undefined
      ? 'Keep the files with: npm run demo -- --folder ./rollcall-demo'
      : `Everything is in ${folder}; start a platform for it with: rollcall sandbox`;
  return `The second plan is empty: the platform equals the HR file. ${next}`;
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
