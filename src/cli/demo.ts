import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import type { CliIo } from './cli-io.ts';
import type { AddCommand } from './command.ts';
import { runCli } from './run-cli.ts';

/** A platform, a configuration that connects to it, and what differs between the two sides. */
export interface DemoWorld {
  readonly configPath: string;
  readonly users: number;
  readonly employees: number;
  /** Identification of one of the leavers. */
  readonly leaver: string;
  /** What differs between HR file and platform, in lines for the reader. */
  readonly story: readonly string[];
  readonly sandbox: { close(): Promise<void> };
}

/** What the demo came to, for `--json`. */
interface DemoReport {
  readonly ok: boolean;
  readonly users: number;
  readonly employees: number;
  readonly firstRun: unknown;
  readonly secondRun: unknown;
  readonly secondPlan: unknown;
}

/** `rollcall demo`: the real commands, one after the other, on a sandbox platform and an HR file made up on the spot. */
export function demoCommand(io: CliIo, openWorld: (folder: string) => Promise<DemoWorld>): AddCommand {
  return (program, host) => {
    program
      .command('demo')
      .summary('watch the whole job once, on a sandbox platform and made-up people; needs no configuration')
      .description(
        'Starts a sandbox platform with 500 users, writes an HR file with 520 employees, and runs the real commands: plan, apply, and both again. Ends with 0 when the second plan is empty.',
      )
      .option('--folder <folder>', 'keep configuration, HR file and store there (default: a temporary folder, deleted)')
      .action((options: { folder?: string }, command) =>
        host.run(command, async (shell) => {
          const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'rollcall-demo-')));
          const world = await openWorld(folder);
          try {
            const report = await play(world, io, shell.isJson);
            if (shell.isJson) io.stdout.write(`${JSON.stringify(report)}\n`);
            else
              io.stdout.write(
                report.ok
                  ? `\n${happyEnd(options.folder)}\n`
                  : '\nThe second plan should be empty and is not: this is a bug.\n',
              );
            return report.ok ? 0 : 1;
          } finally {
            await world.sandbox.close();
            if (options.folder === undefined) await rm(folder, { recursive: true, force: true });
          }
        }),
      );
  };
}

async function play(world: DemoWorld, io: CliIo, isQuiet: boolean): Promise<DemoReport> {
  const say = (text: string): void => {
    if (!isQuiet) io.stdout.write(`${text}\n`);
  };
  /** Runs a command as a person would, and gives its report as JSON where it is asked for. */
  const run = async (words: readonly string[], note: string): Promise<void> => {
    say(`\n── ${note}\n$ rollcall ${words.join(' ')}\n`);
    if (!isQuiet) await runCli([...words, '--config', world.configPath], io);
  };
  const ask = async (words: readonly string[]): Promise<Record<string, unknown>> => {
    const kept = keeper();
    const code = await runCli([...words, '--config', world.configPath, '--json'], {
      ...io,
      stdout: kept.output,
      stderr: keeper().output,
    });
    return { ...(JSON.parse(kept.text()) as Record<string, unknown>), exitCode: code };
  };

  say(`A platform with ${world.users} users, and an HR file with ${world.employees} employees. They differ:`);
  for (const line of world.story) say(`  · ${line}`);

  await run(['plan', 'people', '--limit', '6'], 'What would change? Nothing is written to the platform.');
  const { digest } = await ask(['plan', 'people']);
  const approval = ['apply', 'people', '--approve', String(digest).slice(0, 12)];
  say(
    '\nThe first-sight writes are held: the platform never shows job titles, so a person has to say that writing them is meant.',
  );
  let firstRun: unknown;
  if (isQuiet) firstRun = await ask(approval);
  else await run(approval, 'A person has looked at the plan and approves it. The first run:');

  await run(['plan', 'people'], 'And again: the second plan.');
  const secondPlan = await ask(['plan', 'people']);
  let secondRun: unknown;
  if (isQuiet) secondRun = await ask(['apply', 'people']);
  else await run(['apply', 'people'], 'The second run:');
  await run(['why', 'people', world.leaver], 'Why did that happen to one of the leavers?');

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
