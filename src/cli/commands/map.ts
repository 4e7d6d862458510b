import { access, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve, sep } from 'node:path';
import type { AppIo, SetUpEnd, SurveySides } from '../../app/app-io.ts';
import { findSync } from '../../app/find-named.ts';
import { surveySync } from '../../app/try-source.ts';
import { addressFault } from '../../core/run/addresses.ts';
import { RollcallError, usageError } from '../../core/run/errors.ts';
import { countOf } from '../../core/run/formats.ts';
import { given } from '../../core/run/given.ts';
import type { Policy } from '../../core/run/settings.ts';
import { type Card, cardsOf } from '../../core/setup/cards.ts';
import type { Proposal } from '../../core/setup/proposal.ts';
import { peopleSentence, proposalYaml } from '../../core/setup/proposal-lines.ts';
import type { Answers } from '../../core/setup/propose-mapping.ts';
import { scalar } from '../../core/setup/readings.ts';
import type { GuessedFile } from '../../ports/source.ts';
import { policies } from '../options.ts';
import { fromHere, printDeclined, type Shell } from '../shell.ts';
import { cleanLine, renderTable } from '../terminal.ts';
import { unwritable } from './plan-file.ts';

/** `init --from`. */
export interface ProposeOptions {
  readonly from: string;
  readonly connection?: string;
  readonly tokenEnv?: string;
  readonly policy?: Policy;
  readonly sync?: string;
  readonly force?: boolean;
  readonly answer?: Answers;
  readonly page?: boolean;
}

/** Writes the configuration that fits an export and the platform. Asks on a terminal for what no flag says. */
export async function initFrom(shell: Shell, options: ProposeOptions): Promise<number> {
  const { io } = shell;
  const { from, sync = 'people', tokenEnv = 'ROLLCALL_ACCESS_TOKEN', force = false } = options;
  const configPath = fromHere(io, shell.configPath);
  if (!force) await refuseToOverwrite([configPath]);
  const file = fromHere(io, from);
  const baseUrl = await answerOr(shell, options.connection, 'Address of the platform (empty: work without it): ');
  const fault = baseUrl === undefined ? undefined : addressFault(baseUrl, false);
  if (fault !== undefined) throw usageError(`the address of the platform ${fault}`);
  const policy = await policyOf(shell, options.policy);
  const sides: SurveySides = baseUrl !== undefined && (io.env[tokenEnv] ?? '') !== '' ? 'both' : 'source';
  const guessed = await io.guessFile(file);
  const facts = { file, guessed, sync, sides, baseUrl, tokenEnv, policy };
  const path = relative(dirname(configPath), resolve(file)).split(sep).join('/');
  const source = sourceYaml(path.startsWith('..') || path.startsWith('/') ? path : `./${path}`, guessed);
  const name = relative(io.cwd, configPath);
  const next = nextSteps(facts);
  const write = async (mapping: string): Promise<string> => {
    const sections = { source, mapping, sync, policy, tokenVariable: tokenEnv };
    const text = await io.proposedConfig(given({ ...sections, baseUrl }));
    await writeNew([{ path: configPath, text }], force);
    return name;
  };
  if (options.page === true) {
    if (options.answer !== undefined) throw usageError('--page asks the questions: leave out --answer.');
    const written = await withTrial(shell, facts, (app) => servePage(shell, app, { sync, sides, write }));
    if (written === undefined) return printDeclined(shell);
    return shell.answer({ written: [written], next }, nextLines([`wrote ${written}`], next));
  }
  const { proposal, survey } = await withTrial(shell, facts, (app) =>
    shell.watching((watch) => surveySync(app, sync, sides, { ...watch, ...given({ answers: options.answer }) })),
  );
  refuseAnswers(options.answer ?? {}, cardsOf(proposal, { survey, answers: {}, isRevealed: false }));
  const mapping = proposalYaml(proposal);
  await write(mapping);
  const { people, users } = proposal;
  const compared =
    users === undefined
      ? '; the platform was not asked, so values were not compared'
      : `, ${countOf(users, 'platform user')}`;
  const report = [
    `wrote ${name}`,
    '',
    `${countOf(proposal.rows, 'row')}${compared}`,
    '',
    // What the file has, with its evidence. Holds no values of people but identifications.
    ...`${source}\n${mapping}`.split('\n').map(cleanLine),
    ...(people === undefined ? [] : namesLines(people)),
    ...openLines(proposal),
  ];
  return shell.answer(
    { written: [name], platform: sides === 'both', source: guessed, proposal, next },
    nextLines(report, next),
  );
}

