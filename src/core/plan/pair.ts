import type { FieldValues } from '../person/fields.ts';
import { foldText } from '../person/text.ts';

/**
 * A person of the source and an account under another identification that seem to be one person. A run changes neither
 * until a person decides: `adopt` gives the account the new identification, and the ways below are the others.
 */
export interface Pair {
  /** The person in the source. */
  readonly identification: string;
  /** The account. */
  readonly other: string;
}

/**
 * `leave`: the account stays as it is, and the person is left out, until an instant. `replace`: the account is disabled
 * and the person gets one; both wait for approval. `apart`: they are two people, each decided alone.
 */
export const pairWays = ['leave', 'replace', 'apart'] as const;

export type PairWay = (typeof pairWays)[number];

/** What a person can decide about pairs, or about an account that no sync owns. `disable`: of such an account alone. */
export const decisionWays = [...pairWays, 'disable'] as const;

export type DecisionWay = (typeof decisionWays)[number];

/** What a person decided about a pair. */
export interface PairDecision extends Pair {
  readonly way: PairWay;
  readonly by: string;
  readonly why: string | undefined;
  /** When `leave` ends (epoch ms). */
  readonly until?: number;
}

/** Returns the detail of the audit entry of a decision, which `pairOf` reads. */
export function pairDetail({
  way,
  identification,
  other,
  until = 0,
}: Pair & Pick<PairDecision, 'way' | 'until'>): string {
  const person = JSON.stringify(identification);
  const account = `the account of ${JSON.stringify(other)}`;
  switch (way) {
    case 'leave':
      return `${person} is left out and ${account} kept until ${new Date(until).toISOString()}`;
    case 'replace':
      return `${person} gets an account and ${account} is disabled`;
    case 'apart':
      return `${person} and ${account} are two people`;
  }
}

/** Returns the decision that an audit entry has, or undefined for another entry. */
export function pairOf(entry: DecisionEntry): PairDecision | undefined {
  const {
    names: [identification, other],
    ...rest
  } = partsOf(entry);
  if (identification === undefined || other === undefined) return undefined;
  return pairWays
    .map((way) => ({ way, identification, other, ...rest }))
    .find((decision) => pairDetail(decision) === entry.detail);
}

/**
 * What a person decided about an account that no record of the source names and no sync owns. It counts until an instant
 * or for good.
 */
export interface AccountDecision {
  /** `leave`: it stays as it is. `disable`: the next full run plans its disable. */
  readonly way: 'leave' | 'disable';
  readonly identification: string;
  /** The platform's id of the account to disable: an account made later under the identification is another one. */
  readonly accountId?: string;
  readonly by: string;
  readonly why: string | undefined;
  /** Epoch ms. Absent: for good. */
  readonly until?: number;
}

type Decided = Pick<AccountDecision, 'way' | 'identification' | 'accountId' | 'until'>;

/** Returns the detail of the audit entry of a decision, which `accountDecisionOf` reads. */
export function accountDetail({ way, identification, accountId = '', until }: Decided): string {
  const account = `the account of ${JSON.stringify(identification)}`;
  const end = until === undefined ? '' : ` until ${new Date(until).toISOString()}`;
  return way === 'leave'
    ? `${account} stays as it is${end}`
    : `${account} with the id ${JSON.stringify(accountId)} is to be disabled${end}`;
}

/** Returns the decision that an audit entry has, or undefined for another entry. */
export function accountDecisionOf(entry: DecisionEntry): AccountDecision | undefined {
  const {
    names: [identification, accountId],
    ...rest
  } = partsOf(entry);
  if (identification === undefined) return undefined;
  const decision =
    accountId === undefined
      ? ({ way: 'leave', identification, ...rest } as const)
      : ({ way: 'disable', identification, accountId, ...rest } as const);
  return accountDetail(decision) === entry.detail ? decision : undefined;
}

/** An entry of the audit that may be a decision. */
interface DecisionEntry {
  readonly detail: string | undefined;
  readonly by: string;
  readonly reason?: string;
}

