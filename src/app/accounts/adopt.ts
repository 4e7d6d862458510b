import type { User } from '../../core/person/fields.ts';
import { entryOf } from '../../core/plan/ledger-steps.ts';
import type { DecisionWay, NewDecision } from '../../core/plan/standing.ts';
import { PlatformError, usageError } from '../../core/run/errors.ts';
import { given } from '../../core/run/given.ts';
import { readStanding } from '../../run/compare/alike.ts';
import { blockedUsers } from '../../run/compare/unresolved.ts';
import type { EngineIo, Sync } from '../../run/engine-io.ts';
import { explain } from '../../run/why.ts';
import type { Account } from '../../views/accounts.ts';
import type { Adoption } from '../../views/people.ts';
import type { AppIo } from '../app-io.ts';
import { requireProven, type SignedCaller } from '../audit.ts';
import { findSync, requireOwner } from '../find-named.ts';
import { endOf, type PauseOrder } from '../syncs.ts';
import { type AdoptionFacts, type Step, stepOf } from './adoption-steps.ts';
import { keepDecision, moveUsers, pairFrom, renamesOf } from './decisions.ts';
import { openAccounts } from './list-accounts.ts';

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
  return (await stepsFor(findSync(name, io.syncs), ids, { io, signal, explainsAll: false })).map(
    ({ adoption }) => adoption,
  );
}

export interface AdoptionOrder extends SignedCaller {
  /** What is decided about pairs instead of a rename (see `Pair`), or about accounts that no sync owns. */
  readonly way?: DecisionWay;
  /** When `leave` or `disable` ends. */
  readonly until?: PauseOrder['until'];
  readonly signal: AbortSignal;
}

/**
 * Makes users of other syncs users of this one, and gives accounts that were found under another identification the
 * new one; or decides otherwise about them, and the next run applies it. Repeatable: what is done already is not done
 * again. Throws as `planAdoption` does, and the errors of the platform. Throws `USAGE`, and decides nothing, when the way
 * does not fit one of the people, or an end or a reason is missing.
 */
export async function adoptPeople(
  app: AppIo,
  of: string,
  ids: readonly string[],
  { way, until, signal, ...signed }: AdoptionOrder,
): Promise<readonly Adoption[]> {
  const { engine: io } = app;
  requireProven(io, signed, 'a decision about accounts');
  const sync = findSync(of, io.syncs);
  const explainsAll = way === 'same' || way === 'another';
  const found = await stepsFor(sync, ids, { io, signal, explainsAll });
  const order = { ...signed, signal, ...given({ until }) };
  const steps = way === undefined ? found : await decidedSteps(found, { ...order, way }, { app, sync });
  const done: Adoption[] = [];
  for (const step of steps) done.push({ ...step.adoption, ...(await carryOut(step, order, { sync, io })) });
  return done;
}

