import { stringify } from 'csv-stringify/sync';
import { openAccounts } from '../../app/accounts/list-accounts.ts';
import { compareIdentifications } from '../../core/plan/change.ts';
import { formatCount, formatInstant, formatNumber, shellWord } from '../../core/run/formats.ts';
import { type Account, type AccountState, accountPageView, accountStates } from '../../views/accounts.ts';
import type { CommandRow } from '../command.ts';
import { parsePositive, syncArgument } from '../options.ts';
import { fromHere, type Shell } from '../shell.ts';
import { cleanLine, renderTable, type Style } from '../terminal.ts';
import { writeWhole } from './plan-file.ts';

interface AccountsOptions {
  readonly unmanaged?: boolean;
  readonly owned?: boolean;
  readonly conflict?: boolean;
  readonly disabledByUs?: boolean;
  readonly orphaned?: boolean;
  readonly out?: string;
  readonly limit: number;
}

export const accounts: CommandRow = {
  words: 'accounts',
  meaning: 'list the accounts of the platform, whose they are and why, and who in HR an unknown one may belong to',
  summary: 'list the accounts of the platform: whose they are, and why',
  arguments: [syncArgument],
  options: [
    ['--unmanaged', 'only accounts that no record of the source names and no sync owns'],
    ['--owned', 'only accounts that the sync owns'],
    ['--conflict', 'only accounts that may be those of another person'],
    ['--disabled-by-us', 'only accounts that Rollcall disabled'],
    ['--orphaned', 'only accounts of a sync that is not configured'],
    ['--out <file>', 'write them to a CSV file'],
    ['--limit <n>', 'maximum number of accounts to print', parsePositive, 50],
  ],
  run: listAccounts,
};

const states = {
  unmanaged: 'unmanaged',
  owned: 'owned',
  disabledByUs: 'disabled-by-us',
  orphaned: 'orphaned',
} as const satisfies Partial<Record<keyof AccountsOptions, AccountState>>;

/** With several options, accounts that one of them names. */
function filterOf(options: AccountsOptions): (account: Account) => boolean {
  const asked = (Object.keys(states) as (keyof typeof states)[]).filter((name) => options[name] === true);
  if (asked.length === 0 && options.conflict !== true) return () => true;
  return ({ state, isConflict }) =>
    asked.some((name) => states[name] === state) || (options.conflict === true && isConflict);
}

async function listAccounts(shell: Shell, sync: string, options: AccountsOptions): Promise<number> {
  const isAsked = filterOf(options);
  const { limit, out } = options;
  return shell.withApp({}, async (app) => {
    const list = await openAccounts(app, sync);
    const counts = new Map<AccountState, number>();
    let decided = 0;
    const shown: Account[] = [];
    let found = 0;
    const asked = (async function* () {
      for await (const { account } of list.each()) {
        shell.signal.throwIfAborted();
        counts.set(account.state, (counts.get(account.state) ?? 0) + 1);
        if (account.state === 'unmanaged' && account.decision !== undefined) decided += 1;
        if (!isAsked(account)) continue;
        found += 1;
        if (shown.length < limit) shown.push(account);
        yield account;
      }
    })();
    if (out !== undefined) await writeWhole('the accounts', fromHere(shell.io, out), csvOf(asked));
    else for await (const _ of asked);
    const answer = accountPageView({ sync, readAt: list.readAt, accounts: shown, next: undefined });
    const { next: _, ...json } = answer;
    const inAll = Object.fromEntries(accountStates.map((state) => [state, counts.get(state) ?? 0]));
    const written = out === undefined ? [] : [`${formatCount(found, 'account')} written to ${cleanLine(out)}`];
    const text = [
      `${formatCount(
        [...counts.values()].reduce((sum, one) => sum + one, 0),
        'account',
      )} as read ${formatInstant(list.readAt)}: ${countWords(counts)}${decided === 0 ? '' : ` (${formatNumber(decided)} decided)`}`,
      ...(out === undefined ? shownLines(shown, found, { sync, style: shell.style }) : written),
    ];
    return shell.answer({ ...json, found, counts: inAll }, text.join('\n'));
  });
}

