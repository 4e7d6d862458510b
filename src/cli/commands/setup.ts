import { basename, dirname, join, relative } from 'node:path';
import type { CheckLine } from '../../app/app-io.ts';
import { checkAll, configurationLines } from '../../app/connections.ts';
import { readTrial, type SourceTrial, type StatusCount, type TrialEnd } from '../../app/try-source.ts';
import type { Standing } from '../../core/person/person.ts';
import { usageError } from '../../core/run/errors.ts';
import { formatCount, formatNumber } from '../../core/run/formats.ts';
import { given } from '../../core/run/given.ts';
import type { SourceKind } from '../../ports/source.ts';
import { fromHere, type Shell } from '../shell.ts';
import { cleanLine, quote, renderTable, type Style } from '../terminal.ts';
import { initFrom, type ProposeOptions, writeNew } from './map.ts';

/** Reads the configuration as a start does. Throws `CONFIG_INVALID` with every problem. */
export async function checkSetup(
  shell: Shell,
  connection: string | undefined,
  { offline = false }: { readonly offline?: boolean },
): Promise<number> {
  if (!offline) return checkConfigured(shell, connection);
  if (connection !== undefined) throw usageError('--offline asks no platform: use it without a connection.');
  const plainText = await shell.io.checkConfig(shell.configPath);
  const lines = configurationLines(shell.configPath, plainText);
  return shell.answer({ ok: true, lines }, lines.map((line) => renderCheckLine(line, shell.style)).join('\n'));
}

export function writeConfig(shell: Shell, options: InitOptions): Promise<number> {
  const { from, page, answer } = options;
  if (from !== undefined) return initFrom(shell, { ...options, from });
  if (page !== true && answer === undefined) return writeStarter(shell, options);
  throw usageError('--page and --answer are about an export: add --from FILE.');
}

async function checkConfigured(shell: Shell, connection: string | undefined): Promise<number> {
  return shell.withApp({}, async (app) => {
    const lines: CheckLine[] = [];
    for await (const line of checkAll(app, connection, shell.signal)) {
      lines.push(line);
      shell.print(renderCheckLine(line, shell.style));
    }
    const isWell = lines.every(({ state }) => state !== 'failed');
    shell.printJson({ ok: isWell, lines });
    return isWell ? 0 : 1;
  });
}

/** Renders one check: `✓ connection acme  user search: 512 users read, each once`. */
function renderCheckLine({ subject, state, message }: CheckLine, { colors }: Style): string {
  const mark = { ok: colors.green('✓'), warning: colors.yellow('!'), failed: colors.red('✗') }[state];
  return `${mark} ${colors.bold(cleanLine(subject))}  ${cleanLine(message)}`;
}

interface InitOptions extends Partial<ProposeOptions> {
  readonly source: string;
}

async function writeStarter(shell: Shell, { source, force = false }: InitOptions): Promise<number> {
  const { config, samples, instructions } = await shell.io.starterFiles(source);
  const configPath = fromHere(shell.io, shell.configPath);
  const folder = dirname(configPath);
  const files = [
    { path: configPath, text: config },
    ...samples.map(({ path, text }) => ({ path: join(folder, path), text })),
  ];
  await writeNew(files, force);
  const names = files.map(({ path }) => relative(shell.io.cwd, path) || basename(path));
  const text = [...names.map((name) => `wrote ${name}`), '', instructions.trimEnd()].join('\n');
  return shell.answer({ written: names }, text);
}

export async function listKinds(shell: Shell): Promise<number> {
  const kinds = await shell.io.sourceKinds();
  const listed = kinds.map(({ starters, kind, title, capabilities }) => {
    return { kind, title, capabilities, starters: starters.map(({ name }) => name) };
  });
  return shell.answer({ kinds: listed }, renderSourceKinds(kinds, shell.style));
}

interface TryOptions {
  readonly limit?: number;
  readonly show: number;
  readonly since?: string;
  readonly confirmRestoredToken?: boolean;
}

