import { compileDateFormat } from '../person/plain-date.ts';
import { countOf, outOf } from '../run/formats.ts';
import { given } from '../run/given.ts';
import { type Column, mayBeDate } from './column.ts';
import { isInactive, likeName, statusMeaning } from './known-names.ts';
import {
  type Answers,
  asYouSaid,
  type Choice,
  type Joined,
  leftOut,
  orderOf,
  type ProposedField,
  several,
  unreadDates,
} from './propose-mapping.ts';
import { type ProposedRule, ruleYaml } from './readings.ts';
import type { SampleRow, Survey } from './survey.ts';

/** A proposed column and what speaks for it. `key`: its choice, if not the path. `effect`: what an open question means. */
export type ProposedColumn = { readonly path: string; readonly key?: string } & Pick<
  ProposedField,
  'certainty' | 'evidence' | 'effect' | 'choices'
>;
export type ProposedDate = ProposedColumn & Pick<ProposedField, 'rule'>;

/** What a status says of a person, and what the platform says of people who have it. */
export interface ProposedStatus {
  readonly value: string;
  readonly meaning: 'active' | 'leaver' | 'unknown';
  readonly people: number;
  readonly evidence: string;
  readonly effect?: string;
  /** What each meaning does: `active`, `leaver`, and neither. */
  readonly choices: readonly Choice[];
}

export interface ProposedLifecycle {
  readonly status: ProposedColumn | undefined;
  readonly statuses: readonly ProposedStatus[];
  readonly hireDate: ProposedDate | undefined;
  readonly leaveDate: ProposedDate | undefined;
}

/** A row of the sample and what else is known of its person. */
interface Row {
  readonly cells: SampleRow;
  /** On the platform. Undefined where nothing was compared. */
  readonly account: 'enabled' | 'disabled' | 'absent' | undefined;
  /** What the words of the status say. */
  says: ProposedStatus['meaning'] | undefined;
  /** The last day of work has passed. */
  hasEnded: boolean;
}

const hasAccess = ({ account }: Row): boolean => account === 'enabled' || account === undefined;

/** Proposes who works here and who left. Undefined where no column says so. */
export function proposeLifecycle(
  survey: Survey,
  fields: readonly ProposedField[],
  joined: readonly Joined[],
  answers: Answers = {},
): ProposedLifecycle | undefined {
  const entry = fields.find(({ field, certainty }) => field === 'orgEntryDate' && certainty !== 'off');
  const taken = [entry, ...fields.filter(({ certainty }) => certainty === 'sure')].flatMap((field) =>
    field !== undefined && 'from' in field.rule ? [field.rule.from] : [],
  );
  const free = survey.columns.filter(({ path }) => !taken.includes(path));
  const users = new Map(
    joined.map(({ row, user }) => [row, user.enabled ? ('enabled' as const) : ('disabled' as const)]),
  );
  const rows = survey.sample.map(
    (cells): Row => ({
      cells,
      account: users.size === 0 ? undefined : (users.get(cells) ?? 'absent'),
      says: undefined,
      hasEnded: false,
    }),
  );
  // What the words say shows which dates are last days; these show what other words mean.
  const said = statusOf(free, rows, answers);
  for (const row of rows) row.says = said.isProven ? said.meaningOf(row) : undefined;
  const leaveDate = leaveDateOf(free, { rows, survey, entry }, answers.leaveDate);
  const { status, statuses } = statusOf(free, rows, answers);
  if (status === undefined && entry === undefined && leaveDate === undefined) return undefined;
  const hireDate = entry && {
    path: 'from' in entry.rule ? entry.rule.from : entry.field,
    ...{ rule: entry.rule, certainty: entry.certainty, choices: [] },
    evidence: 'no account before this day',
  };
  return { status, statuses, hireDate, leaveDate };
}

/* The status. */

/** A word for active people in a column that is called a status is just enough. */
const enough = 0.55;

