import { RollcallError } from '../core/run/errors.ts';
import type {
  ColumnType,
  ExportColumn,
  ExportedList,
  ExportFeed,
  ExportItem,
  ExportRow,
  ExportSettings,
  RangeAnswer,
  TimeRange,
} from '../core/run/exports.ts';
import type { PlatformApi } from './client/api.ts';
import type { ListPage } from './client/pages.ts';
import type { Evaluation, Feedback } from './table/index.ts';
import type { UserSummary } from './table/people.ts';

type Settings = Pick<ExportSettings, 'people' | 'comments'>;

/** A column and its value of an item. */
interface Column<Item> extends ExportColumn {
  of(item: Item, settings: Settings): unknown;
}

const column = <Item>(name: string, type: ColumnType, of: Column<Item>['of']): Column<Item> => ({ name, type, of });
const comment = <Item>(name: string, of: (item: Item) => unknown): Column<Item> =>
  column(name, 'text', (item, { comments }) => (comments ? of(item) : null));

const placeFields = ['area', 'job', 'office', 'project', 'account'] as const;

/** The columns of a person: `sender` has the identification. */
function person<Item>(name: string, of: (item: Item) => UserSummary | null | undefined): readonly Column<Item>[] {
  const full = (suffix: string, field: 'firstName' | 'lastName' | (typeof placeFields)[number]) =>
    column<Item>(`${name}_${suffix}`, 'text', (item, { people }) => (people === 'full' ? of(item)?.[field] : null));
  return [
    column(name, 'text', (item, { people }) => (people === 'none' ? null : of(item)?.identification)),
    full('first_name', 'firstName'),
    full('last_name', 'lastName'),
    ...placeFields.map((field) => full(field, field)),
  ];
}

const feedbackColumns: readonly Column<Feedback>[] = [
  column('id', 'id', ({ id }) => String(id)),
  column('creation_time', 'time', ({ creationTime }) => instant(creationTime)),
  ...person<Feedback>('sender', ({ sender }) => sender),
  ...person<Feedback>('recipient', ({ recipient }) => recipient),
  column('community', 'text', ({ community }) => community?.name),
  column('total_messages', 'number', ({ totalMessages }) => totalMessages),
  column('ratings', 'json', ({ ratedTopics }) => ratedTopics?.map(({ id, name, value }) => ({ id, name, value }))),
  comment('comment', (item) => item.comment),
];

const evaluationColumns: readonly Column<Evaluation>[] = [
  column('id', 'id', ({ id }) => String(id)),
  column('state_time', 'time', (item) => instant(stateTime(item))),
  column('creation_time', 'time', ({ creationTime }) => instant(creationTime)),
  column('update_time', 'time', ({ updateTime }) => instant(updateTime)),
  column('submission_time', 'time', ({ submissionTime }) => instant(submissionTime)),
  column('status', 'text', ({ status }) => status),
  column('title', 'text', ({ title }) => title),
  column('period', 'text', ({ period }) => period?.title),
  column('period_start', 'time', ({ period }) => instant(period?.startTime)),
  column('period_end', 'time', ({ period }) => instant(period?.endTime)),
  ...person<Evaluation>('evaluator', ({ evaluator }) => evaluator),
  ...person<Evaluation>('evaluee', ({ evaluee }) => evaluee),
  column('score', 'number', ({ score }) => score?.value),
  column('is_manual_score', 'flag', ({ score }) => score?.manualScore),
  column('is_approved', 'flag', ({ answer }) => answer?.approved),
  column('answer_time', 'time', ({ answer }) => instant(answer?.creationTime)),
  comment('comment', (item) => item.comment),
  comment('answer_comment', ({ answer }) => answer?.comment),
];

/** Returns the time of the newest change that the evaluation shows: an evaluation is one item for each. */
function stateTime({ creationTime, updateTime, submissionTime }: Evaluation): number {
  return Math.max(creationTime ?? 0, updateTime ?? 0, submissionTime ?? 0);
}

/** One list of the platform, and how its items become rows. */
interface List<Item> {
  readonly columns: readonly Column<Item>[];
  /** The columns that name an item. */
  readonly key: readonly string[];
  /** The times by which the list is read. An item shows up by any of them. */
  readonly times: readonly (keyof Item & string)[];
  at(item: Item): number;
  keyOf(item: Item): string;
}

const feedbackList: List<Feedback> = {
  columns: feedbackColumns,
  key: ['id'],
  times: ['creationTime'],
  at: ({ creationTime }) => creationTime ?? 0,
  keyOf: ({ id }) => String(id),
};

const evaluationList: List<Evaluation> = {
  columns: evaluationColumns,
  key: ['id', 'state_time'],
  // The contract does not say whether an evaluation that was never updated has an `updateTime`.
  times: ['creationTime', 'updateTime', 'submissionTime'],
  at: stateTime,
  keyOf: (item) => `${item.id}@${stateTime(item)}`,
};