/** Returns the same steps with a decision about each. Throws `USAGE` as `adoptPeople` does. */
async function decidedSteps(
  steps: readonly Step[],
  { way, until: end, reason }: AdoptionOrder & { readonly way: DecisionWay },
  { app, sync }: { readonly app: AppIo; readonly sync: Sync },
): Promise<readonly Step[]> {
  const mayEnd = way === 'leave' || way === 'disable';
  // An account alone may be left for good.
  const isForAWhile = way === 'leave' && steps.some(({ pair }) => pair !== undefined);
  const unfit =
    mayEnd && reason === undefined
      ? `a decision to ${way} accounts needs a reason`
      : isForAWhile && end === undefined
        ? 'leaving the person and the account as they are requires a reason and an end'
        : !mayEnd && end !== undefined
          ? `${way} has no end`
          : undefined;
  if (unfit !== undefined) throw usageError(`${unfit}: --reason TEXT and --until TIME belong to --leave and --disable`);
  const ofSync = { connection: sync.settings.connection, sync: sync.settings.name };
  if (way === 'same' || way === 'another') {
    return steps.map(({ adoption, stranger }): Step => {
      const { identification, account } = adoption;
      if (stranger === undefined) {
        throw usageError(
          `the record and the account of ${identification} are the same person, so there is nothing to decide`,
        );
      }
      const decision = { ...ofSync, way, identification, accountId: account?.id ?? '', nameDigest: stranger };
      return { adoption, act: { kind: 'decide', decision } };
    });
  }
  if (way === 'disable') await refuseDisables(steps, sync, app);
  const isAccountAlone = ({ pair, adoption: { account, owner } }: Step): boolean =>
    mayEnd && pair === undefined && account !== undefined && owner === undefined;
  const without = steps.filter((step) => step.pair === undefined && !isAccountAlone(step));
  if (without.length > 0) {
    const names = without.map(({ adoption }) => adoption.identification).join(', ');
    const message = `no other account seems to be the same person: ${names}. Nothing was decided`;
    throw usageError(message);
  }
  const until = end === undefined ? {} : { until: endOf(end, 'the decision', app.engine.clock.now()) };
  const place = { ...ofSync, ...until };
  return steps.map(({ adoption, pair }): Step => {
    const { identification, account } = adoption;
    const decision: NewDecision =
      way === 'disable'
        ? { ...place, way, identification, accountId: account?.id ?? '' }
        : pair === undefined
          ? { ...place, way: 'leave', identification }
          : { ...place, ...pair, way };
    return { adoption, act: { kind: 'decide', decision } };
  });
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
    if (!account.enabled) return 'the account is already disabled';
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

type Outcome = Partial<Pick<Adoption, 'kind' | 'effect' | 'isDone'>>;

/** Carries one step out: checks, writes and tells it in the audit. Returns what became of it. */
async function carryOut(
  { act, adoption: { identification } }: Step,
  { signal, ...signed }: AdoptionOrder,
  { sync, io }: { readonly sync: Sync; readonly io: EngineIo },
): Promise<Outcome> {
  const { name, connection } = sync.settings;
  const place = { connection, sync: name };
  const follow = async (from: string, accountId: string): Promise<Outcome> => {
    const facts = { ...place, from, to: identification, accountId };
    await io.store.ledger.rename({ ...facts, by: signed.by, at: io.clock.now() });
    return { isDone: true };
  };
  switch (act?.kind) {
    case undefined:
      return {};
    case 'decide':
      return { kind: 'decide', effect: await keepDecision(act.decision, signed, io), isDone: true };
    case 'move': {
      const { owner } = act;
      const detail = `users of other syncs: ${identification} (${owner})`;
      const moved = await moveUsers({ ...place, users: [{ identification, owner }], detail }, signed, io);
      if (moved.has(identification)) return { isDone: true };
      return { effect: 'the owner changed in the meantime: run the command again' };
    }
    case 'follow':
      return follow(act.from, act.accountId);
    case 'rename': {
      const { account, fields } = act;
      // The store has the request even if this process ends before the platform answers.
      await keepDecision({ ...place, identification, other: account.identification, way: 'rename' }, signed, io);
      const refusal = await refusalOf(sync.platform.rename(account, { identification, fields }, signal));
      if (refusal !== undefined) return { effect: `the platform refused the new identification: ${refusal}` };
      io.checkpoint('change-accepted');
      if (await isRenamed(identification, account, { sync, io }, signal)) {
        return follow(account.identification, account.id);
      }
      const effect =
        'the platform accepted the new identification but does not show it. Change it by hand, or correct the source';
      return { effect };
    }
  }
}

async function stepsFor(
  sync: Sync,
  ids: readonly string[],
  { io, signal, explainsAll }: { readonly io: EngineIo; readonly signal: AbortSignal; readonly explainsAll: boolean },
): Promise<readonly Step[]> {
  const { name, connection } = sync.settings;
  requireOwner(sync);
  const names = [...new Set(ids)];
  const known = await io.store.ledger.getMany(connection, names);
  const { unresolved } = await io.store.batches.unknown([connection]);
  const waiting = (await blockedUsers(sync, unresolved, io)).blocked;
  const standing = await readStanding(sync.settings, io);
  const suspects = await suspectedIn(sync, io);
  const isHeld = async (identification: string): Promise<boolean> =>
    explainsAll ||
    (await io.store.decisions.of(name, identification)).some(
      (one) => one.state === 'open' && one.endedAt === undefined,
    );
  const factsOf = async (identification: string): Promise<AdoptionFacts> => {
    const lookup = await sync.platform.find(identification, signal);
    if (lookup.found === 'unclear') {
      return { identification, user: undefined, entry: undefined, unclear: lookup.reason };
    }
    const user = lookup.found ? lookup.user : undefined;
    const current = entryOf(user?.id, known.get(identification));
    const entry = current?.removed === undefined ? current : undefined;
    const former = user && entry === undefined ? await formerOf(identification, user, sync, io) : undefined;
    const isOfPair =
      suspects.has(identification) || standing.about(identification).length > 0 || (await isHeld(identification));
    if (former !== undefined || ((entry !== undefined || user !== undefined) && !isOfPair)) {
      return { identification, user, entry, ...given({ former }) };
    }
    const explained = await explain(identification, sync, io, signal);
    const pair = pairFrom(identification, explained, standing);
    const other = explained.conflict?.user;
    const hidden = other && entryOf(other.id, await io.store.ledger.get(connection, other.identification))?.hidden;
    const isWaiting = waiting.has(identification) || (other !== undefined && waiting.has(other.identification));
    return { identification, user, entry, explained, isWaiting, ...given({ pair, hidden }) };
  };
  const steps: Step[] = [];
  const unknown: string[] = [];
  for (const identification of names) {
    const step = stepOf(await factsOf(identification), sync);
    if (step === undefined) unknown.push(identification);
    else steps.push(step);
  }
  if (unknown.length === 0) return steps;
  const message = `unknown to sync ${name}, its platform and its source: ${unknown.join(', ')}. Nothing was changed. Check the spelling and the case`;
  throw usageError(message);
}

/** Returns the identification under which the ledger still has an account that an interrupted adoption renamed. */
async function formerOf(
  identification: string,
  { id }: User,
  { settings: { name, connection } }: Sync,
  { store }: EngineIo,
): Promise<string | undefined> {
  const [last] = await renamesOf(identification, connection, store);
  const entry = last?.to === identification ? await store.ledger.get(connection, last.from) : undefined;
  return entry?.accountId === id && entry.owner === name ? entry.identification : undefined;
}

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