/** Returns exit code 4 for a read that is not proven complete, unless it was stopped on purpose. */
export async function trySource(
  shell: Shell,
  sync: string,
  { limit, show, since, confirmRestoredToken: mayPresentRestored = false }: TryOptions,
): Promise<number> {
  const options = given({ shown: show, limit, since });
  // With a rotating source token, presenting the first one may be the only way to read.
  return shell.withApp({ mayPresentSeed: true, mayPresentRestored }, async (app) => {
    const trial = await shell.watching((watch) => readTrial(app, sync, { ...watch, ...options }));
    return shell.answer(trial, renderTrial(trial, shell.style), trial.end.kind === 'incomplete' ? 4 : 0);
  });
}

/** Renders every kind with its capabilities, and the starters of `init`. */
function renderSourceKinds(kinds: readonly SourceKind[], { colors }: Style): string {
  const head = ['kind', 'delta', 'lookup', 'leavers', 'future hires', 'reads'].map(colors.bold);
  const rows = kinds.map(({ kind, title, capabilities: { delta, point, terminated, future } }) => {
    return [kind, delta ? 'yes' : 'no', point ? 'yes' : 'no', terminated, future, title];
  });
  const starters = kinds.flatMap((one) => one.starters.map(({ name }) => name));
  return `${renderTable([head, ...rows])}\n\nrollcall init --source NAME, with one of: ${starters.join(', ')}`;
}

/** Renders the result of a trial read: first some employees, then counts of all of them. */
function renderTrial(trial: SourceTrial, style: Style): string {
  const { colors } = style;
  const section = (name: string, body: string) => (body === '' ? '' : `${colors.bold(name)}\n${body}`);
  // With no records there is nothing to count, so only the header is printed.
  if (trial.rows === 0) return headOf(trial, style);
  const { length } = trial.people;
  const first = length === 1 ? 'the first record after mapping' : `the first ${formatNumber(length)} after mapping`;
  return [
    headOf(trial, style),
    section(first, peopleOf(trial, style)),
    section('fields of the source, with how many records have a value', fieldsOf(trial, style)),
    section('fields of the platform, with how many users get a value', mappedOf(trial, style)),
    section('status values, and their meaning by the lifecycle', statusesOf(trial, style)),
    section('records that cannot be used', reasonsOf(trial.unusable)),
    section('cells that cannot be used (the rest of the record counts)', reasonsOf(trial.unreadable)),
  ]
    .filter((text) => text !== '')
    .join('\n\n');
}

function headOf(trial: SourceTrial, { colors }: Style): string {
  const { sync, kind, read, rows, notes, several, isTokenPresented } = trial;
  const what = read === 'delta' ? ' that changed' : '';
  const lines = [
    `${colors.bold(sync)}: ${formatCount(rows, 'record')}${what} read from ${kind}`,
    endLine(trial.end, colors),
  ];
  lines.push(...notes.map((note) => colors.yellow(cleanLine(note))));
  if (several.decided > 0) {
    const people = formatCount(several.decided, 'person has', 'people have');
    lines.push(`${people} several records; scope and prefer decide which one counts`);
  }
  if (several.undecided > 0) {
    const people = formatCount(several.undecided, 'person has', 'people have');
    const names = `${several.undecidedNames.join(', ')}${several.undecided > several.undecidedNames.length ? ', …' : ''}`;
    const text = `${people} several records that contradict each other, so their users are not changed: ${names}. Set prefer to say which record counts (docs/sources/README.md#several-records-of-one-person)`;
    lines.push(colors.yellow(cleanLine(text)));
  }
  if (isTokenPresented) {
    lines.push('a refresh token was presented; the new pair is in the store, and the next run uses it');
  }
  return `${lines.join('\n  ')}\n  nothing was written, neither to the platform nor to the ledger`;
}

function endLine(end: TrialEnd, colors: Style['colors']): string {
  if (end.kind === 'complete') return colors.green(`complete: ${cleanLine(end.evidence)}`);
  if (end.kind === 'stopped') {
    return colors.yellow(`stopped at --limit ${end.limit}: the counts cover these records only`);
  }
  const reasons = end.reasons.map(cleanLine).join('; ');
  return colors.yellow(`not complete: ${reasons}. An incomplete read disables no user`);
}

