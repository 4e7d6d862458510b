import type { LeaderField, Leaders } from '../person/fields.ts';
import { leadersIn, leaderValues } from '../person/leaders.ts';
import { given } from '../run/given.ts';
import type { Dialect, MappingSettings, Policy } from '../run/settings.ts';
import type { Change, Proposal } from './change.ts';
import { canonicalJson } from './configuration.ts';
import type { Verdict } from './judge.ts';
import type { LedgerEntry, LedgerLeaders, NamedLeaders } from './ledger.ts';
import { permitted } from './plan.ts';

/** The main leader that the source wants, after the reference was resolved. */
export type WantedMain =
  /** No statement, or one that cannot be used: the leader stays. */
  | { readonly says: 'keep' }
  /** No leader: ours is taken away. */
  | { readonly says: 'none' }
  | { readonly says: 'leader'; readonly identification: string };

export interface WantedLeaders {
  readonly main: WantedMain;
  /** Absent: no statement. */
  readonly secondary?: {
    readonly names: readonly string[];
    /** Every column made a statement, and every reference could be resolved. */
    readonly isWhole: boolean;
    /** The people that each column with a whole statement names. A column that is blank or waits is absent. */
    readonly named?: NamedLeaders;
  };
}

/** Returns whether anything of the wish can lead to a change. */
export function isStated({ main, secondary }: WantedLeaders): boolean {
  if (main.says !== 'keep') return true;
  const { names, isWhole, named = {} } = secondary ?? { names: [], isWhole: false };
  return isWhole || names.length > 0 || Object.keys(named).length > 0;
}

export interface LeaderCase {
  readonly identification: string;
  readonly wanted: WantedLeaders;
  /** What the ledger knows; undefined at first sight. */
  readonly known: LedgerLeaders | undefined;
  /** What the platform shows, and since when that is known (epoch ms). */
  readonly shown: Leaders;
  readonly checkedAt: number;
  /** Which leaders that were set by hand are replaced and taken away. */
  readonly takeOver: Readonly<Record<LeaderField, boolean>>;
  readonly policy: Policy;
  /** References that wait. The ledger keeps them. */
  readonly waits?: LedgerLeaders['waits'];
}

/** Returns which leaders that were set by hand the mapping replaces and takes away. */
export function takeOverOf({ leaders }: Pick<MappingSettings, 'leaders'>): LeaderCase['takeOver'] {
  return {
    mainLeader: leaders?.manager?.takeOver === true,
    secondaryLeaders: leaders?.secondary.some((rule) => rule.takeOver) === true,
  };
}

export interface LeaderDecision {
  readonly change?: Proposal;
  /** What the ledger knows as long as no change is applied: see `Before.leaders`. */
  readonly known: LedgerLeaders;
  /** The main leader that was set by hand and stays, if it was not reported before. */
  readonly byHand?: string;
}

/**
 * Decides about the leaders of one person, three-way: what the source wants, what the platform shows, what the ledger
 * knows as ours.
 *
 *  the source wants     | platform shows        | ours   | takeOver | main leader
 *  ---------------------+-----------------------+--------+----------+------------------------------------------
 *  no statement         | anything              | any    | any      | stays
 *  a leader             | the same              | any    | any      | stays, is ours
 *  a leader             | none                  | any    | any      | is set
 *  a leader             | another one           | yes    | any      | is replaced
 *  a leader             | another one           | no     | no       | stays: set by hand, reported once
 *  a leader             | another one           | no     | yes      | is replaced
 *  none                 | one                   | yes    | any      | is taken away
 *  none                 | one                   | no     | any      | stays: set by hand
 *
 * Secondary leaders: those that are wanted and not shown are added. Those that are ours (with `takeOver`, all) and not
 * wanted are taken away, if the source made a whole statement. Otherwise those of ours go that only columns with a
 * statement named before: a column that is blank or waits keeps whom it named. The others stay.
 */
export function decideLeaders(subject: LeaderCase): LeaderDecision {
  const { identification, wanted, known, shown, takeOver, policy, waits = [], checkedAt } = subject;
  const main = mainAfter(subject);
  const byHand = wanted.main.says === 'leader' && main !== wanted.main.identification ? main : undefined;
  const ours = new Set(known?.secondary);
  const names = (wanted.secondary?.names ?? []).filter((name) => name !== main);
  const named = namedAfter(subject);
  const namedBefore = new Set(Object.values(known?.named ?? {}).flat());
  const namedStill = new Set(Object.values(named ?? {}).flat());
  const mayGo = (name: string): boolean =>
    wanted.secondary?.isWhole === true
      ? ours.has(name) || takeOver.secondaryLeaders
      : ours.has(name) && namedBefore.has(name) && !namedStill.has(name);
  const isGone = (name: string): boolean => mayGo(name) && !names.includes(name) && name !== main;
  const kept = shown.secondary.filter((name) => !isGone(name));
  const secondary = [...new Set([...kept, ...names])].sort();
  const isOurMain = main !== undefined && (main === known?.main || (main !== byHand && wanted.main.says === 'leader'));
  const after: LedgerLeaders = {
    ...(isOurMain ? { main } : {}),
    secondary: secondary.filter((name) => ours.has(name) || names.includes(name)),
    ...given({ named }),
    shown: { main, secondary },
    ...(byHand === undefined ? {} : { byHand }),
    ...(waits.length === 0 ? {} : { waits }),
    checkedAt,
  };
  const told = byHand === undefined || byHand === known?.byHand ? {} : { byHand };
  const change = leaderChange(identification, shown, { main, secondary }, after);
  if (change === undefined) return { known: after, ...told };
  // What is not made makes no leader ours.
  const { main: _, named: _named, ...rest } = after;
  const before = { ...given({ main: known?.main, named: known?.named }), secondary: known?.secondary ?? [] };
  const isPermitted = permitted[policy].includes(change.kind);
  return { ...(isPermitted ? { change } : {}), known: { ...rest, ...before, shown }, ...told };
}

