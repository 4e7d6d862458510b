import type { FieldName } from '../person/fields.ts';
import { type ChangeClass, changeClasses, type LimitedClass } from '../plan/change.ts';
import { countOf, percent, shellWord } from '../run/formats.ts';
import { given } from '../run/given.ts';
import type { Hold } from '../run/run.ts';
import type { GuardSettings, Threshold } from '../run/settings.ts';
import type { ColumnDoubts } from './columns.ts';
import type { VanishedField } from './field-visibility.ts';

/** How long held changes can be approved (ms). */
export const holdForMs = 86_400_000;

/** The input of the guards. `classes` counts the changes of the plan without an approval. */
export interface GuardFacts {
  readonly sync: string;
  readonly classes: Readonly<Record<ChangeClass, number>>;
  /**
   * Changes that this sync applied in the last 24 hours without approval. Several small runs must not exceed the limit
   * of one.
   */
  readonly recent: Readonly<Record<ChangeClass, number>>;
  /** A restore within the last 24 hours: `recent` lacks what was applied between the backup and the restore. */
  readonly restored?: RestoredStore;
  /** Number of users that the sync owned before this run; 0 at the first run. */
  readonly managed: number;
  /** Owned users whose account is enabled. Percentages refer to this number. */
  readonly enabled: number;
  readonly rows: number;
  readonly fillRates: Readonly<Partial<Record<FieldName, number>>>;
  /** Why most people without a value of a field have none: `hire_date is not a date in …`. */
  readonly unreadable?: Readonly<Partial<Record<FieldName, string>>>;
  /** Source fields that the mapping reads and that no record of this full read shows any longer. */
  readonly vanished: readonly VanishedField[];
  readonly columns?: ColumnDoubts;
  /** The last complete full read; undefined at the first run and for reads that are not full. */
  readonly previous:
    | { readonly rows: number; readonly fillRates: Readonly<Partial<Record<FieldName, number>>> }
    | undefined;
  /** People who are blocked by source data; undefined for point reads. */
  readonly blocked?: BlockedFacts;
  /** An edit of the configuration that the plan was compared with. Absent: none differs. */
  readonly edit?: EditFacts;
  /** The first identifications that come with other people, and whether the e-mail of an account taken from one is parked. */
  readonly strangers?: { readonly examples: readonly string[]; readonly parksEmail: boolean };
}

export interface EditFacts {
  /** How many people differ by what, as a sentence without its full stop. */
  readonly reason: string;
  /** Why its changes wait whatever their number; undefined where this read measures the edit. */
  readonly waits: string | undefined;
  /** All other changes that no one approved: they continue while those of the edit are held. */
  readonly beside: Readonly<Record<ChangeClass, number>>;
}

/** Instants as text: `2026-11-25 03:00:26 UTC`. */
export interface RestoredStore {
  /** When the backup was made. */
  readonly from: string;
  readonly at: string;
}

export interface BlockedFacts {
  readonly now: number;
  /** The same count in the last accepted read; 0 at the first run. */
  readonly before: number;
  /** Their records: more than the people when several records have one identification. */
  readonly rows: { readonly now: number; readonly before: number };
  /** The most frequent cause, as a sentence without its full stop. */
  readonly cause: string;
  /** False for a delta: it has only changed rows, so a percentage of its rows has no meaning. */
  readonly isFull: boolean;
}

export interface GuardVerdict {
  /** Classes that are held, with the reason. The reason is never empty. */
  readonly holds: readonly Hold[];
  /** Fields whose updates are held because their fill rate fell. */
  readonly fields: readonly { readonly field: FieldName; readonly reason: string }[];
  /** Misses of this read are not counted, because the source lost rows or fields. */
  readonly areMissesHeld: boolean;
  /** Why: the only reason for some holds, so leavers who are confirmed one by one need not wait. */
  readonly lost?: string;
  /** Why cells of a column are in doubt, besides the updates of `fields`. */
  readonly column?: string;
  /** Why the read is doubted although its rows are readable: too many people without a decision. */
  readonly blocked?: string;
}

