import { isOfIdentity, type NewDecision, type Pair, type Standing } from '../../core/plan/standing.ts';
import { given } from '../../core/run/given.ts';
import type { OwnedUser, Store } from '../../ports/store.ts';
import type { EngineIo } from '../../run/engine-io.ts';
import type { Explained } from '../../run/why.ts';
import type { Adoption, Rename } from '../../views/people.ts';
import { auditEntry, type SignedCaller } from '../audit.ts';

/** Says a decision, for the audit and for the person who makes it. */
export function wordsOf(decision: NewDecision): string {
  if ('owner' in decision) return `users of ${decision.owner} stay as they are`;
  if (decision.way === 'rename')
    return `account of ${decision.other} gets the identification ${decision.identification}`;
  const person = JSON.stringify(decision.identification);
  if (isOfIdentity(decision)) {
    if (decision.way === 'same') return `the record of ${person} is about the person of the account`;
    return `the record of ${person} is about another person: the account with the id ${JSON.stringify(decision.accountId)} will be disabled`;
  }
  const end = decision.until === undefined ? '' : ` until ${new Date(decision.until).toISOString()}`;
  if (!('other' in decision)) {
    const account = `the account of ${person}`;
    if (decision.way === 'leave') return `${account} stays as it is${end}`;
    return `${account} with the id ${JSON.stringify(decision.accountId)} will be disabled${end}`;
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

interface Move {
  readonly connection: string;
  readonly sync: string;
  readonly users: readonly OwnedUser[];
  /** Which users they are, for the audit. */
  readonly detail: string;
}

/** Makes users of other syncs users of this one, and tells it in the audit. Returns who moved. */
export async function moveUsers(
  { connection, sync, users, detail }: Move,
  signed: SignedCaller,
  io: EngineIo,
): Promise<ReadonlySet<string>> {
  const entry = auditEntry({ ...signed, action: 'adopt', sync, connection, detail }, io);
  const moved = await io.store.ledger.adopt({ connection, sync, users, at: io.clock.now() }, entry);
  io.checkpoint('ledger-written');
  return moved;
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

/** Returns what else can be decided about a pair, or what can be about a record of another person than its account. */
export function waysOf({ identification, other }: Pair): NonNullable<Adoption['ways']> {
  if (identification === other) {
    return [
      { way: 'same', effect: `the record of ${other} is about the person of the account, who gets its values` },
      { way: 'another', effect: `the account of ${other} is disabled and stays disabled for the person in the record` },
    ];
  }
  return [
    {
      way: 'leave',
      effect: `the account of ${other} stays as it is, and ${identification} is left out, until a set time and with a reason`,
    },
    {
      way: 'replace',
      effect: `the account of ${other} is disabled, and ${identification} gets an account. Both changes wait for approval`,
    },
    { way: 'apart', effect: `${identification} and ${other} are two people: a run decides about each of them` },
  ];
}

/**
 * Returns the pair of a person: what the source and the platform show now, or what was decided before. A record that is
 * about another person than the account of its identification makes a pair of one identification.
 */
export function pairFrom(
  name: string,
  { conflict, subject }: Pick<Explained, 'conflict' | 'subject'>,
  standing: Standing,
): Pair | undefined {
  if (subject?.stranger !== undefined) return { identification: name, other: name };
  if (conflict === undefined) return standing.about(name)[0];
  return { identification: conflict.person, other: conflict.user.identification };
}