/** Returns the columns of an export, the same whatever it is to show, and those that name an item. */
export function exportColumns(what: ExportedList): {
  readonly columns: readonly ExportColumn[];
  readonly key: readonly string[];
} {
  return what === 'feedback' ? feedbackList : evaluationList;
}

type ReadPages<Item> = (query: Readonly<Record<string, number>>, signal: AbortSignal) => Pages<Item>;

interface Pages<Item> {
  first(): Promise<ListPage<Item>>;
  all(): AsyncIterable<ListPage<Item>>;
}

/** Opens the feedback or the evaluations of a platform as items by time. `size`: how many an answer may hold. */
export function openExportFeed(
  { feedback, evaluations }: Pick<PlatformApi, 'feedback' | 'evaluations'>,
  settings: Settings & Pick<ExportSettings, 'what'>,
  size: number,
): ExportFeed {
  if (settings.what === 'feedback') {
    return feedOf(feedbackList, settings, (bounds, signal) => ({
      first: () => feedback.page({ ...bounds, size }, signal),
      all: () => feedback.pages({ ...bounds, size }, signal),
    }));
  }
  return feedOf(evaluationList, settings, (bounds, signal) => {
    const query = { ...bounds, pageSize: size, sort: 'id(asc)' };
    return { first: () => evaluations.page(query, signal), all: () => evaluations.pages(query, signal) };
  });
}

function feedOf<Item extends { readonly id: number | string }>(
  list: List<Item>,
  settings: Settings,
  readPages: ReadPages<Item>,
): ExportFeed {
  return {
    async read(range, signal) {
      const found = new Map<string, ExportItem>();
      for (const time of list.times) {
        const pages = readPages({ [`${time}From`]: range.from, [`${time}To`]: range.to }, signal);
        const read = await readWhole(pages, range);
        if (read.kind === 'more') return read;
        refuseOthers(read.items, time, range);
        for (const item of read.items) {
          const [key, at] = [list.keyOf(item), list.at(item)];
          found.set(key, { key, at, row: rowOf(item, list.columns, settings) });
        }
      }
      const items = [...found.values()].toSorted((a, b) => a.at - b.at || (a.key < b.key ? -1 : 1));
      return { kind: 'all', items };
    },
  };
}

const tries = 3;

/**
 * Reads a list in one answer, which cannot shift while it is read. Only a single millisecond with more items than an answer
 * holds is read page by page, until the different ids are as many as the total that every page has.
 */
async function readWhole<Item extends { readonly id: number | string }>(
  pages: Pages<Item>,
  { from, to }: TimeRange,
): Promise<{ readonly kind: 'all'; readonly items: readonly Item[] } | Extract<RangeAnswer, { kind: 'more' }>> {
  const { items, total = Number.NaN } = await pages.first();
  if (items.length === total && countIds(items) === total) return { kind: 'all', items };
  if (from < to) return { kind: 'more', total, shown: items.length };
  for (let attempt = 1; attempt <= tries; attempt += 1) {
    const read: Item[] = [];
    const totals = new Set<number | undefined>();
    for await (const page of pages.all()) {
      read.push(...page.items);
      totals.add(page.total);
    }
    if (totals.size === 1 && totals.has(countIds(read))) return { kind: 'all', items: read };
  }
  throw invalid('shows other items on each read: the list changed meanwhile, or its total is wrong');
}

function countIds(items: readonly { readonly id: number | string }[]): number {
  return new Set(items.map(({ id }) => String(id))).size;
}

/** Proves that the platform applied the bounds: otherwise nothing says that the list is whole. */
function refuseOthers<Item>(items: readonly Item[], time: keyof Item & string, { from, to }: TimeRange): void {
  for (const item of items) {
    const at = item[time];
    if (typeof at === 'number' && at >= from && at <= to) continue;
    throw invalid(`shows an item whose ${time} is not within the requested bounds, so the platform ignores them`);
  }
}

function invalid(what: string): RollcallError {
  return new RollcallError(`the list ${what}. Nothing was written for this time`, {
    code: 'PLATFORM_ANSWER_INVALID',
    retry: 'backoff',
  });
}

function rowOf<Item>(item: Item, columns: readonly Column<Item>[], settings: Settings): ExportRow {
  return Object.fromEntries(columns.map(({ name, of }) => [name, storable(of(item, settings))]));
}

/** No database stores lone surrogates and U+0000. */
function storable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(storable);
  if (typeof value === 'string') return value.toWellFormed().replaceAll('\0', '\ufffd');
  if (typeof value !== 'object' || value === null) return value ?? null;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, storable(part)]));
}

function instant(at: number | null | undefined): string | null {
  return at === undefined || at === null ? null : new Date(at).toISOString();
}