/** Returns whether the read itself needs approval. An approved run becomes the reference for later reads. */
export function isReadDoubted({ areMissesHeld, fields, blocked, column }: GuardVerdict): boolean {
  return areMissesHeld || fields.length > 0 || blocked !== undefined || column !== undefined;
}

/** The users of the sync when the plan is made. `managed` 0 is a first run, where only the absolute limit applies. */
type Users = Pick<GuardFacts, 'managed' | 'enabled'>;

/** Returns `min(max(absolute, percent of the enabled users), cap)`. */
export function allowance(threshold: Threshold, { managed, enabled }: Users): number {
  const share = managed === 0 ? 0 : Math.floor((enabled * threshold.percent) / 100);
  return Math.min(Math.max(threshold.absolute, share), threshold.cap ?? Number.POSITIVE_INFINITY);
}

/**
 * The classes of which never more than a third of the enabled users pass in 24 hours, with the least that may. All but
 * updates lock users out, or restore access.
 */
const withinThird: Readonly<Partial<Record<LimitedClass, number>>> = {
  disables: 1,
  enables: 1,
  removes: 1,
  emailChanges: 1,
  updates: 10,
};

/** The classes of which each change needs approval while it is not known how many were made. */
const countedExactly: readonly ChangeClass[] = ['disables', 'enables', 'removes', 'emailChanges', 'configuration'];

/** Returns how many changes of the class pass in 24 hours: its threshold, but in a small company a third. */
export function classAllowance(name: LimitedClass, threshold: Threshold, users: Users): number {
  const usual = allowance(threshold, users);
  const least = withinThird[name];
  if (users.managed === 0 || least === undefined) return usual;
  return Math.min(usual, Math.max(least, Math.floor(users.enabled / 3)));
}

/**
 * Returns the classes of a plan that exceed their limits. Only the classes named here are held; the others continue.
 */
export function checkGuards(facts: GuardFacts, settings: GuardSettings): GuardVerdict {
  const blind = blindness(facts.vanished);
  const rowsReason = rowsDropped(facts, settings);
  const told = new Set(facts.vanished.flatMap(({ readers }) => readers));
  const emptied = emptiedFields(facts, settings).filter(({ field }) => !told.has(field));
  const { fields: doubted = [], leaveDate } = facts.columns ?? {};
  const fields = [...emptied, ...doubted.filter(({ field }) => !emptied.some((one) => one.field === field))];
  const blocked = tooManyBlocked(facts, settings);
  const areMissesHeld = rowsReason !== undefined || blind !== undefined;
  const why = leaveDate ?? facts.columns?.encoding ?? facts.columns?.emptied;
  const column = why === undefined ? {} : { column: why };
  const read = { fields, areMissesHeld, ...column, ...given({ blocked, lost: blind ?? rowsReason }) };
  const edit = blind ?? whyEditWaits(facts, settings, isReadDoubted({ holds: [], ...read }));
  const isEditHeld = edit !== undefined && facts.classes.configuration > 0;
  const classes = (isEditHeld ? facts.edit?.beside : undefined) ?? facts.classes;
  const whyHeld = (name: ChangeClass): string | undefined => {
    const count = classes[name];
    if (name === 'identity') return withAnotherPerson(count, facts);
    if (name === 'recreate') return accountsGone(count);
    const allowed = classAllowance(name, settings[name], facts);
    const { encoding, emptied: gone } = facts.columns ?? {};
    if (name === 'handOvers') return tooManyHandOvers(count, allowed);
    // Every result of a vanished field can be wrong, for example a leave date or the scope.
    if (blind !== undefined) return blind;
    if (facts.restored !== undefined && countedExactly.includes(name)) return notCounted(name, count, facts.restored);
    if (count + facts.recent[name] > allowed) return tooMany(name, { ...facts, classes }, allowed);
    if (encoding !== undefined && (name === 'creates' || name === 'updates')) return encoding;
    if (gone !== undefined && isByStanding(name, facts.columns)) return gone;
    return name === 'disables' || name === 'removes' ? rowsReason : undefined;
  };
  const holdOf = (name: ChangeClass, count: number, reason: string | undefined): readonly Hold[] =>
    reason === undefined || count === 0 ? [] : [{ sync: facts.sync, class: name, reason, count }];
  const others = changeClasses.filter((name) => name !== 'configuration');
  const holds = [
    ...holdOf('configuration', facts.classes.configuration, edit),
    ...others.flatMap((name) => holdOf(name, classes[name], whyHeld(name))),
  ];
  return { holds, ...read };
}

