import { readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { FieldValues } from '../../src/core/person/fields.ts';
import { utcDate } from '../../src/core/person/plain-date.ts';
import { type SandboxOptions, startSandbox } from '../../src/sandbox/index.ts';
import { type Finished, openTestShell } from '../cli/test-shell.ts';

/** An HR system of a case, over HTTP. `set` says which day it is. */
export interface HrServer {
  readonly url: string;
  set(day: string): void;
  close(): Promise<void>;
}

interface CaseFile {
  readonly steps: readonly CaseStep[];
}

/** Files to put, or the day that the HR system shows, and the commands to run after it. */
interface CaseStep {
  /** Name beside the configuration to name in the case's folder. */
  readonly put?: Readonly<Record<string, string>>;
  /** Time of the files that are put (epoch seconds). */
  readonly mtime?: number;
  readonly hr?: string;
  readonly cmds: readonly (readonly string[])[];
}

interface CommandReport {
  readonly outcome: string;
  readonly reasons: readonly string[];
  readonly counts: Readonly<Record<string, number>>;
  readonly findings: readonly { readonly code: string; readonly message: string; readonly identification?: string }[];
}

export interface CaseCommand extends Pick<Finished, 'code' | 'stdout' | 'stderr'> {
  /** What the command printed with `--json`. */
  report(): CommandReport;
  /** The messages of the findings, one a line. */
  told(): string;
}

export interface PlayedCase {
  readonly commands: readonly CaseCommand[];
  readonly last: CaseCommand;
  isEnabled(identification: string): boolean | undefined;
  fields(identification: string): FieldValues | undefined;
  identifications(): readonly string[];
}

/**
 * The cases. Each folder has `rollcall.yaml`, the inputs, `case.json` where its steps differ from `twoDays`, `day1.csv`
 * where day 1 differs from `plainDay`, and `users.csv` where the platform's users beforehand are not those of day 1.
 */
export const casesFolder = join(import.meta.dirname, 'hr');

/** Day 1 of most cases: 30 people, all active. */
const plainDay = join(casesFolder, 'day1.csv');

const apply = [['apply', 'people', '--json']];
const twoDays: readonly CaseStep[] = [
  { put: { 'employees.csv': 'day1.csv' }, cmds: apply },
  { put: { 'employees.csv': 'day2.csv' }, cmds: apply },
];

/** Writes the day that is so many days from today for each `@D+20@`. */
function withDays(text: string): string {
  return text.replace(/@D([+-]\d+)@/g, (_, days) => utcDate(Date.now() + Number(days) * 86_400_000));
}

/** Plays a case with the real commands and the real platform, in this process. */
export async function playCase(name: string, hr?: HrServer, folder = casesFolder): Promise<PlayedCase> {
  const from = join(folder, name);
  const files = await readdir(from);
  const { steps }: CaseFile = files.includes('case.json')
    ? (JSON.parse(await readFile(join(from, 'case.json'), 'utf8')) as CaseFile)
    : { steps: twoDays };
  const pathOf = (input: string): string =>
    input === 'day1.csv' && !files.includes(input) ? plainDay : join(from, input);

  const users = await readFile(pathOf(files.includes('users.csv') ? 'users.csv' : 'day1.csv'), 'utf8');
  const sandbox = await startSandbox({
    now: () => Date.now(),
    processingMs: 0,
    accessToken: 'acc',
    people: usersOf(users),
  });
  onTestFinished(() => sandbox.close());
  if (hr !== undefined) onTestFinished(() => hr.close());

  const shell = await openTestShell();
  const config = withDays(await readFile(join(from, 'rollcall.yaml'), 'utf8'))
    .replaceAll('@PLATFORM@', sandbox.url)
    .replaceAll('@HR@', hr?.url ?? '')
    .replace(/every: 1s/, 'every: 50ms');
  await writeFile(join(shell.folder, 'rollcall.yaml'), config);

  const commands: CaseCommand[] = [];
  for (const step of steps) {
    if (step.hr !== undefined) hr?.set(step.hr);
    for (const [target, input] of Object.entries(step.put ?? {})) {
      const path = join(shell.folder, target);
      await writeFile(path, withDays(await readFile(pathOf(input), 'latin1')), 'latin1');
      // A copy may keep the time of its original.
      const at = step.mtime ?? Date.now() / 1000;
      await utimes(path, at, at);
    }
    for (const words of step.cmds) {
      const ended = await shell.run(words);
      const report = () => ended.json<CommandReport>();
      const told = () =>
        report()
          .findings.map(({ message }) => message)
          .join('\n');
      commands.push({ ...ended, report, told });
    }
  }
  const last = commands.at(-1);
  if (last === undefined) throw new Error(`case ${name} runs no command`);
  return {
    commands,
    last,
    isEnabled: (identification) => sandbox.state.users.get(identification)?.enabled,
    fields: (identification) => sandbox.state.users.get(identification)?.fields,
    identifications: () => [...sandbox.state.users.keys()],
  };
}

/** The people of a plain HR file as users of the platform. */
function usersOf(csv: string): NonNullable<SandboxOptions['people']> {
  return csv
    .split('\n')
    .slice(1)
    .filter((line) => line !== '')
    .map((line) => {
      const [identification = '', firstName = '', lastName = '', email = '', area = '', job = '', ...more] =
        line.split(',');
      const [phoneNumber = '', birthDate = '', orgEntryDate = '', , status] = more;
      const fields = { firstName, lastName, email, area, job, phoneNumber, birthDate, orgEntryDate };
      return { identification, enabled: status !== 'terminated', fields };
    });
}