/** Finds the column whose values tell who left, and what each value means. */
function statusOf(columns: readonly Column[], rows: readonly Row[], answers: Answers) {
  const losing = (meaningOf: (row: Row) => unknown): string =>
    loses(rows.filter((row) => hasAccess(row) && meaningOf(row) === 'leaver').length);
  const all = columns.flatMap((column) => {
    const { path, values, dates } = column;
    if (values === undefined || values.size === 0 || dates?.isNumeric === false) return [];
    const like = likeName('status', path);
    const groups = Map.groupBy(rows, ({ cells }) => cells[path]);
    const gone = [...values].reduce((sum, [value, n]) => sum + (areDisabled(groups.get(value) ?? []) ? n : 0), 0);
    const statuses = [...values]
      .toSorted(([one, a], [other, b]) => b - a || (one < other ? -1 : 1))
      .map(([value]) =>
        judge(value, column, { rows: groups.get(value) ?? [], gone, answer: answers[`status ${value}`] }),
      );
    const meanings = new Map(statuses.map(({ value, meaning }) => [value, meaning]));
    const meaningOf = ({ cells }: Row) => meanings.get(cells[path] ?? '');
    const score = evidenceFor(statuses, path, rows) * (1 + like / 10) + like / 100;
    const isNamed = like > 1 && statuses.length === 1 && statuses[0]?.meaning === 'active';
    const isShown = score >= enough || isNamed || answers.status === path;
    return isShown ? [{ path, like, statuses, score, meaningOf }] : [];
  });
  const ranked = all.toSorted((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1));
  const found = ranked.find(({ path }) => path === answers.status) ?? ranked[0];
  if (found === undefined) return { status: undefined, statuses: [], isProven: false, meaningOf: () => undefined };
  const { path, like, statuses, score, meaningOf } = found;
  const unknown = statuses.filter(({ meaning }) => meaning === 'unknown').length;
  const isAnswered = answers.status !== undefined;
  const isOut = answers.status === leftOut;
  const isProven = !isOut && (score >= enough || isAnswered);
  const rest =
    unknown === 0 ? '' : `; ${countOf(unknown, 'value is', 'values are')} in neither list, which changes nothing`;
  const effect = `as written: ${losing(meaningOf)}; if ${path} says something else: none`;
  const said = isAnswered ? asYouSaid : like > 0 ? 'chosen by name and values' : 'chosen by its values';
  const choices = [
    ...ranked.map((one) => ({ key: one.path, effect: losing(one.meaningOf) })),
    { key: leftOut, effect: 'no status says who left' },
  ];
  const isSure = isAnswered || like > 0;
  const open = like === 0 && !isAnswered ? { effect } : {};
  const status: ProposedColumn = isProven
    ? { path, choices, certainty: isSure ? 'sure' : 'unsure', evidence: `${said}${rest}`, ...open }
    : { path, choices, certainty: 'off', evidence: isOut ? asYouSaid : 'it has one value only' };
  return { status, statuses, isProven, meaningOf };
}

/**
 * Returns how well values tell who left: by words for leavers, by accounts that are disabled, by last days that have
 * passed. 0 where no value means active. A word for active people alone tells little.
 */
function evidenceFor(statuses: readonly ProposedStatus[], path: string, rows: readonly Row[]): number {
  const words = new Set(statuses.map(({ value, meaning }) => meaning !== 'unknown' && statusMeaning(value, path)));
  // The share of people who are gone whose value says so: half the people with that value are gone.
  const toldBy = (isGone: (row: Row) => boolean): number => {
    const gone = rows.filter(isGone);
    const tells = statuses.filter(({ value, meaning }) => {
      const own = rows.filter(({ cells, account }) => cells[path] === value && account !== 'absent');
      return meaning !== 'active' && own.filter(isGone).length * 2 >= own.length;
    });
    const told = gone.filter(({ cells }) => tells.some(({ value }) => value === cells[path]));
    return gone.length < several ? 0 : told.length / gone.length;
  };
  const disabled = toldBy(({ account }) => account === 'disabled');
  const ended = toldBy(({ hasEnded }) => hasEnded);
  if (statuses.length === 1 || !statuses.some(({ meaning }) => meaning === 'active')) return 0;
  const byWords = (words.has('leaver') ? 2 : 0) + (words.has('active') ? 0.5 : words.has('other') ? 0 : 0.45);
  return byWords + (disabled < 0.5 ? 0 : 1 + disabled) + (ended < 0.6 ? 0 : ended);
}

/** Returns whether the platform shows that these people left: nearly all accounts are disabled. */
function areDisabled(rows: readonly Row[]): boolean {
  const known = rows.filter(({ account }) => account === 'enabled' || account === 'disabled');
  return known.length >= several && known.filter(hasAccess).length <= known.length * 0.1;
}

/**
 * Returns what a status means: what its word says, unless its people are disabled; else *left*, if its people are all
 * disabled or their last days have passed. That accounts are enabled proves nothing before a first sync, when leavers
 * still have theirs, so it confirms only the word of most people. `gone`: how many have a value of disabled accounts.
 */
