import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { type CommandPlace, openCommandPlace } from '../support/command-place.ts';
import { programOf } from '../support/programs.ts';

const executable = programOf('src/main/cli.ts');
const changed = ['E1', 'E2', 'E3', 'E4'];

/** Twelve people on the platform, of whom a run has renamed four. Returns that run. */
async function openRenamed(): Promise<{ readonly place: CommandPlace; readonly run: string }> {
  const place = await openCommandPlace('sqlite:./.rollcall/rollcall.db');
  await place.employ(12);
  expect((await place.rollcall('apply', 'people')).code).toBe(0);
  const file = join(place.folder, 'employees.csv');
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replaceAll(/^(E[1-4],[^,]*),Doe/gm, '$1,Wrong'));
  const { code, stdout } = await place.rollcall('apply', 'people', '--json');
  expect(code).toBe(0);
  return { place, run: (JSON.parse(stdout) as { id: string }).id };
}

const namesIn = ({ sandbox }: CommandPlace) => changed.map((id) => sandbox.state.users.get(id)?.fields.lastName);

it('the command line shows what an undo would do, asks for --yes without a terminal, and undoes the run', async () => {
  const { place, run } = await openRenamed();
  const shown = await place.rollcall('plan', 'people', '--undo', run);
  expect(shown.code).toBe(0);
  expect(shown.stdout).toMatch(/4 to update[\s\S]*lastName: "Wrong" → "Doe"[\s\S]*rollcall undo run_/);
  expect((await place.rollcall('undo', run, '--dry-run')).stdout).toBe(shown.stdout);
  const asked = await place.rollcall('undo', run);
  expect([asked.code, asked.stderr]).toEqual([2, expect.stringContaining('Use --yes to confirm')]);
  expect(namesIn(place)).toEqual(['Wrong', 'Wrong', 'Wrong', 'Wrong']);

  const some = await place.rollcall('undo', run, '--user', 'E1', '--only', 'updates', '--yes', '--json');
  const report = JSON.parse(some.stdout) as Record<string, unknown>;
  expect([some.code, report.trigger, report.undoes, report.users]).toEqual([0, 'undo', run, 1]);
  expect((await place.rollcall('undo', run, '--reason', 'wrong export', '--yes')).code).toBe(0);
  expect(namesIn(place)).toEqual(['Doe', 'Doe', 'Doe', 'Doe']);
  const again = await place.rollcall('undo', run, '--yes');
  expect([again.code, again.stdout]).toEqual([0, expect.stringContaining('nothing to undo')]);
  const later = await place.rollcall('apply', 'people');
  expect([later.code, later.stdout]).toEqual([0, expect.stringContaining('nothing to do')]);
  const why = await place.rollcall('why', 'people', 'E2');
  expect(why.stdout).toMatch(new RegExp(`skipped: you undid it \\(.*: undid run ${run}: wrong export\\)`));
  expect((await place.rollcall('plan', 'people')).stdout).toContain('4 skipped: you undid them');
  const audit = await place.rollcall('audit', '--json');
  const { entries } = JSON.parse(audit.stdout) as { readonly entries: readonly Record<string, unknown>[] };
  const undos = entries.filter(({ action }) => action === 'undo');
  expect(undos.map((entry) => [entry.run, entry.reason, entry.detail])).toEqual([
    [run, null, '4 named people'],
    [run, 'wrong export', '4 named people'],
    [run, null, '1 named people'],
  ]);

  const wrong = await place.rollcall('undo', run, '--user', 'E99', '--yes');
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('did not change E99')]);
  const unknown = await place.rollcall('undo', 'run_none', '--yes');
  expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('there is no run run_none')]);
});

it('an undo that was killed in the middle is finished by the next command', async () => {
  const { place, run } = await openRenamed();
  const child = spawn(process.execPath, [executable, 'undo', run, '--yes'], { cwd: place.folder, stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  while (!namesIn(place).includes('Doe') && child.exitCode === null) await wait(1);
  child.kill('SIGKILL');
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');

  const { code, stdout } = await place.rollcall('apply', 'people');
  expect([code, stdout]).toEqual([0, expect.stringContaining('(undo)')]);
  expect(namesIn(place)).toEqual(['Doe', 'Doe', 'Doe', 'Doe']);
  expect((await place.rollcall('apply', 'people')).stdout).toContain('nothing to do');
});