function nextLines(report: readonly string[], next: readonly string[]): string {
  return [...report, '', 'Next:', ...next.map((line) => `  ${line}`)].join('\n');
}

/** Throws `USAGE` with every answer to no question, or with no such choice. */
function refuseAnswers(answers: Answers, cards: readonly Card[]): void {
  const wrong = Object.entries(answers).flatMap(([about, choice]) => {
    const card = cards.find((one) => one.about === about);
    const keys = card?.choices.map(({ key }) => key);
    if (keys?.some((key) => key === choice || key.startsWith(`{ from: ${choice},`))) return [];
    const known = keys?.join(', ') ?? cards.map((one) => one.about).join(', ');
    const are = card === undefined ? `questions are ${known}` : `choices are ${known} (${card.evidence})`;
    return [`--answer ${about}=${choice}: the ${are}`];
  });
  if (wrong.length > 0) throw usageError(wrong.join('\n'));
}

/** Serves the set-up on this machine, until it is written or Ctrl-C. Returns what was written. */
async function servePage(shell: Shell, app: AppIo, { write, ...setUp }: SetUpEnd): Promise<string | undefined> {
  if (shell.isJson) throw usageError('--page prints a link for you to open: leave out --json.');
  const over = new AbortController();
  let written: string | undefined;
  const finish = async (yaml: string): Promise<string> => {
    written = (await write?.(yaml)) ?? '';
    over.abort(new RollcallError('the set-up is written', { code: 'CANCELLED' }));
    return written;
  };
  await app.start({
    signal: AbortSignal.any([shell.signal, over.signal]),
    progress: () => {},
    role: 'server',
    listen: { host: '127.0.0.1', port: 0 },
    setUp: { ...setUp, ...(write === undefined ? {} : { write: finish }) },
    onReady: () => {},
    onSignInLink: (address) => shell.print(`Open this link, which signs you in once: ${address}`),
  });
  return written;
}

interface InitFacts {
  readonly file: string;
  readonly guessed: GuessedFile;
  readonly sync: string;
  readonly sides: SurveySides;
  readonly baseUrl: string | undefined;
  readonly tokenEnv: string;
  readonly policy: Policy;
}

