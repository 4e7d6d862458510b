/** What an export writes: the feedback of a community, or its evaluations. */
export const exportedLists = ['feedback', 'evaluations'] as const;
export type ExportedList = (typeof exportedLists)[number];

/** `full`: identification, name and place in the organization; `identifications`: only that; `none`: no person. */
export const shownPeople = ['full', 'identifications', 'none'] as const;
export type ShownPeople = (typeof shownPeople)[number];

/** One configured export. */
export interface ExportSettings {
  readonly name: string;
  readonly connection: string;
  readonly what: ExportedList;
  readonly people: ShownPeople;
  /** Whether free text is written. */
  readonly comments: boolean;
  /** Items before this instant (epoch ms) are never read. */
  readonly from: number;
  /** How far a pass reads back before the end of the last one (ms). */
  readonly overlapMs: number;
}

/** Type of a column, the same in every target. `time`: an instant in ISO 8601. `id`: a whole number of any length, as text. */
export type ColumnType = 'id' | 'text' | 'number' | 'flag' | 'time' | 'json';

export interface ExportColumn {
  readonly name: string;
  readonly type: ColumnType;
}

/** The values by column. Every row has every column; null: there is no value, or it is not to be shown. */
export type ExportRow = Readonly<Record<string, unknown>>;

/** One item, as it is at an instant. */
export interface ExportItem {
  /** Different for each item, and for each state of an evaluation. Holds no personal data. */
  readonly key: string;
  /** When it was created or last changed (epoch ms). */
  readonly at: number;
  readonly row: ExportRow;
}

/** A time, both ends included (epoch ms). */
export interface TimeRange {
  readonly from: number;
  readonly to: number;
}

/** All items of a time, from one answer each, or their number when one answer does not hold them. */
export type RangeAnswer =
  | { readonly kind: 'all'; readonly items: readonly ExportItem[] }
  | { readonly kind: 'more'; readonly total: number; readonly shown: number };

/** The items of a platform by time. */
export interface ExportFeed {
  /** Answers `all` for a range of one millisecond. Throws when the platform's answer proves nothing. */
  read(range: TimeRange, signal: AbortSignal): Promise<RangeAnswer>;
}

/** A file that is being written: its final path, and how many bytes of its part are certain. */
export interface ExportFile {
  readonly path: string;
  readonly bytes: number;
  /** Nothing is added: it gets its final name, if it does not have it yet. */
  readonly isComplete?: true;
}

/** Where an export stands, as the store has it. Instants are epoch ms. */
export interface ExportState {
  readonly name: string;
  /** Increases with each pass, so that a pass that lost its lease can no longer write. */
  readonly attempt: number;
  /** The newest slot of the schedule that was requested. */
  readonly slotAt: number | undefined;
  /** Since when a pass waits or is in progress. */
  readonly requestedAt: number | undefined;
  /** Everything up to here was read. */
  readonly readUntil: number | undefined;
  /** The file in progress. */
  readonly file: ExportFile | undefined;
  /** How many items were written in all, and the time of the newest. */
  readonly items: number;
  readonly lastItemAt: number | undefined;
  readonly successAt: number | undefined;
  /** Passes in a row that failed, why the last one did, and when the next begins. */
  readonly failures: number;
  readonly failure: string | undefined;
  readonly retryAt: number | undefined;
}

/** Where rows go. Each method may be repeated after a kill at any instant. */
export interface ExportTarget {
  /** For messages, without secrets. */
  readonly place: string;
  /**
   * Undoes what an interrupted pass wrote after its last stored step. `file`: as stored. Returns the file in progress. Throws
   * `EXPORT_TARGET`.
   */
  begin(file: ExportFile | undefined, signal: AbortSignal): Promise<ExportFile | undefined>;
  /** Writes rows durably. Returns the file in progress after them. A target that knows the rows writes none twice. */
  append(
    rows: readonly ExportRow[],
    file: ExportFile | undefined,
    signal: AbortSignal,
  ): Promise<ExportFile | undefined>;
  /** Gives a complete file its final name, unless it has it. Nothing touches it afterwards. */
  finish(file: ExportFile): Promise<void>;
  /** Ends what `begin` opened. */
  close(): Promise<void>;
}

/** One configured export, opened. */
export interface Export {
  readonly settings: ExportSettings;
  readonly feed: ExportFeed;
  readonly target: ExportTarget;
}

/** A report that is sent by e-mail. Its slots, retries and alerts are those of an export. */
export interface MailedReport {
  /** Sends the report of a slot (epoch ms), and returns the number of people in it. Throws `EXPORT_TARGET`. */
  send(slotAt: number, signal: AbortSignal): Promise<number>;
}

/** Yields ranges of a time, oldest first, each with all its items. A range that one answer does not hold is halved. */
export async function* readRanges(
  feed: ExportFeed,
  { from, to }: TimeRange,
  signal: AbortSignal,
): AsyncGenerator<TimeRange & { readonly items: readonly ExportItem[] }, void> {
  let width = to - from + 1;
  for (let start = from; start <= to; ) {
    signal.throwIfAborted();
    const end = Math.min(to, start + width - 1);
    const answer = await feed.read({ from: start, to: end }, signal);
    if (answer.kind === 'all') {
      yield { from: start, to: end, items: answer.items };
      start = end + 1;
      width *= answer.items.length === 0 ? emptyGrowth : growth;
      continue;
    }
    if (start === end) throw new RangeError('a feed must read a millisecond whole');
    // Aims at half an answer, so that items in clusters fit too.
    const share = Math.min(1 / 2, Math.max(1, answer.shown) / (2 * answer.total));
    width = Math.max(1, Math.floor((end - start + 1) * share));
  }
}

/** How much wider the next range is. Years without an item are passed quickly. */
const growth = 2;
const emptyGrowth = 8;