function judge(
  value: string,
  { path, filled, values = new Map() }: Column,
  { rows, gone, answer }: { readonly rows: readonly Row[]; readonly gone: number; readonly answer: string | undefined },
): ProposedStatus {
  const count = (account: Row['account']): number => rows.filter((row) => row.account === account).length;
  const [enabled, disabled, absent] = [count('enabled'), count('disabled'), count('absent')];
  const ended = rows.filter(({ hasEnded }) => hasEnded).length;
  const people = values.get(value) ?? 0;
  const known = enabled + disabled;
  const haveEnded = ended > 0 && ended >= rows.length * 0.9;
  const isGone = areDisabled(rows) || haveEnded;
  // A column with a word for leavers may call inactive who is only away, and an unknown word may be that word.
  const rivals = [...values.keys()].filter((one) => one !== value && statusMeaning(one, path) !== 'active');
  const isVague = isInactive(value) && !isGone && rivals.length > 0;
  // Few of those with an account left, so the word of most people is no word for leavers, whatever it is.
  const word = statusMeaning(value, path);
  const isMost = people * (word === 'leaver' ? 5 : 1.5) >= filled - gone;
  const isHere = known >= several && enabled >= known * 0.9 && isMost;
  const shown = isGone ? 'leaver' : isHere ? 'active' : 'unknown';
  const against = word !== undefined && shown !== 'unknown' && shown !== (word === 'leaver' ? word : 'active');
  // An unknown word takes access from no one: only a last day does.
  const isGuess = word === undefined && isGone && !haveEnded && enabled > 0;
  const judged = against || isVague || isGuess ? 'unknown' : word === 'other' ? 'active' : (word ?? shown);
  const meaning = answer === 'active' || answer === 'leaver' ? answer : answer === leftOut ? 'unknown' : judged;
  const accounts = [`${enabled} enabled`, disabled > 0 && `${disabled} disabled`, absent > 0 && `${absent} not there`];
  const isCompared = known + absent > 0;
  const says = [
    countOf(people, 'person', 'people'),
    isCompared && `on the platform ${accounts.filter((text) => text !== false).join(', ')}`,
    ended > 0 && `${countOf(ended, 'last day of work has', 'last days of work have')} passed`,
    against && `the word does not fit these people: ${shown === 'active' ? 'most are enabled' : 'most are disabled'}`,
    isVague && 'another value may be the one of people who left',
    answer !== undefined && asYouSaid,
    meaning === 'unknown' && answer === undefined && 'Not known: choose active or left',
  ].filter((text) => text !== false);
  const ofAll = (part: number): number => Math.round((part * people) / Math.max(1, rows.length));
  const losing = loses(isCompared ? ofAll(enabled) : people);
  const gains = [absent > 0 && `${ofAll(absent)} without an account`, disabled > 0 && `${ofAll(disabled)} disabled`];
  const gaining = gains.filter((text) => text !== false).join(', ');
  const choices = [
    { key: 'active', effect: gaining === '' ? 'changes no access' : `gives access to ${gaining}` },
    { key: 'leaver', effect: losing },
    { key: leftOut, effect: 'changes no access' },
  ];
  const isOpen = meaning === 'unknown' && answer === undefined;
  const effect = isOpen ? { effect: `if ${value} means left: ${losing}; as written: none` } : {};
  return { value, meaning, people, evidence: says.join('; '), ...effect, choices };
}

const loses = (people: number): string =>
  people === 0 ? 'no one loses access' : `${countOf(people, 'loses', 'lose')} access with policy sync`;

/* The last day of work. */

interface LeaveFacts {
  readonly rows: readonly Row[];
  readonly survey: Survey;
  readonly entry: ProposedField | undefined;
}

/** Finds the column of last days of work, by evidence first. Marks the rows whose last day has passed. */
function leaveDateOf(
  columns: readonly Column[],
  facts: LeaveFacts,
  answer: string | undefined,
): ProposedDate | undefined {
  const ranked = columns
    .flatMap((column) => [...leaveDateIn(column, facts), ...leaveDateIn(column, facts, true)])
    .toSorted((a, b) => b.rank - a.rank || (a.key < b.key ? -1 : 1));
  const offered = ranked.filter(({ isUnread }) => !isUnread);
  const said = offered.find(({ key }) => key === answer);
  const found = said ?? ranked.find(({ date }) => date.path === answer) ?? ranked[0];
  if (found === undefined) return undefined;
  const { effect, ...date } = found.date;
  const orders = offered.filter((one) => one.key !== date.path && one.date.path === date.path);
  const asked = orders.map(({ date: { rule }, access }) => `${rule.format}: ${access}`).join('; ') || effect;
  const choices = [...offered.map(({ key, access }) => ({ key, effect: access })), { key: leftOut, effect: neverEnds }];
  const isSaid = said !== undefined || answer === leftOut;
  const why = isSaid ? { evidence: `${date.evidence}; ${asYouSaid}` } : given({ effect: asked });
  const certainty = answer === leftOut ? 'off' : said === undefined ? date.certainty : 'sure';
  if (certainty !== 'off' && (isSaid || date.key === undefined)) for (const row of found.past) row.hasEnded = true;
  return { ...date, ...why, certainty, choices };
}