function peopleOf({ people }: SourceTrial, { colors }: Style): string {
  return people
    .map(({ at, trace: { mapped, steps } }) => {
      const name = mapped.kind === 'unreadable' ? 'has no identification' : mapped.identification;
      const rows = steps.map(({ target, effect, detail, origin }) => [
        `    ${target}`,
        effect === 'set' && target !== 'status' && target !== 'scope' ? quote(detail) : cleanLine(detail),
        colors.dim(cleanLine(origin)),
      ]);
      return `  ${colors.bold(cleanLine(name))}  ${colors.dim(cleanLine(at))}\n${renderTable(rows)}`;
    })
    .join('\n');
}

function fieldsOf({ fields, isFieldListCut, unseen, rows }: SourceTrial, style: Style): string {
  const { colors } = style;
  const lines = fields.map(({ path, filled, readers }) => [
    `  ${cleanLine(path)}`,
    renderBar(filled, rows, style),
    readers.length === 0 ? colors.dim('not mapped') : readers.join(', '),
  ]);
  const gone = unseen.map(({ read, readers }) => {
    const who = `${readers.join(', ')} ${readers.length === 1 ? 'reads' : 'read'}`;
    return colors.yellow(
      `  ${who} ${cleanLine(read)}, but no record has this field: check its name and the permissions`,
    );
  });
  const more = isFieldListCut ? ['  … and more fields that are not counted'] : [];
  return [...(lines.length === 0 ? [] : [renderTable(lines)]), ...more, ...gone].join('\n');
}

function mappedOf({ mapped, standings }: SourceTrial, style: Style): string {
  const people = sum(Object.values(standings));
  return renderTable(mapped.map(({ field, people: filled }) => [`  ${field}`, renderBar(filled, people, style)]));
}

function statusesOf({ statuses, standings, outOfScope, rows }: SourceTrial, style: Style): string {
  const lines = statuses.map(({ value, records, standings: made }) => [
    `  ${value === undefined ? '(not visible)' : quote(value)}`,
    renderBar(records, rows, style),
    madeOf(made),
  ]);
  const all = standingOrder.map((standing) => `${formatNumber(standings[standing])} ${standingWords[standing]}`);
  const out = outOfScope === 0 ? '' : `, ${formatNumber(outOfScope)} of them out of scope`;
  return [...(lines.length === 0 ? [] : [renderTable(lines)]), `  in all: ${all.join(', ')}${out}`].join('\n');
}

const standingOrder = ['active', 'leaver', 'future', 'unknown'] as const satisfies readonly Standing[];
const standingWords: Readonly<Record<Standing | 'rejected', string>> = {
  active: 'active',
  leaver: 'left',
  future: 'future hire',
  unknown: 'unknown',
  rejected: 'cannot be used',
};

function madeOf(standings: StatusCount['standings']): string {
  const made = [...standingOrder, 'rejected' as const].filter((name) => (standings[name] ?? 0) > 0);
  const [only, ...others] = made;
  if (only === 'unknown' && others.length === 0) return 'unknown: such users are not changed';
  if (only !== undefined && others.length === 0) return standingWords[only];
  return made.map((name) => `${formatNumber(standings[name] ?? 0)} ${standingWords[name]}`).join(', ');
}

function reasonsOf(reasons: SourceTrial['unusable']): string {
  return renderTable(
    reasons.map(({ column, reason, records }) => [
      `  ${formatNumber(records)} ×`,
      cleanLine(column),
      cleanLine(reason),
    ]),
  );
}

const barWidth = 20;

/** Renders `████████████░░░░░░░░  61 %  732`. */
function renderBar(part: number, whole: number, { colors }: Style): string {
  const share = whole === 0 ? 0 : part / whole;
  const full = Math.round(share * barWidth);
  const percent = part > 0 && share < 0.01 ? '<1' : String(part < whole ? Math.min(99, Math.round(share * 100)) : 100);
  const bar = colors.cyan('█'.repeat(full)) + colors.dim('░'.repeat(barWidth - full));
  return `${bar} ${(whole === 0 ? '–' : percent).padStart(3)} %  ${formatNumber(part)}`;
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
