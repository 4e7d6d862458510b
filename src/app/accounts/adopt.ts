import { customFieldNumber, type FieldValues, fieldNames, fieldTraits } from '../../core/person/fields.ts';
import type { User } from '../../core/person/user.ts';
import { beforeOf } from '../../core/plan/change.ts';
import { withKnown } from '../../core/plan/diff.ts';
import type { LedgerEntry } from '../../core/plan/ledger.ts';
import { entryOf } from '../../core/plan/ledger-steps.ts';
import {
  type DecisionWay,
  type IdentityWay,
  isOfIdentity,
  type NewDecision,
  type Pair,
  type Standing,
} from '../../core/plan/standing.ts';
import { unknownFields } from '../../core/run/batch.ts';
import { PlatformError, type RollcallError, usageError } from '../../core/run/errors.ts';
import { given } from '../../core/run/given.ts';
import type { Dialect } from '../../core/run/settings.ts';
import type { Renaming, Store } from '../../ports/store.ts';
import { readStanding } from '../../run/compare/alike.ts';
import { blockedUsers, type Unresolved } from '../../run/compare/unresolved.ts';
import type { EngineIo, Sync } from '../../run/engine-io.ts';
import { type Explained, explain } from '../../run/why.ts';
import type { Account } from '../../views/accounts.ts';
import type { Adoption, Rename } from '../../views/people.ts';
import type { AppIo } from '../app-io.ts';
import { auditEntry, requireProven, type SignedCaller } from '../audit.ts';
import { findSync } from '../find-named.ts';
import { endOf, type PauseOrder } from '../syncs.ts';
import { openAccounts } from './list-accounts.ts';

/** Says a decision, for the audit and for the person who makes it. */
export function wordsOf(decision: NewDecision): string {
  if ('owner' in decision) return `users of ${decision.owner} stay as they are`;
  if (decision.way === 'rename')
    return `account of ${decision.other} gets the identification ${decision.identification}`;
  const person = JSON.stringify(decision.identification);
  if (isOfIdentity(decision)) {
    if (decision.way === 'same') return `the record of ${person} is about the person of the account`;
    return `the record of ${person} is about another person: the account with the id ${JSON.stringify(decision.accountId)} is to be disabled`;
  }
  const end = decision.until === undefined ? '' : ` until ${new Date(decision.until).toISOString()}`;
  if (!('other' in decision)) {
    const account = `the account of ${person}`;
    if (decision.way === 'leave') return `${account} stays as it is${end}`;
    return `${account} with the id ${JSON.stringify(decision.accountId)} is to be disabled${end}`;
  }
  const account = `the account of ${JSON.stringify(decision.other)}`;
  const said = {
    leave: `${person} is left out and ${account} kept${end}`,
    replace: `${person} gets an account and ${account} is disabled`,
    apart: `${person} and ${account} are two people`,
  };
  return said[decision.way];
}

/** Stores a decision, which counts until its end, and tells it in the audit. Returns what the audit says. */
export async function keepDecision(decision: NewDecision, signed: SignedCaller, io: EngineIo): Promise<string> {
  const { way, sync, connection } = decision;
  const action = way === 'rename' ? 'adopt' : 'decide-accounts';
  const detail = wordsOf(decision);
  await io.store.standing.add(decision, auditEntry({ ...signed, action, sync, connection, detail }, io));
  return detail;
}

/** Returns the renames that led to the identification, and the one that ended it; newest first. */
export async function renamesOf(identification: string, connection: string, store: Store): Promise<readonly Rename[]> {
  const found: Rename[] = [];
  let name = identification;
  for (const { identification: to, other: from, at, by, why: reason } of await store.standing.renames(connection)) {
    if (from !== identification && to !== name) continue;
    if (to === name) name = from;
    found.push({ from, to, at, by, ...given({ reason }) });
  }
  return found;
}

/** One adoption with what carrying it out needs. */
interface Step {
  readonly adoption: Adoption;
  readonly pair?: Pair;
  /** The account that gets the new identification, and what the write carries so that it clears nothing. */
  readonly renamed?: { readonly account: User; readonly fields: FieldValues };
  /** The account got the identification by an adoption that was interrupted: only the ledger has the former one. */
  readonly interrupted?: Pick<Renaming, 'from' | 'accountId'>;
}

/**
 * Returns what `adopt` would do with each person. Changes nothing. Throws `USAGE` when a person is unknown to the ledger,
 * the platform and the source, and for a sync that cannot own users.
 */