/** So many at once are rather rows that were shifted than people who changed. */
export const severalStrangers = 3;

/** Every change of the class needs approval. */
function withAnotherPerson(count: number, { sync, strangers }: GuardFacts): string {
  const { examples = [], parksEmail = false } = strangers ?? {};
  const names = examples.length === 0 ? '' : ` (${examples.join(', ')}${count > examples.length ? ', …' : ''})`;
  const who = `${countOf(count, 'identification belongs', 'identifications belong')} to different people in HR and on the platform${names}`;
  const cause = count < severalStrangers ? '' : '. Rows of the export may be shifted, partly sorted or anonymized';
  const command = `rollcall adopt ${shellWord(sync)} ${shellWord(count === 1 ? (examples[0] ?? 'ID') : 'ID')} --another`;
  const email = parksEmail ? 'gets its parking address' : 'stays on it';
  return `${who}${cause}. Approve those who are the same person. For another person, run "${command}": the account is disabled, and its e-mail ${email}`;
}

/** Every change of the class needs approval. */
function accountsGone(count: number): string {
  const who = countOf(count, 'person has lost the account', 'people have lost the accounts');
  return `${who} that Rollcall manages: neither the search nor single reads show them. Approve if they were deleted, to create them again`;
}

/** Returns whether changes of the class depend on a column that is emptied: see `ColumnDoubts`. */
function isByStanding(name: ChangeClass, columns: ColumnDoubts | undefined): boolean {
  if (name === 'creates' || name === 'enables') return true;
  return columns?.isDecidingDamaged === true && (name === 'disables' || name === 'removes');
}

/** Returns why the changes of an edit are held, as a whole, or undefined. */
function whyEditWaits(facts: GuardFacts, settings: GuardSettings, isDoubted: boolean): string | undefined {
  const { edit, classes, recent, restored } = facts;
  if (edit === undefined) return undefined;
  if (edit.waits !== undefined) return `${edit.reason}. ${edit.waits}`;
  if (isDoubted) return `${edit.reason}. This read looks wrong, so the number of affected people is not known`;
  if (restored !== undefined) return `${edit.reason}. ${notCounted('configuration', classes.configuration, restored)}`;
  const allowed = allowance(settings.configuration, facts);
  if (classes.configuration + recent.configuration <= allowed) return undefined;
  const before = recent.configuration === 0 ? '' : `, and edits already changed ${recent.configuration}`;
  return `${edit.reason}. Up to ${countOf(allowed, 'person', 'people')} in 24 hours need no approval${before}`;
}

/**
 * Returns why there are too many people without a decision, or undefined. A share that an accepted read already had
 * does not count.
 */
function tooManyBlocked({ blocked, rows, ...users }: GuardFacts, settings: GuardSettings): string | undefined {
  if (blocked === undefined) return undefined;
  const { now, before, cause, isFull, rows: records } = blocked;
  const isUp = now - before > allowance(settings.blocked, users);
  const isLargeShare = isFull && records.now > records.before && records.now * settings.blocked.oneInRows > rows;
  if (!isUp && !isLargeShare) return undefined;
  const people = countOf(now, 'person', 'people');
  const who =
    records.now === now
      ? `${countOf(now, 'person is', 'people are')} blocked, ${before}`
      : `${countOf(records.now, `row of ${people} is`, `rows of ${people} are`)} blocked, ${countOf(records.before, 'row')}`;
  return `${cause} (${who} in the last accepted read)`;
}