/** Reads both sides as every other command does, with a configuration that is deleted afterwards. */
async function withTrial<Result>(
  shell: Shell,
  { file, guessed, sync, sides, baseUrl, tokenEnv, policy }: InitFacts,
  use: (app: AppIo) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'rollcall-init-'));
  const config = {
    store: 'sqlite:./trial.db',
    connections: {
      platform: {
        baseUrl: baseUrl ?? 'https://platform.example.com',
        accessToken: sides === 'both' ? `\${env:${tokenEnv}}` : 'not-asked',
      },
    },
    syncs: {
      [sync]: {
        connection: 'platform',
        source: {
          kind: guessed.kind,
          path: file,
          ...Object.fromEntries(guessed.settings.map(({ key, value }) => [key, value])),
        },
        policy,
        // Not used: the records as they are count here, and a plan has a mapping of its own.
        mapping: { identification: 'id', firstName: 'id', lastName: 'id' },
      },
    },
  };
  try {
    const path = join(folder, 'rollcall.json');
    await writeFile(path, JSON.stringify(config), { mode: 0o600 });
    const trial = { ...shell, configPath: path };
    const app = await shell.io.openApp(trial.configPath, { mayPresentSeed: false, logs: 'off' });
    try {
      return await use(app);
    } finally {
      await app.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function answerOr(shell: Shell, given: string | undefined, question: string): Promise<string | undefined> {
  if (given !== undefined || shell.isJson || shell.io.ask === undefined) return given;
  const answer = (await shell.io.ask(question)).trim();
  return answer === '' ? undefined : answer;
}

/** The policy has no default. Unasked, the cautious one is written: it disables no one. */
async function policyOf(shell: Shell, asked: Policy | undefined): Promise<Policy> {
  const answer = await answerOr(
    shell,
    asked,
    `Policy: ${policies.join(', ')} (empty: upsert-only, which never disables): `,
  );
  const policy = policies.find((one) => one === (answer ?? 'upsert-only'));
  if (policy !== undefined) return policy;
  throw usageError(`the policy must be one of ${policies.join(', ')}`);
}

function sourceYaml(path: string, { kind, settings }: GuessedFile): string {
  const lines = settings.map(({ key, value, evidence }) => {
    const text = `  ${key}: ${typeof value === 'number' ? value : scalar(value)}`;
    return `${text.padEnd(44)} # ${evidence}`;
  });
  return ['source:', `  kind: ${kind}`, `  path: ${scalar(path)}`, ...lines, '  complete: stable'].join('\n');
}

function nextSteps({ sync, sides, baseUrl, tokenEnv }: InitFacts): readonly string[] {
  const platform = [
    ...(baseUrl === undefined ? ['enter the address of the platform in rollcall.yaml (baseUrl)'] : []),
    ...(sides === 'both' ? [] : [`export ${tokenEnv}=…   # an access token of the platform`]),
    ...(sides === 'both' || baseUrl === undefined
      ? []
      : [`rollcall map ${sync}   # compares the proposal with the platform`]),
  ];
  return [
    ...platform,
    'rollcall check',
    `rollcall plan ${sync}   # shows what would change; writes nothing`,
    'rollcall start   # the page, and the schedules',
  ];
}

export async function showDrift(
  shell: Shell,
  sync: string,
  { sourceOnly = false, page = false }: { readonly sourceOnly?: boolean; readonly page?: boolean },
): Promise<number> {
  return shell.withApp({ mayPresentSeed: true }, async (app) => {
    const sides = sourceOnly ? 'source' : 'both';
    findSync(sync, app.engine.syncs);
    if (page) {
      await servePage(shell, app, { sync, sides });
      return 0;
    }
    const { proposal, drift } = await shell.watching((watch) => surveySync(app, sync, sides, watch));
    const { colors } = shell.style;
    const notes = drift.notes.map((note) => `  ${colors.yellow('!')} ${cleanLine(note)}`);
    const text = [
      `${colors.bold(sync)}: ${countOf(proposal.rows, 'row')}${sides === 'both' ? `, ${countOf(proposal.users ?? 0, 'platform user')}` : ''}`,
      ...(notes.length === 0 ? ['  The mapping fits what both sides show.'] : notes),
      ...(drift.lines.length === 0
        ? []
        : ['', 'Lines to copy into the sync:', ...drift.lines.map((line) => `  ${cleanLine(line)}`)]),
      ...(drift.unread.length === 0
        ? []
        : ['', `Columns that no rule reads: ${drift.unread.map(cleanLine).join(', ')}`]),
      ...(proposal.people === undefined ? [] : ['', peopleSentence(proposal.people), ...namesLines(proposal.people)]),
    ];
    return shell.answer({ sync, drift, proposal }, text.join('\n'));
  });
}

/** The closing paragraph: what is not proven, and what it means for people. */
function openLines({ open }: Proposal): readonly string[] {
  if (open.length === 0) return [];
  const lines = open.map(({ about, effect }) => [about, effect].map(cleanLine));
  return [
    '',
    `Not proven, and marked UNSURE in the file (${open.length}). Look at these first:`,
    renderTable(lines, '  '),
    `To answer: --answer "${cleanLine(open[0]?.about ?? '')}=CHOICE" for each, or --page. A choice is a column, active, leaver, or - for neither.`,
  ];
}

function namesLines({ platformOnlyNames: names }: NonNullable<Proposal['people']>): readonly string[] {
  return names.length === 0 ? [] : ['', `The first on the platform only: ${names.map(cleanLine).join(', ')}.`];
}

/** Checks all paths before the first file is written. */
async function refuseToOverwrite(paths: readonly string[]): Promise<void> {
  const there: string[] = [];
  for (const path of paths) {
    const isThere = await access(path).then(
      () => true,
      () => false,
    );
    if (isThere) there.push(path);
  }
  if (there.length === 0) return;
  const message = `${there.join(' and ')} would be overwritten, so nothing was written. Use --force to overwrite.`;
  throw usageError(message);
}

/**
 * Writes files and their folders. Throws `USAGE` for a place that cannot be written, and before the first file when one
 * of them exists, unless they may be replaced.
 */
export async function writeNew(
  files: readonly { readonly path: string; readonly text: string }[],
  mayReplace: boolean,
): Promise<void> {
  if (!mayReplace) await refuseToOverwrite(files.map(({ path }) => path));
  for (const { path, text } of files) {
    try {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, text, { flag: mayReplace ? 'w' : 'wx' });
    } catch (error) {
      throw unwritable(`${path} cannot be written`, 'name another place with --config', error);
    }
  }
}