export async function planAdoption(
  { engine: io }: AppIo,
  name: string,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<readonly Adoption[]> {
  const sync = findSync(name, io.syncs);
  return (await stepsFor(sync, ids, io, signal)).map(({ adoption }) => adoption);
}

/** What a person decides about pairs instead of a rename, or about accounts that no sync owns. */
export interface DecisionOrder<Way = DecisionWay> extends SignedCaller {
  readonly way: Way;
  /** When `leave` or `disable` ends. */
  readonly until?: PauseOrder['until'];
  readonly signal: AbortSignal;
}

/**
 * Decides about people who each seem to be the user of an account with another identification: see `Pair`. Or decides
 * about accounts that no sync owns: see `core/plan/standing.ts`. The next run acts by it. Throws `USAGE`, and decides nothing,
 * when the way does not fit one of them, or an end or a reason is missing.
 */
export async function decideAccounts(
  app: AppIo,
  of: string,
  ids: readonly string[],
  { way, until: end, signal, ...signed }: DecisionOrder<Exclude<DecisionWay, IdentityWay>>,
): Promise<readonly Adoption[]> {
  const { engine: io } = app;
  requireProven(io, signed, 'a decision about accounts');
  const sync = findSync(of, io.syncs);
  const { name, connection } = sync.settings;
  const isOfAccounts = way === 'leave' || way === 'disable';
  const refuse = (message: string): RollcallError =>
    usageError(`${message}: --reason TEXT and --until TIME belong to --leave and --disable`);
  if (isOfAccounts && signed.reason === undefined) throw refuse(`a decision to ${way} accounts needs a reason`);
  if (!isOfAccounts && end !== undefined) throw refuse(`${way} has no end`);
  const until = end === undefined ? {} : { until: endOf(end, 'the decision', io.clock.now()) };
  const steps = await stepsFor(sync, ids, io, signal);
  // An account alone may be left for good.
  if (way === 'leave' && end === undefined && steps.some(({ pair }) => pair !== undefined)) {
    throw refuse('leaving a pair as it is needs a reason and an end');
  }
  if (way === 'disable') await refuseDisables(steps, sync, app);
  const isAccountAlone = ({ pair, adoption: { account, owner } }: Step): boolean =>
    isOfAccounts && pair === undefined && account !== undefined && owner === undefined;
  const without = steps
    .filter((step) => step.pair === undefined && !isAccountAlone(step))
    .map(({ adoption }) => adoption.identification);
  if (without.length > 0) {
    const message = `no account with another identification seems to be the same person: ${without.join(', ')}. Nothing was decided`;
    throw usageError(message);
  }
  const done: Adoption[] = [];
  for (const { adoption, pair } of steps) {
    const { identification, account } = adoption;
    const place = { connection, sync: name, ...until };
    const decision: NewDecision =
      way === 'disable'
        ? { ...place, way, identification, accountId: account?.id ?? '' }
        : pair === undefined
          ? { ...place, way: 'leave', identification }
          : { ...place, ...pair, way };
    const effect = await keepDecision(decision, signed, io);
    done.push({ ...adoption, kind: 'decide', effect, isDone: true });
  }
  return done;
}

/** Throws `USAGE` when the next full run could not disable one of the accounts because of a decision. */
async function refuseDisables(
  steps: readonly Step[],
  { settings: { name, policy, protected: exempt } }: Sync,
  app: AppIo,
): Promise<void> {
  const listed = new Map<string, Account>();
  for await (const { account } of (await openAccounts(app, name)).each()) {
    if (steps.some(({ adoption }) => adoption.identification === account.identification))
      listed.set(account.identification, account);
  }
  const whyNot = ({ pair, adoption: { identification, account, owner } }: Step): string | undefined => {
    if (policy !== 'sync') return `policy ${policy} disables no account`;
    if (pair !== undefined)
      return `the account of ${pair.other} may be that of ${pair.identification}: decide about the two`;
    if (account === undefined) return 'the platform has no such account';
    if (owner !== undefined) return `sync ${owner} owns the account`;
    if (!account.enabled) return 'the account is disabled already';
    if (exempt.includes(identification)) return 'the account is protected by configuration';
    const { state, isConflict, why } = listed.get(identification) ?? {};
    return isConflict === true || state === 'in-source' ? why : undefined;
  };
  const refused = steps.flatMap((step) => {
    const why = whyNot(step);
    return why === undefined ? [] : [`${step.adoption.identification}: ${why}`];
  });
  if (refused.length === 0) return;
  throw usageError(`Nothing was decided. ${refused.join('. ')}`);
}

/** Returns what else can be decided about a pair. */
export function waysOf({ identification, other }: Pair): NonNullable<Adoption['ways']> {
  return [
    {
      way: 'leave',
      effect: `the account of ${other} stays as it is, and ${identification} is left out, until an instant and with a reason`,
    },
    {
      way: 'replace',
      effect: `the account of ${other} is disabled, and ${identification} gets an account. Both changes wait for approval`,
    },
    { way: 'apart', effect: `${identification} and ${other} are two people: each is decided alone` },
  ];
}

/**
 * Makes users of other syncs users of this one, and gives accounts that were found under another identification the
 * new one. Repeatable: what is done already is not done again. Throws as `planAdoption` does, and the errors of the
 * platform.
 */
export async function adoptPeople(
  { engine: io }: AppIo,
  of: string,
  ids: readonly string[],
  { signal, ...signed }: SignedCaller & { readonly signal: AbortSignal },
): Promise<readonly Adoption[]> {
  requireProven(io, signed, 'a decision about accounts');
  const sync = findSync(of, io.syncs);
  const { name, connection } = sync.settings;
  const steps = await stepsFor(sync, ids, io, signal);
  const entryOfAudit = (detail: string) =>
    auditEntry({ action: 'adopt', sync: name, connection, detail, ...signed }, io);
  const moves = steps.flatMap(({ adoption: { identification, kind, owner } }) =>
    kind === 'move' && owner !== undefined ? [{ identification, owner }] : [],
  );
  const moved =
    moves.length === 0
      ? new Set<string>()
      : await io.store.ledger.adopt(
          { connection, sync: name, users: moves, at: io.clock.now() },
          entryOfAudit(
            `users of other syncs: ${moves.map((one) => `${one.identification} (${one.owner})`).join(', ')}`,
          ),
        );
  io.checkpoint('ledger-written');
  const done: Adoption[] = [];
  const place = { connection, sync: name };
  for (const { adoption, renamed, interrupted } of steps) {
    const { identification } = adoption;
    if (interrupted !== undefined) {
      await io.store.ledger.rename({ ...interrupted, ...place, to: identification, by: signed.by, at: io.clock.now() });
      done.push({ ...adoption, isDone: true });
    } else if (renamed !== undefined) {
      const { account, fields } = renamed;
      // The store has the request even if this process ends before the platform answers.
      const two = { identification, other: account.identification };
      await keepDecision({ ...place, ...two, way: 'rename' }, signed, io);
      const refusal = await refusalOf(sync.platform.rename(account, { identification, fields }, signal));
      if (refusal !== undefined) {
        done.push({ ...adoption, effect: `the platform refused the new identification: ${refusal}` });
        continue;
      }
      io.checkpoint('change-accepted');
      const isDone = await isRenamed(identification, account, { sync, io }, signal);
      if (isDone) {
        const names = { accountId: account.id, from: account.identification, to: identification };
        await io.store.ledger.rename({ ...place, ...names, by: signed.by, at: io.clock.now() });
      }
      done.push(isDone ? { ...adoption, isDone } : { ...adoption, effect: notShown });
    } else if (moved.has(identification) || adoption.kind === 'none') {
      done.push({ ...adoption, isDone: moved.has(identification) });
    } else done.push({ ...adoption, effect: 'the owner changed in the meantime: run the command again' });
  }
  return done;
}

async function stepsFor(
  sync: Sync,
  ids: readonly string[],
  io: EngineIo,
  signal: AbortSignal,
): Promise<readonly Step[]> {
  const { name, connection, delivery } = sync.settings;
  if (delivery === 'outbox') {
    throw usageError(`sync ${name} has delivery: outbox, so it owns no users`);
  }
  const names = [...new Set(ids)];
  const known = await io.store.ledger.getMany(connection, names);
  const { unresolved } = await io.store.batches.unknown(connection);
  const waiting = (await blockedUsers(sync, unresolved, io)).blocked;
  const standing = await readStanding(sync.settings, io);
  const suspects = await suspectedIn(sync, io);
  const steps: Step[] = [];
  const unknown: string[] = [];
  for (const identification of names) {
    const lookup = await sync.platform.find(identification, signal);
    if (lookup.found === 'unclear') {
      steps.push(noStep(identification, `nothing is done: ${lookup.reason}`));
      continue;
    }
    const user = lookup.found ? lookup.user : undefined;
    const entry = liveEntry(user, known.get(identification));
    const half = user && entry === undefined ? await interruptedStep(identification, user, sync, io) : undefined;
    const isOfPair = suspects.has(identification) || standing.about(identification).length > 0;
    if (half !== undefined || ((entry !== undefined || user !== undefined) && !isOfPair)) {
      steps.push(half ?? ownerStep(identification, user, entry, sync));
      continue;
    }
    const explained = await explain(identification, sync, io, signal);
    const found = pairFrom(identification, explained, standing);
    const step = await stepOf(identification, { user, entry, explained, pair: found }, { sync, io, waiting });
    if (step === undefined) unknown.push(identification);
    else steps.push(step);
  }
  if (unknown.length === 0) return steps;
  const message = `unknown to sync ${name}, its platform and its source: ${unknown.join(', ')}. Nothing was changed; check the spelling, also upper and lower case`;
  throw usageError(message);
}

/** Returns the rest of an adoption that ended after the platform had changed the account, and before the ledger followed. */
async function interruptedStep(
  identification: string,
  { id, enabled }: User,
  { settings: { name, connection } }: Sync,
  { store }: EngineIo,
): Promise<Step | undefined> {
  const [last] = await renamesOf(identification, connection, store);
  const entry = last?.to === identification ? await store.ledger.get(connection, last.from) : undefined;
  if (entry?.accountId !== id || entry.owner !== name) return undefined;
  const { identification: from } = entry;
  const effect = `an interrupted adoption gave the account of ${from} this identification: what is known of ${from} follows`;
  const facts = { identification, account: { id, enabled }, other: from, owner: name, isDone: false } as const;
  return { adoption: { ...facts, kind: 'rename', effect }, interrupted: { from, accountId: id } };
}

const notShown =
  'the platform accepted the new identification but does not show it. Change it by hand, or correct the source';

/** Returns why the platform refuses the new identification; undefined when it took it. Throws other errors. */
async function refusalOf(renaming: Promise<unknown>): Promise<string | undefined> {
  try {
    await renaming;
    return undefined;
  } catch (error) {
    if (error instanceof PlatformError && error.effect === 'none' && refusals.includes(error.status ?? 0))
      return error.message;
    throw error;
  }
}

/** Statuses by which a platform refuses the call itself, with any token. */
const refusals = [400, 403, 404, 405, 409, 422, 501];

/** Returns the people whom the last accepted read found in a pair. */
async function suspectedIn(
  { settings: { name } }: Sync,
  { store }: EngineIo,
): Promise<ReadonlySet<string | undefined>> {
  const run = (await store.reads.last(name))?.run;
  const findings = run === undefined ? [] : await store.runs.findings(run);
  const codes: readonly string[] = ['conversion', 'rename-conflict', 'left-as-decided'];
  return new Set(findings.filter(({ code }) => codes.includes(code)).map(({ identification }) => identification));
}

/** Returns the pair of a person: what the source and the platform show now, or what was decided before. */
export function pairFrom(
  name: string,
  { conflict }: Pick<Explained, 'conflict'>,
  standing: Standing,
): Pair | undefined {
  if (conflict === undefined) return standing.about(name)[0];
  return { identification: conflict.person, other: conflict.user.identification };
}

interface Named {
  readonly user: User | undefined;
  readonly entry: LedgerEntry | undefined;
  readonly explained: Explained;
  readonly pair: Pair | undefined;
}

/** Returns the step of a person who may be of a pair; undefined when nothing knows the person. */
async function stepOf(
  identification: string,
  { user, entry, explained, pair }: Named,
  { sync, io, waiting }: { readonly sync: Sync; readonly io: EngineIo; readonly waiting: Unresolved['blocked'] },
): Promise<Step | undefined> {
  const more = pair && { pair };
  const ways = pair && { ways: waysOf(pair) };
  const withWays = (step: Step): Step => ({ ...step, ...more, adoption: { ...step.adoption, ...ways } });
  if (user !== undefined || entry !== undefined) {
    const step = ownerStep(identification, user, entry, sync);
    if (pair === undefined || step.adoption.kind === 'move') return withWays(step);
    const named = `it seems to be the account of ${pair.identification}: name that one to give it the identification`;
    const effect =
      pair.other === identification ? named : `has an account, and ${pair.other} seems to be the same person`;
    return withWays({ adoption: { ...step.adoption, effect } });
  }
  const account = explained.conflict?.user;
  const hidden =
    account && entryOf(account.id, await io.store.ledger.get(sync.settings.connection, account.identification));
  const step = accountStep(identification, explained, { waiting, hidden: hidden?.hidden ?? {} }, sync);
  return step && withWays(step);
}

/** Returns the entry of a user who is not removed, about the account that the platform shows. */
function liveEntry(user: User | undefined, entry: LedgerEntry | undefined): LedgerEntry | undefined {
  const current = entryOf(user?.id, entry);
  return current?.removed === undefined ? current : undefined;
}

/** The account, or the ledger's entry, has this identification: only the owner can change. */
function ownerStep(
  identification: string,
  user: User | undefined,
  entry: LedgerEntry | undefined,
  { settings: { name } }: Sync,
): Step {
  const account = user === undefined ? {} : { account: { id: user.id, enabled: user.enabled } };
  const base = { identification, ...account, isDone: false } as const;
  if (entry === undefined) {
    const effect = `no sync owns the user: the next run of ${name} takes it over if its source has the person as active`;
    return { adoption: { ...base, kind: 'none', effect } };
  }
  if (entry.owner === name) {
    return { adoption: { ...base, kind: 'none', owner: name, effect: `already belongs to sync ${name}` } };
  }
  const { owner } = entry;
  const effect = `moves from sync ${owner} to sync ${name}. The next run of ${name} decides about the account from its own source`;
  return { adoption: { ...base, kind: 'move', owner, effect } };
}

/** Nothing has this identification on the platform: perhaps the account is found under another one. */
function accountStep(
  identification: string,
  { conflict, decision, records, failure }: Explained,
  { waiting, hidden }: { readonly waiting: Unresolved['blocked']; readonly hidden: FieldValues },
  { dialect, settings: { name } }: Sync,
): Step | undefined {
  const account = conflict?.user;
  if (account === undefined) {
    if (records.length === 0) return undefined;
    const why = failure ?? decision?.finding?.message;
    const other = why === undefined ? `run "rollcall why ${name} ${identification}"` : why;
    const isCreate = decision?.change?.kind === 'create';
    return noStep(identification, isCreate ? `has no account yet: the next run of ${name} creates it` : other);
  }
  const { identification: old, id, enabled } = account;
  const facts = { identification, account: { id, enabled }, other: old, isDone: false } as const;
  if (waiting.has(old) || waiting.has(identification)) {
    const effect = `nothing is done: the outcome of an earlier change to ${old} is not known yet`;
    return { adoption: { ...facts, kind: 'none', effect } };
  }
  const byHand = `Change ${old} to ${identification} on the platform by hand, or correct the source`;
  const fields = carriedOver(account, hidden, dialect);
  const unknown = unknownFields({ kind: 'update', before: beforeOf(account), after: fields }, dialect);
  if (dialect.put === 'replaces' && unknown.length > 0) {
    const effect = `nothing is done: the call would clear ${unknown.join(', ')}, and neither the platform nor the ledger shows the value (dialect.put is replaces). ${byHand}`;
    return { adoption: { ...facts, kind: 'none', effect } };
  }
  if (dialect.userId === 'id' || (dialect.userId === 'uid' && account.uid !== undefined)) {
    const effect = `the account of ${old} gets the identification ${identification}, and keeps its other fields`;
    return { adoption: { ...facts, kind: 'rename', effect }, renamed: { account, fields } };
  }
  const effect = `the platform cannot change an identification with dialect.userId: ${dialect.userId}. ${byHand}`;
  return { adoption: { ...facts, kind: 'none', effect } };
}

function noStep(identification: string, effect: string): Step {
  return { adoption: { identification, kind: 'none', effect, isDone: false } };
}

/** Returns what is known of the account's fields, because a PUT that replaces would clear them. */
function carriedOver(
  { fields, unreadable }: User,
  hidden: FieldValues,
  { customFieldLimit, put }: Dialect,
): FieldValues {
  const known = put === 'replaces' ? withKnown(fields, { unreadable }, { hidden }, fieldNames(hidden)) : fields;
  const names = fieldNames(known).filter((name) => {
    return fieldTraits(name).isDirect && customFieldNumber(name) <= customFieldLimit.direct;
  });
  return Object.fromEntries(names.map((name) => [name, known[name]]));
}

/** Waits until the platform shows the account under its new identification, at most `settle.visibleWithin`. */
async function isRenamed(
  identification: string,
  { id }: User,
  { sync, io }: { readonly sync: Sync; readonly io: EngineIo },
  signal: AbortSignal,
): Promise<boolean> {
  const { settle } = sync.settings;
  const { clock } = io;
  const until = clock.now() + settle.visibleWithinMs;
  for (;;) {
    const lookup = await sync.platform.find(identification, signal);
    if (lookup.found === true && lookup.user.id === id) return true;
    if (clock.now() >= until) return false;
    await clock.sleep(settle.everyMs, signal);
  }
}