const neverEnds = 'no account ends by a date';

/**
 * Judges one column: few rows have a last day, it comes after the first day, and people whose day has passed are disabled
 * or have a status of leavers. A name alone is enough where nothing contradicts it.
 * `isSwapped`: in the other order of day and month, where nothing shows which one it is.
 */
function leaveDateIn({ path, filled, ...column }: Column, { rows, survey, entry }: LeaveFacts, isSwapped = false) {
  const [first = '', other] = column.dates?.formats ?? [];
  if (isSwapped && other === undefined) return [];
  const dates = isSwapped && other && column.dates ? { ...column.dates, formats: [other, first] } : column.dates;
  const like = likeName('leaveDate', path);
  if (like < 1 && dates === undefined) return [];
  // The first day shows the order only where its own is proven.
  const known = entry?.certainty === 'sure' ? entry.rule.format : undefined;
  const order = dates === undefined ? undefined : orderOf({ from: path }, dates, { survey, ...given({ known }) });
  const rule = order?.rule ?? { from: path, ...given({ format: entry?.rule.format }) };
  const [read, hired] = [readerOf(rule), entry === undefined ? () => undefined : readerOf(entry.rule)];
  const dated = rows.flatMap((row) => {
    const day = read(row.cells);
    return day === undefined ? [] : [{ row, day, isAfter: day >= (hired(row.cells) ?? '') }];
  });
  const past = dated.filter(({ day }) => day < survey.today).map(({ row }) => row);
  const left = past.filter(({ account, says }) => says === 'leaver' || (account === 'disabled' && says !== 'active'));
  const losing = past.filter((row) => hasAccess(row) && row.says !== 'leaver').length;
  const isAfter = dated.filter((one) => one.isAfter).length >= dated.length * 0.9;
  const isSparse = dated.length * 2 < rows.length;
  const isProven = isAfter && isSparse && past.length >= several && left.length * 2 >= past.length;
  if (like < 1 && !isProven) return [];
  const isUnread = dates === undefined && filled > 0;
  const texts = rows.flatMap(({ cells }) => cells[path] ?? []);
  if (isUnread && texts.filter((text) => mayBeDate.test(text)).length * 2 < texts.length) return [];
  const key = order?.isOpen && other !== undefined ? ruleYaml(rule) : undefined;
  if (isSwapped && key === undefined) return [];
  const isRefuted = past.filter(({ says }) => says === 'active').length * 2 > past.length || losing * 3 > rows.length;
  const isOff = isUnread || !isAfter || isRefuted || (like <= 1 && !isProven && losing > 0);
  const isSure =
    dates !== undefined && !order?.isOpen && (isProven ? like >= 1 || losing === 0 : like > 1 && losing === 0);
  const access = isUnread ? neverEnds : loses(Math.round((losing * survey.rows) / rows.length));
  const effect = isOff
    ? `if ${path} is the last day of work: ${access}; as written: none`
    : `as written: ${access}; if ${path} is another day: none`;
  const says = [
    `the last day of work, ${isProven ? `${outOf(left.length, `${past.length} people whose day has passed`, 'has', 'have')} left` : 'chosen by name'}`,
    filled === 0 && 'no cell has a value',
    isUnread && unreadDates,
    dates !== undefined && `${countOf(dates.fits, 'date')} in ${countOf(survey.rows, 'row')}; ${order?.says}`,
  ].filter((text) => text !== false);
  const date: ProposedDate = {
    ...{ path, rule, certainty: isOff ? 'off' : isSure ? 'sure' : 'unsure', evidence: says.join('; ') },
    ...given({ key }),
    ...(isSure && !isOff ? {} : { effect }),
    choices: [],
  };
  // The later days of several columns count, so that access ends no earlier than it should.
  const days = dated.reduce((sum, { day }) => sum + Date.parse(day) / 1e16, 0) / Math.max(1, dated.length);
  const rank = (isOff ? 0 : 100) + (isProven ? 10 : 0) + (filled === 0 ? 0 : 5) + like + days;
  return [{ date, key: key ?? path, past, rank: rank - losing / rows.length / 100, access, isUnread }];
}

/** Returns a reader of plain dates. */
function readerOf(rule: ProposedRule): (row: SampleRow) => string | undefined {
  if (!('from' in rule)) return () => undefined;
  const { parse } = compileDateFormat(rule.format ?? 'yyyy-MM-dd', 'work');
  return (row) => parse(row[rule.from] ?? '') || undefined;
}