/** Returns the names that a detail quotes, the end that it gives, and who decided why. */
function partsOf({ detail = '', by, reason: why }: DecisionEntry) {
  const names = (detail.match(/"(?:[^"\\]|\\.)*"/g) ?? []).map((text): string => JSON.parse(text));
  const end = / until (\S+)$/.exec(detail)?.[1];
  return { names, by, why, ...(end === undefined ? {} : { until: Date.parse(end) }) };
}

/** Returns the decisions that stand, given the newest first: of each account the newest, unless it ended. */
export function standingDecisions(
  newestFirst: readonly AccountDecision[],
  now: number,
): ReadonlyMap<string, AccountDecision> {
  return newestThatStand(newestFirst, now, ({ identification }) => identification);
}

function newestThatStand<Decision extends { readonly until?: number }>(
  newestFirst: readonly Decision[],
  now: number,
  keyOf: (decision: Decision) => string,
): ReadonlyMap<string, Decision> {
  const newest = new Map<string, Decision>();
  for (const one of newestFirst) if (!newest.has(keyOf(one))) newest.set(keyOf(one), one);
  return new Map([...newest].filter(([, { until }]) => until === undefined || until > now));
}

/** What stands of the decisions about pairs of a sync, and about accounts that no sync owns. */
export interface PairBook {
  /** The decisions that stand: of each pair the newest, unless it ended. */
  readonly decisions: readonly PairDecision[];
  /** What was decided about accounts that no sync owns, by identification. */
  readonly accounts: ReadonlyMap<string, AccountDecision>;
  /** Returns the decisions about a person, as the new person or as the account. */
  about(identification: string): readonly PairDecision[];
  /** Returns whether a person decided that the account is disabled: alone, or because a new person replaces its user. */
  disables(identification: string): boolean;
  /** Returns the decision about this pair. */
  way(identification: string, other: string): PairWay | undefined;
}

/** Opens the book of all decisions, given the newest first. */
export function openPairBook(
  newestFirst: readonly PairDecision[],
  now: number,
  accounts: PairBook['accounts'] = new Map(),
): PairBook {
  const decisions = [
    ...newestThatStand(newestFirst, now, (one) => JSON.stringify([one.identification, one.other])).values(),
  ];
  const byName = new Map<string, PairDecision[]>();
  for (const one of decisions) {
    for (const name of [one.identification, one.other]) byName.set(name, [...(byName.get(name) ?? []), one]);
  }
  const about = (name: string): readonly PairDecision[] => byName.get(name) ?? [];
  return {
    accounts,
    decisions,
    about,
    disables: (name) =>
      accounts.get(name)?.way === 'disable' ||
      about(name).some(({ way, other }) => way === 'replace' && other === name),
    way: (identification, other) => about(other).find((one) => one.identification === identification)?.way,
  };
}

/**
 * Returns whether two people with one e-mail appear to be the same person: the same birth date, or the same name. For
 * example, a contractor who becomes an employee leaves under one identification and starts under another. Names compare
 * without case and accents.
 */
export function looksLikeSamePerson(a: FieldValues, b: FieldValues): boolean {
  if (isSet(a.birthDate) && a.birthDate === b.birthDate) return true;
  const name = nameOf(a);
  return name !== '' && name === nameOf(b);
}

/**
 * Returns what a person keeps under another identification: the first name (last names change), the date of birth and the
 * first day at work; without a date of birth, the whole name and the first day. Undefined where that is not known.
 */
export function likenessKey(fields: FieldValues): string | undefined {
  const { firstName, birthDate, orgEntryDate = '' } = fields;
  if (isSet(firstName) && isSet(birthDate)) return [foldText(firstName), birthDate, orgEntryDate].join('\n');
  const name = nameOf(fields);
  return name === '' || orgEntryDate === '' ? undefined : [name, orgEntryDate].join('\n');
}

function isSet(value: string | undefined): value is string {
  return value !== undefined && value !== '';
}

/** Returns the full name. Empty unless both names are known. */
function nameOf({ firstName, lastName }: FieldValues): string {
  if (!isSet(firstName) || !isSet(lastName)) return '';
  return foldText(`${firstName} ${lastName}`);
}