/**
 * Returns a reason, such as `1 disable: up to 50 in 24 hours need no approval, and 50 already passed (1000 enabled managed
 * users)`.
 */
function tooMany(name: ChangeClass, { classes, recent, managed, enabled }: GuardFacts, allowed: number): string {
  const before = recent[name] === 0 ? '' : `, and ${recent[name]} already passed`;
  const who = managed === 0 ? 'first run' : countOf(enabled, 'enabled managed user');
  return `${countOf(classes[name], classNoun[name])}: up to ${allowed} in 24 hours need no approval${before} (${who})`;
}

/** Every change of these classes needs approval, because the 24 hours before the restore are not known. */
function notCounted(name: ChangeClass, count: number, { from, at }: RestoredStore): string {
  return `${countOf(count, classNoun[name])}: the store was restored at ${at} from a backup of ${from}. For 24 hours after a restore, each one needs approval`;
}

/** Expected hand-overs enter the plan only above the limit, and then only approved ones are sent. */
function tooManyHandOvers(count: number, allowed: number): string {
  const who = countOf(count, 'user is', 'users are');
  return `${who} no longer in this sync and expected in another one: up to ${allowed} may stay enabled without a decision. Approve to disable them now, or reject`;
}

/** Maximum number of fields that a reason names. The findings name all of them. */
const namedFields = 3;

function blindness(vanished: readonly VanishedField[]): string | undefined {
  if (vanished.length === 0) return undefined;
  const rest = vanished.length - namedFields;
  const named = vanished.slice(0, namedFields).map(({ reason }) => reason);
  return [...named, ...(rest > 0 ? [`and ${rest} more, see the findings`] : [])].join('; ');
}

/** Returns why the read has suspiciously fewer rows than the last complete read, or undefined. */
function rowsDropped(facts: GuardFacts, settings: GuardSettings): string | undefined {
  if (facts.previous === undefined || facts.previous.rows === 0) return undefined;
  const down = (100 * (facts.previous.rows - facts.rows)) / facts.previous.rows;
  if (down <= settings.rowsDownPercent) return undefined;
  return `source rows fell from ${facts.previous.rows} to ${facts.rows} (${down.toFixed(1)} % down, ${settings.rowsDownPercent} % allowed)`;
}

function emptiedFields(facts: GuardFacts, settings: GuardSettings): { field: FieldName; reason: string }[] {
  const found: { field: FieldName; reason: string }[] = [];
  for (const [field, before] of Object.entries(facts.previous?.fillRates ?? {}) as [FieldName, number][]) {
    const now = facts.fillRates[field];
    // Shares are fractions: 0.9 - 0.7 is a little more than 0.2.
    if (now === undefined || (before - now) * 100 <= settings.fillRateDownPoints + 1e-9) continue;
    const cause = facts.unreadable?.[field];
    const why =
      cause === undefined
        ? '. Check whether a permission or a column was removed in the HR system'
        : `, because ${cause}. Correct the export, or mapping.${field}`;
    const reason = `${field} is filled for ${percent(now)} of the people, down from ${percent(before)}${why}`;
    found.push({ field, reason });
  }
  return found;
}

/** The noun for a change of each class, in the singular. Most plurals add an s. */
export const classNoun: Readonly<Record<ChangeClass, string>> = {
  creates: 'create',
  updates: 'update',
  emailChanges: 'e-mail change',
  firstSight: 'first write',
  enables: 'enable',
  disables: 'disable',
  removes: 'remove',
  handOvers: 'expected hand-over',
  configuration: 'configuration change',
  leads: 'leader change',
  unleads: 'leader removal',
  identity: 'identity change',
  recreate: 'account recreation',
};