/** Returns whom each column named last, this record included. */
function namedAfter({ wanted: { secondary }, known }: LeaderCase): NamedLeaders | undefined {
  const named = secondary?.isWhole === true ? secondary.named : { ...known?.named, ...secondary?.named };
  return named === undefined || Object.keys(named).length === 0 ? undefined : named;
}

function mainAfter({ wanted: { main }, known, shown, takeOver }: LeaderCase): string | undefined {
  const isOurs = shown.main !== undefined && shown.main === known?.main;
  if (main.says === 'none') return isOurs ? undefined : shown.main;
  if (main.says === 'keep') return shown.main;
  return shown.main === undefined || isOurs || takeOver.mainLeader ? main.identification : shown.main;
}

/** Returns the change from one state of the leaders to another; undefined when they are equal. */
export function leaderChange(
  identification: string,
  from: Leaders,
  to: Leaders,
  after: LedgerLeaders,
): Proposal | undefined {
  const { add, remove } = leaderSteps(from, to);
  const isMain = from.main !== to.main;
  const isSecondary = add.secondary.length + remove.secondary.length > 0;
  const changed: readonly LeaderField[] = [
    ...(isMain ? (['mainLeader'] as const) : []),
    ...(isSecondary ? (['secondaryLeaders'] as const) : []),
  ];
  if (changed.length === 0) return undefined;
  const isLead = add.main !== undefined || add.secondary.length > 0;
  const values = leaderValues(to);
  const why = [
    ...(isMain ? [mainReason(from, to)] : []),
    ...(isSecondary ? ['the source names other secondary leaders'] : []),
  ];
  return {
    identification,
    kind: isLead ? 'lead' : 'unlead',
    rule: isLead ? 'leaders-lead' : 'leaders-unlead',
    before: { userId: '', enabled: true, fields: leaderValues(from), leaders: after },
    after: Object.fromEntries(changed.map((name) => [name, values[name]])),
    changed,
    // A change that adds one and takes two away also counts as a removal.
    classes: isLead ? (numberOf(to) < numberOf(from) ? ['leads', 'unleads'] : ['leads']) : ['unleads'],
    reason: why.join('; '),
  };
}

function numberOf({ main, secondary }: Leaders): number {
  return secondary.length + Number(main !== undefined);
}

function mainReason(from: Leaders, to: Leaders): string {
  if (to.main === undefined) return 'the source no longer names a main leader';
  return from.main === undefined ? 'the source names a main leader' : 'the source names another main leader';
}

/** Returns what must be removed and added to get from one state to another. */
export function leaderSteps(from: Leaders, to: Leaders): { readonly add: Leaders; readonly remove: Leaders } {
  const isSame = from.main === to.main;
  return {
    add: {
      main: isSame ? undefined : to.main,
      secondary: to.secondary.filter((name) => !from.secondary.includes(name)),
    },
    remove: {
      main: isSame ? undefined : from.main,
      secondary: from.secondary.filter((name) => !to.secondary.includes(name)),
    },
  };
}

/** Returns the calls of a change of leaders: what is removed first, then what is added. */
export function leaderCalls(
  change: Pick<Change, 'before' | 'after'>,
  { leaders }: Pick<Dialect, 'leaders'>,
): { readonly add: Leaders | undefined; readonly remove: Leaders | undefined } {
  const { from, to } = leaderStates(change);
  const { add, remove } = leaderSteps(from, to);
  const isReplaced = add.main !== undefined && leaders.main === 'replaces';
  const removed = isReplaced ? { ...remove, main: undefined } : remove;
  const isAny = ({ main, secondary }: Leaders): boolean => main !== undefined || secondary.length > 0;
  return { add: isAny(add) ? add : undefined, remove: isAny(removed) ? removed : undefined };
}

/** Returns the requests that a change of leaders takes: its calls, and the lists before and after them. */
export function leadRequests(change: Pick<Change, 'before' | 'after'>, dialect: Pick<Dialect, 'leaders'>): number {
  const { add, remove } = leaderCalls(change, dialect);
  return 1 + Number(add !== undefined) + Number(remove !== undefined) + Number(isListedBefore(change, dialect));
}

