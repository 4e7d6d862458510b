import { adoptPeople, decideAccounts, planAdoption } from '../../app/accounts/adopt.ts';
import { moveOrphans, type OrphansOrder, previewOrphans } from '../../app/accounts/orphans.ts';
import type { SignedCaller } from '../../app/audit.ts';
import { tracePerson } from '../../app/people.ts';
import { onlyRead } from '../../app/person/answer.ts';
import { countParts, erasePerson, isEmpty, previewForget, readRecord, sizeOf } from '../../app/privacy.ts';
import { normalText } from '../../core/person/text.ts';
import { type DecisionWay, decisionWays } from '../../core/plan/pair.ts';
import { RollcallError, usageError } from '../../core/run/errors.ts';
import { formatCount, formatInstant, shellWord } from '../../core/run/formats.ts';
import { given } from '../../core/run/given.ts';
import type { PersonRecord } from '../../ports/store.ts';
import type { Adoption, FoundPeople } from '../../views/people.ts';
import { adoptionsView, foundPeopleView, orphansMovedView, personView } from '../../views/people.ts';
import type { CommandRow } from '../command.ts';
import {
  callerOf,
  confirmOption,
  parseUntil,
  type SignatureOptions,
  signatureOptions,
  syncArgument,
  untilForms,
} from '../options.ts';
import { renderPerson, renderRecord } from '../render/person.ts';
import { printDeclined, type Shell } from '../shell.ts';
import { cleanLine, renderTable, type Style } from '../terminal.ts';

interface AdoptOptions extends SignatureOptions {
  readonly yes?: boolean;
  readonly from?: string;
  readonly leave?: boolean;
  readonly replace?: boolean;
  readonly apart?: boolean;
  readonly disable?: boolean;
  readonly until?: ReturnType<typeof parseUntil>;
}

export const adopt: CommandRow = {
  words: 'adopt',
  meaning:
    'move users from other syncs to this sync, or accept a rename or conversion that a run reported, or decide otherwise about it',
  arguments: [
    ['<sync>', 'name of the sync that becomes the owner'],
    ['[id...]', 'identifications; of a rename or conversion, the new one'],
  ],
  options: [
    ['--from <name>', 'all users of a sync that is not configured'],
    ['--leave', 'leave as they are, with --reason: accounts without an owner, users of --from, a rename or conversion'],
    ['--disable', 'disable accounts that HR does not name and no sync owns, with --reason: in the next full run'],
    ['--until <time>', `when --leave or --disable ends; needed to leave a rename: ${untilForms}`, parseUntil],
    ['--replace', 'disable the old account and create one for the new person; both wait for approval'],
    ['--apart', 'they are two people: decide about each alone'],
    confirmOption,
    ...signatureOptions,
  ],
  run: takeOver,
};

async function takeOver(shell: Shell, sync: string, ids: readonly string[], options: AdoptOptions): Promise<number> {
  const caller = await callerOf(shell, options);
  const names = ids.map(normalText);
  const { from, leave: leaves = false, until } = options;
  const ways = decisionWays.filter((way) => options[way] === true);
  const isMixed = from !== undefined && (until !== undefined || ways.some((way) => way !== 'leave'));
  if ((from === undefined) === (names.length === 0) || isMixed || ways.length > 1) {
    const message =
      'name people, or the sync whose users are meant with --from NAME; --leave, --disable, --replace and --apart exclude each other, and all but --leave are for people';
    throw usageError(message);
  }
  if (from !== undefined) return takeOrphans(shell, { sync, from, leaves, ...caller }, options.yes === true);
  const [way] = ways;
  return shell.withApp({ hasEffect: true }, async (app) => {
    const preview = await planAdoption(app, sync, names, shell.signal);
    shell.print(renderAdoptions(preview, shell.style));
    if (way !== undefined) {
      const order = { ...caller, way, signal: shell.signal, ...given({ until }) };
      return decide(shell, { sync, names, preview, way, isSure: options.yes === true }, (ids) =>
        decideAccounts(app, sync, ids, order),
      );
    }
    for (const line of preview.flatMap((one) => renderWays(one, sync, shell.style))) shell.print(line);
    const count = preview.filter(({ kind }) => kind !== 'none').length;
    if (count === 0) {
      return shell.answer(adoptionsView({ sync, adoptions: preview }), 'nothing to adopt');
    }
    const question = `adopt ${formatCount(count, 'user')} into sync ${sync}?`;
    if (!(await shell.confirm(question, options.yes === true))) return printDeclined(shell);
    const done = await adoptPeople(app, sync, names, { ...caller, signal: shell.signal });
    return printDone(shell, sync, done);
  });
}

