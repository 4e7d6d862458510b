import { stringify } from 'csv-stringify/sync';
import { adoptPeople, planAdoption } from '../../app/accounts/adopt.ts';
import { openAccounts } from '../../app/accounts/list-accounts.ts';
import { moveOrphans, type OrphansOrder, previewOrphans } from '../../app/accounts/orphans.ts';
import type { SignedCaller } from '../../app/audit.ts';
import { normalText } from '../../core/person/text.ts';
import { compareIdentifications } from '../../core/plan/change.ts';
import { type DecisionWay, decisionWays } from '../../core/plan/standing.ts';
import { usageError } from '../../core/run/errors.ts';
import { formatCount, formatInstant, formatNumber, shellWord } from '../../core/run/formats.ts';
import { given } from '../../core/run/given.ts';
import { zeros } from '../../core/run/run.ts';
import { type Account, type AccountTab, accountPageView, accountTabs, tabOf } from '../../views/accounts.ts';
import { type Adoption, adoptionsView, orphansMovedView } from '../../views/people.ts';
import type { parseUntil } from '../options.ts';
import { fromHere, printDeclined, type Shell } from '../shell.ts';
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

/** The words of the page. */
export const accountWords: Readonly<Record<AccountTab, string>> = {
  conflict: 'in conflict',
  orphaned: 'its sync is not configured',
  unmanaged: 'unmanaged',
  'other-sync': 'another sync owns it',
  'in-source': 'in HR, not owned yet',
  'disabled-by-us': 'disabled by Rollcall',
  owned: 'owned',
};

/** With several options, accounts that one of them names. */
function filterOf(options: AccountsOptions): (account: Account) => boolean {
  const { disabledByUs, limit: _limit, out: _out, ...named } = options;
  const asked: Partial<Record<AccountTab, boolean>> = { ...named, ...given({ 'disabled-by-us': disabledByUs }) };
  return Object.keys(asked).length === 0
    ? () => true
    : (account) => asked[tabOf(account)] === true || asked[account.state] === true;
}

export async function listAccounts(shell: Shell, sync: string, options: AccountsOptions): Promise<number> {
  const isAsked = filterOf(options);
  const { limit, out } = options;
  return shell.withApp({}, async (app) => {
    const list = await openAccounts(app, sync);
    const counts = zeros(accountTabs);
    let [inAll, decided, found] = [0, 0, 0];
    const shown: Account[] = [];
    const asked = (async function* () {
      for await (const { account } of list.each()) {
        shell.signal.throwIfAborted();
        inAll += 1;
        counts[tabOf(account)] += 1;
        if (tabOf(account) === 'unmanaged' && account.decision !== undefined) decided += 1;
        if (!isAsked(account)) continue;
        found += 1;
        if (shown.length < limit) shown.push(account);
        yield account;
      }
    })();
    if (out !== undefined) await writeWhole('the accounts', fromHere(shell.io, out), csvOf(asked));
    else for await (const _ of asked);
    const some = accountTabs.filter((tab) => counts[tab] > 0);
    const also = (tab: AccountTab) => (tab === 'unmanaged' && decided > 0 ? ` (${formatNumber(decided)} decided)` : '');
    const words = some.map((tab) => `${formatNumber(counts[tab])} ${accountWords[tab]}${also(tab)}`).join(', ');
    const page = { sync, readAt: list.readAt, accounts: shown, found, counts, next: undefined };
    const { next: _, ...json } = accountPageView(page);
    const written = out === undefined ? [] : [`${formatCount(found, 'account')} written to ${cleanLine(out)}`];
    const text = [
      `${formatCount(inAll, 'account')} as read ${formatInstant(list.readAt)}: ${words}`,
      ...(out === undefined ? shownLines(shown, found, { sync, style: shell.style }) : written),
    ];
    return shell.answer(json, text.join('\n'));
  });
}