/**
 * Returns whether the list is read just before the calls: where the call replaces whatever main leader there is. Other
 * platforms refuse a second main leader, so one that was set by hand meanwhile stays.
 */
export function isListedBefore(
  change: Pick<Change, 'before' | 'after'>,
  { leaders }: Pick<Dialect, 'leaders'>,
): boolean {
  const { from, to } = leaderStates(change);
  return leaders.main === 'replaces' && to.main !== undefined && to.main !== from.main;
}

/** Returns the states of a change of leaders: before it, and after it. */
export function leaderStates({ before, after }: Pick<Change, 'before' | 'after'>): { from: Leaders; to: Leaders } {
  const from = before?.fields ?? {};
  return { from: leadersIn(from), to: leadersIn({ ...from, ...after }) };
}

/**
 * Compares a change with what the list of leaders shows. Leaders that others added meanwhile stay. `left`: the change from
 * what is shown, where something lacks.
 */
export function judgeLeaders<Made extends Change>(change: Made, shown: Leaders): Verdict & { readonly left?: Made } {
  const { from, to } = leaderStates(change);
  const { add, remove } = leaderSteps(from, to);
  const secondary = [...shown.secondary.filter((name) => !remove.secondary.includes(name)), ...add.secondary];
  const isMain = from.main !== to.main;
  if (isMain && ![undefined, from.main, to.main].includes(shown.main)) {
    return {
      kind: 'not-seen',
      what: 'mainLeader was changed by another person or system',
      overwritten: ['mainLeader'],
    };
  }
  const goal = { main: isMain ? to.main : shown.main, secondary };
  const left = leaderSteps(shown, goal);
  const lacks = [
    ...(shown.main === goal.main ? [] : ['the main leader']),
    ...(left.add.secondary.length + left.remove.secondary.length === 0 ? [] : ['secondary leaders']),
  ];
  if (lacks.length === 0) return { kind: 'applied', quirks: {}, leaders: shown };
  const before = { userId: '', enabled: true, ...change.before, fields: leaderValues(shown) };
  const values = leaderValues(goal);
  const after = Object.fromEntries(change.changed.map((name) => [name, values[name as LeaderField]]));
  return {
    kind: 'not-seen',
    what: `the list still lacks ${lacks.join(' and ')}`,
    left: { ...change, before, after },
  };
}

/** Returns a change after rejected fields were taken out of it. What they leave open is asked again. */
export function withoutFields(draft: Proposal, without: readonly string[], known: LedgerLeaders | undefined): Proposal {
  const { before } = draft;
  if (before?.leaders === undefined || without.length === 0) return draft;
  const { main, named, ...leaders } = before.leaders;
  const ours = without.includes('mainLeader') ? known?.main : main;
  const [secondary, columns] = without.includes('secondaryLeaders')
    ? [known?.secondary ?? [], known?.named]
    : [leaders.secondary, named];
  const after = { ...leaders, ...given({ main: ours, named: columns }), secondary, shown: leaderStates(draft).to };
  return { ...draft, before: { ...before, leaders: after } };
}

/** Returns the entry of a person whose list must be read again: a change was sent and is not proven, or it was unreadable. */
export function withoutList(entry: LedgerEntry): LedgerEntry {
  const { shown: _, ...leaders } = entry.leaders ?? unread;
  return { ...entry, leaders };
}

/** Returns what is known with other names for the leaders: one has another identification now, or was forgotten. */
export function renameLeaders(known: LedgerLeaders, nameOf: (leader: string) => string): LedgerLeaders {
  const { main, byHand, shown, secondary, named: columns, ...rest } = known;
  const named = (name: string | undefined): string | undefined => (name === undefined ? undefined : nameOf(name));
  return {
    ...rest,
    ...given({ main: named(main), byHand: named(byHand) }),
    secondary: secondary.map(nameOf),
    ...(columns && {
      named: Object.fromEntries(Object.entries(columns).map(([one, names]) => [one, names.map(nameOf)])),
    }),
    ...(shown && { shown: { main: named(shown.main), secondary: shown.secondary.map(nameOf) } }),
  };
}

/** How the entries of others name a person who was forgotten begins. */
export const pseudonymPrefix = 'forgotten:';

/** Returns all leaders that are known. */
export function leadersNamed({
  main,
  byHand,
  shown,
  secondary,
  named: columns = {},
  waits = [],
}: LedgerLeaders): readonly string[] {
  const named = [main, byHand, shown?.main].filter((name) => name !== undefined);
  return [
    ...named,
    ...secondary,
    ...Object.values(columns).flat(),
    ...(shown?.secondary ?? []),
    ...waits.map(({ value }) => value),
  ];
}

/** What the ledger knows of leaders that were never read. */
export const unread: LedgerLeaders = { secondary: [], checkedAt: 0 };

/** Returns whether the ledger knows the same, whenever the list was read. */
export function isSameKnown(one: LedgerLeaders, other: LedgerLeaders = unread): boolean {
  const textOf = (known: LedgerLeaders): string => canonicalJson({ ...known, checkedAt: 0 });
  return textOf(one) === textOf(other);
}