interface Decision {
  readonly sync: string;
  readonly names: readonly string[];
  readonly preview: readonly Adoption[];
  readonly way: DecisionWay;
  readonly isSure: boolean;
}

/** Asks, and decides about pairs instead of renaming accounts. */
async function decide(
  shell: Shell,
  { sync, names, preview, way, isSure }: Decision,
  carryOut: (ids: readonly string[]) => Promise<readonly Adoption[]>,
): Promise<number> {
  const question = `decide this about ${formatCount(preview.length, 'person', 'people')}?`;
  if (!(await shell.confirm(question, isSure))) return printDeclined(shell);
  const adoptions = await carryOut(names);
  shell.printJson(adoptionsView({ sync, adoptions }));
  for (const { effect } of adoptions) shell.print(`decided: ${cleanLine(effect)}`);
  if (way === 'disable' || preview.some(({ ways }) => ways !== undefined)) {
    shell.print(`the next run acts by it:  ${shell.style.command(`apply ${sync}`)}`);
  }
  return 0;
}

function renderWays({ identification, ways = [] }: Adoption, sync: string, { command }: Style): readonly string[] {
  if (ways.length === 0) return [];
  const lines = ways.map(({ way, effect }) => {
    const options = way === 'leave' ? '--leave --until TIME --reason TEXT' : `--${way}`;
    return `  ${command(`adopt ${sync} ${shellWord(identification)} ${options}`)}\n    ${cleanLine(effect)}`;
  });
  return [`\nother ways for ${cleanLine(identification)}:`, ...lines];
}