function shownLines(
  shown: readonly Account[],
  found: number,
  { sync, style }: { readonly sync: string; readonly style: Style },
): readonly string[] {
  if (shown.length === 0) return ['no such account'];
  const head = ['ACCOUNT', 'NAME', 'E-MAIL', 'IS', 'LAST UPDATE', 'STATE'].map(style.colors.dim);
  const inOrder = shown.toSorted((a, b) => compareIdentifications(a.identification, b.identification));
  const rows = inOrder.map((account) => {
    const { identification, name, email, isEnabled, lastUpdate = '–' } = account;
    const is = isEnabled ? 'enabled' : 'disabled';
    return [identification, name, email, is, lastUpdate, accountWords[tabOf(account)]].map(cleanLine);
  });
  const [header = '', ...lines] = renderTable([head, ...rows]).split('\n');
  const table = inOrder.flatMap(({ why, matches }, i) => [
    lines[i] ?? '',
    ...[why, ...matches.map(matchWords)].map((line) => `  ${cleanLine(line)}`),
  ]);
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

interface AdoptOptions {
  readonly from?: string;
  readonly leave?: boolean;
  readonly replace?: boolean;
  readonly apart?: boolean;
  readonly disable?: boolean;
  readonly same?: boolean;
  readonly another?: boolean;
  readonly until?: ReturnType<typeof parseUntil>;
}

export async function takeOver(
  shell: Shell,
  sync: string,
  ids: readonly string[],
  options: AdoptOptions,
): Promise<number> {
  const caller = await shell.caller();
  const names = ids.map(normalText);
  const { from, leave: leaves = false, until } = options;
  const ways = decisionWays.filter((way) => options[way] === true);
  const isMixed = from !== undefined && (until !== undefined || ways.some((way) => way !== 'leave'));
  if ((from === undefined) === (names.length === 0) || isMixed || ways.length > 1) {
    const message =
      'name people, or a former sync with --from NAME. Use one of --leave, --disable, --replace, --apart, --same and --another. With --from, only --leave is possible';
    throw usageError(message);
  }
  if (from !== undefined) return takeOrphans(shell, { sync, from, leaves, ...caller });
  const [way] = ways;
  return shell.withApp({ hasEffect: true }, async (app) => {
    const preview = await planAdoption(app, sync, names, shell.signal);
    shell.print(renderAdoptions(preview, shell.style));
    if (way === undefined) {
      for (const line of preview.flatMap((one) => renderWays(one, sync, shell.style))) shell.print(line);
    }
    const count = preview.filter(({ kind }) => way !== undefined || kind !== 'none').length;
    if (count === 0) return shell.answer(adoptionsView({ sync, adoptions: preview }), 'nothing to adopt');
    const question =
      way === undefined
        ? `adopt ${formatCount(count, 'user')} into sync ${sync}?`
        : `decide this about ${formatCount(count, 'person', 'people')}?`;
    if (!(await shell.confirm(question))) return printDeclined(shell);
    const order = { ...caller, signal: shell.signal, ...given({ way, until }) };
    const done = await adoptPeople(app, sync, names, order);
    shell.printJson(adoptionsView({ sync, adoptions: done }));
    return way === undefined ? printAdopted(shell, sync, done) : printDecided(shell, { sync, way, done });
  });
}

function printDecided(
  shell: Shell,
  { sync, way, done }: { readonly sync: string; readonly way: DecisionWay; readonly done: readonly Adoption[] },
): number {
  for (const { effect } of done) shell.print(`decided: ${cleanLine(effect)}`);
  if (['disable', 'same', 'another'].includes(way) || done.some(({ ways }) => ways !== undefined)) {
    shell.print(`the next run applies it:  ${shell.style.command(`apply ${sync}`)}`);
  }
  return 0;
}

function renderWays({ identification, ways = [] }: Adoption, sync: string, { command }: Style): readonly string[] {
  if (ways.length === 0) return [];
  const lines = ways.map(({ way, effect }) => {
    const options = way === 'leave' ? '--leave --until TIME --reason TEXT' : `--${way}`;
    return `  ${command(`adopt ${sync} ${shellWord(identification)} ${options}`)}\n    ${cleanLine(effect)}`;
  });
  return [`\nways for ${cleanLine(identification)}:`, ...lines];
}

async function takeOrphans(shell: Shell, order: OrphansOrder & SignedCaller): Promise<number> {
  const { sync, from, leaves } = order;
  return shell.withApp({ hasEffect: true }, async (app) => {
    const { users } = await previewOrphans(app, order);
    const what = `${formatCount(users, 'user')} of ${cleanLine(from)}`;
    const question = leaves ? `leave ${what} as they are?` : `adopt ${what} into sync ${sync}?`;
    if (!(await shell.confirm(question))) return printDeclined(shell);
    const moved = await moveOrphans(app, order);
    const next = leaves
      ? `left ${what} as they are: no run disables them, and nothing is reported about them`
      : `adopted ${formatCount(moved.users, 'user')}; the next run decides about them:  ${shell.style.command(`apply ${sync}`)}`;
    return shell.answer(orphansMovedView({ ...moved, isDone: true }), next);
  });
}

function renderAdoptions(adoptions: readonly Adoption[], { colors }: Style): string {
  const head = ['PERSON', 'ACCOUNT', 'SYNC NOW', 'WHAT CHANGES'].map(colors.dim);
  const rows = adoptions.map(({ identification, account, owner, other, effect }) => {
    const state = account === undefined ? '–' : account.enabled ? 'enabled' : 'disabled';
    const whose = other === undefined ? state : `${state}, as ${other}`;
    return [cleanLine(identification), cleanLine(whose), cleanLine(owner ?? '–'), cleanLine(effect)];
  });
  return renderTable([head, ...rows]);
}

function printAdopted(shell: Shell, sync: string, adoptions: readonly Adoption[]): number {
  const wanted = adoptions.filter(({ kind }) => kind !== 'none');
  const left = wanted.filter(({ isDone }) => !isDone);
  const done = wanted.length - left.length;
  if (done > 0) {
    const next = shell.style.command(`apply ${sync}`);
    shell.print(`adopted ${formatCount(done, 'user')}; the next run decides about them:  ${next}`);
  }
  for (const one of left) {
    shell.print(`${cleanLine(one.identification)} was not adopted: ${cleanLine(one.effect)}`);
    for (const line of renderWays(one, sync, shell.style)) shell.print(line);
  }
  return left.length === 0 ? 0 : 1;
}