function countWords(counts: ReadonlyMap<AccountState, number>): string {
  const some = accountStates.filter((state) => counts.has(state));
  return some.map((state) => `${formatNumber(counts.get(state) ?? 0)} ${state}`).join(', ');
}

function shownLines(
  shown: readonly Account[],
  found: number,
  { sync, style }: { readonly sync: string; readonly style: Style },
): readonly string[] {
  if (shown.length === 0) return ['no such account'];
  const head = ['ACCOUNT', 'NAME', 'E-MAIL', 'IS', 'LAST UPDATE', 'STATE'].map(style.colors.dim);
  const inOrder = shown.toSorted((a, b) => compareIdentifications(a.identification, b.identification));
  const rows = inOrder.map(({ identification, name, email, isEnabled, lastUpdate, state }) =>
    [identification, name, email, isEnabled ? 'enabled' : 'disabled', lastUpdate ?? '–', state].map(cleanLine),
  );
  const [header = '', ...lines] = renderTable([head, ...rows]).split('\n');
  const table = inOrder.flatMap(({ why, matches }, i) => {
    return [lines[i] ?? '', ...[why, ...matches.map(matchWords)].map((line) => `  ${cleanLine(line)}`)];
  });
  const rest = found - shown.length;
  const more = rest > 0 ? [`… and ${formatNumber(rest)} more: --limit ${found}, or --out accounts.csv`] : [];
  const first = inOrder.find(({ state, decision }) => state === 'unmanaged' && decision === undefined);
  const adopt = (rest: string): string => `  ${style.command(`adopt ${shellWord(sync)} ${rest}`)}`;
  const person = inOrder.flatMap(({ matches }) => matches).find(({ hasAccount }) => !hasAccount)?.identification;
  const ways =
    first === undefined
      ? []
      : [
          'to decide about an unmanaged account:',
          ...(person === undefined ? [] : [`${adopt(shellWord(person))}  gives it to that person`]),
          `${adopt(`${shellWord(first.identification)} --leave --reason TEXT`)}  leaves it as it is`,
          `${adopt(`${shellWord(first.identification)} --disable --reason TEXT`)}  disables it, by the next full run and its guards`,
        ];
  return ['', header, ...table, ...more, ...(ways.length === 0 ? [] : ['', ...ways])];
}

const evidence: Readonly<Record<Account['matches'][number]['by'], string>> = {
  'email-and-name': 'same e-mail and name',
  email: 'same e-mail',
  'name-and-birth-date': 'same name and birth date',
  name: 'same name only',
  'name-not-birth-date': 'same name, another birth date',
};

function matchWords({ identification, by, standing, hasAccount }: Account['matches'][number]): string {
  const account = hasAccount ? 'has another account' : 'has no account';
  return `may be ${identification} (${evidence[by]}; ${standing}, ${account})`;
}

/** The columns of the file. */
const columns: Readonly<Record<string, (account: Account) => string>> = {
  identification: ({ identification }) => identification,
  name: ({ name }) => name,
  email: ({ email }) => email,
  enabled: ({ isEnabled }) => (isEnabled ? 'yes' : 'no'),
  lastUpdate: ({ lastUpdate = '' }) => lastUpdate,
  state: ({ state }) => state,
  conflict: ({ isConflict }) => (isConflict ? 'yes' : 'no'),
  decision: ({ decision = '' }) => decision,
  why: ({ why }) => why,
  matches: ({ matches }) => matches.map(({ identification, by }) => `${identification} (${evidence[by]})`).join('; '),
};

async function* csvOf(accounts: AsyncIterable<Account>): AsyncGenerator<string> {
  yield stringify([Object.keys(columns)]);
  for await (const account of accounts) {
    yield stringify([Object.values(columns).map((cellOf) => cellOf(account))], { escape_formulas: true });
  }
}