async function takeOrphans(shell: Shell, order: OrphansOrder & SignedCaller, isSure: boolean): Promise<number> {
  const { sync, from, leaves } = order;
  return shell.withApp({ hasEffect: true }, async (app) => {
    const { users } = await previewOrphans(app, order);
    const what = `${formatCount(users, 'user')} of ${cleanLine(from)}`;
    const question = leaves ? `leave ${what} as they are?` : `adopt ${what} into sync ${sync}?`;
    if (!(await shell.confirm(question, isSure))) return printDeclined(shell);
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

function printDone(shell: Shell, sync: string, adoptions: readonly Adoption[]): number {
  shell.printJson(adoptionsView({ sync, adoptions }));
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

export const why: CommandRow = {
  words: 'why',
  meaning: 'explain one employee: the answer, the values, the source, the platform, the ledger, and the decision',
  arguments: [syncArgument, ['<person>', 'identification of the employee, or a part of it, a name or an e-mail']],
  options: [['--row', 'also show the columns of the record that the configuration does not read']],
  run: explainPerson,
};

async function explainPerson(
  shell: Shell,
  sync: string,
  words: string,
  { row }: { readonly row?: true },
): Promise<number> {
  return shell.withApp({}, async (app) => {
    const find = (): Promise<FoundPeople> => app.searchPeople({ text: words, sync, offset: 0, limit: mostFound });
    const identification = normalText(words);
    // A name or an e-mail. The search reads the store alone, and `why` the whole source.
    const named = /[\s@]/.test(identification) ? await find() : undefined;
    if (named !== undefined && named.total > 0 && named.people[0]?.identification !== identification) {
      return printFound(shell, named, sync);
    }
    const whole = await tracePerson(app, sync, identification, shell.signal);
    const trace = row === true ? whole : onlyRead(whole);
    const isKnown = trace.records.length > 0 || trace.lookup.found !== false || trace.ledger !== undefined;
    const found = isKnown || trace.history.length > 0 || trace.renames.length > 0 ? undefined : await find();
    if (found !== undefined && found.total > 0) return printFound(shell, found, sync);
    if (found !== undefined && trace.failure === undefined) {
      return shell.answer(personView(sync, trace), notFound(words, found, trace.answer), 1);
    }
    return shell.answer(personView(sync, trace), renderPerson(trace, sync, shell.style, row === true));
  });
}

const mostFound = 10;

/** Says that the words name no one, and where they were looked for. */
function notFound(words: string, { syncs: [searched] }: FoundPeople, answer: string): string {
  const byName =
    searched?.readAt === undefined
      ? 'Names and e-mails are searched in the last accepted read of all employees, and there is none yet.'
      : `Names and e-mails were searched in the read of ${formatInstant(searched.readAt)}.`;
  return `${cleanLine(words)}: ${answer}. ${byName}`;
}

/** Lists the people that were perhaps meant. Returns the code for "not done": no person was explained. */
function printFound(shell: Shell, found: FoundPeople, sync: string): number {
  const { style } = shell;
  const rows = found.people.map(({ identification, name, email }) => [
    style.command(`why ${sync} ${shellWord(identification)}`),
    cleanLine(name),
    cleanLine(email),
  ]);
  const more = found.total - rows.length;
  const rest =
    more > 0 ? [`… and ${formatCount(more, 'more person', 'more people')}: add words of the name or e-mail`] : [];
  const text = ['no one has exactly this identification; did you mean:', renderTable(rows, '  '), ...rest].join('\n');
  return shell.answer(foundPeopleView(found, 0), text, 1);
}

const personArgument = ['<identification>', 'identification of the person, exactly as in the ledger'] as const;

export const exportPerson: CommandRow = {
  words: 'export',
  meaning: 'show everything that the store has about one person; use --json for a file to hand over',
  arguments: [personArgument],
  options: signatureOptions,
  run: showRecord,
};

async function showRecord(shell: Shell, identification: string, options: SignatureOptions): Promise<number> {
  const caller = await callerOf(shell, options);
  return shell.withApp({}, async (app) => {
    const record = await readRecord(app, identification, caller);
    return shell.answer(record, renderRecord(record));
  });
}

interface ForgetOptions extends SignatureOptions {
  readonly yes?: boolean;
}

export const forget: CommandRow = {
  words: 'forget',
  meaning: 'erase one person from ledger and history; only a keyed hash is kept',
  arguments: [personArgument],
  options: [['--yes', 'erase without asking'], ...signatureOptions],
  run: forgetPerson,
};

async function forgetPerson(shell: Shell, identification: string, options: ForgetOptions): Promise<number> {
  const caller = await callerOf(shell, options);
  return shell.withApp({ hasEffect: true }, async (app) => {
    const record = await previewForget(app, identification);
    if (!isEmpty(record)) {
      shell.print(preview(record));
      if (!(await shell.confirm('Erase this?', options.yes === true))) {
        throw new RollcallError('nothing was erased', { code: 'CANCELLED' });
      }
    }
    const { kept } = await erasePerson(app, identification, caller);
    return shell.answer({ isForgotten: true, erased: countParts(record), kept }, after(kept));
  });
}

function preview(record: PersonRecord): string {
  const owners = record.ledger.map(({ connection, entry }) => {
    const state = [
      `owned by sync ${entry.owner}`,
      ...(entry.disabledAt === undefined ? [] : ['disabled by us']),
      ...(entry.removed === undefined ? [] : [entry.removed.blacklist ? 'removed with blacklist' : 'removed']),
    ];
    return `  ${cleanLine(connection)}: ${state.join(', ')}`;
  });
  const lines = [`${cleanLine(record.identification)}: ${sizeOf(record)} will be erased.`];
  if (owners.length > 0) lines.push('Kept under a keyed hash, without the identification:', ...owners);
  return lines.join('\n');
}

function after(kept: readonly string[]): string {
  const hash =
    kept.length === 0
      ? 'Nothing is kept.'
      : `A keyed hash is kept for ${kept.join(', ')}: owner, disabled by us, removal and blacklist.`;
  return [
    `Erased. ${hash}`,
    'The account on the platform and the record in the HR system are unchanged. If the source still shows the person, the next run stores the person again.',
    'Backups of the store, files of an outbox and notices that were already sent are not changed.',
  ].join('\n');
}
