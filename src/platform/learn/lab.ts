import type { FieldName, FieldValues, User } from '../../core/person/fields.ts';
import { type Change, sealChange } from '../../core/plan/change.ts';
import { PlatformError, usageError } from '../../core/run/errors.ts';
import { countOf, formatDuration } from '../../core/run/formats.ts';
import { type Dialect, monthLanguages } from '../../core/run/settings.ts';
import { isRecord } from '../../drivers/http/json-text.ts';
import type { LearnedSetting, LearnedValue, LearnOrder } from '../../ports/api.ts';
import type { Lookup, Platform } from '../../ports/platform.ts';
import type { Clock } from '../../ports/runtime.ts';
import { callOperation } from '../client/calls.ts';
import { openPlatformClient, type PlatformClient, type PlatformClientOptions } from '../client/client.ts';
import { openPlatform } from '../platform.ts';
import type { TokenManager } from '../tokens/token-manager.ts';
import { callStatus, callUpload, classifyFileStatus, readFileRecord } from '../user-file.ts';
import { type Census, keyOf, markOf, movedUsers, type SearchProbe } from './verdicts.ts';

export interface LabOptions extends LearnOrder {
  readonly connection: PlatformClientOptions;
  /** Makes a partial-provisioning file. */
  readonly fileOf: (changes: readonly Change[], dialect: Dialect) => Promise<Uint8Array>;
  readonly tokens: Pick<TokenManager, 'status' | 'current'>;
}

/** The experiments must end. What was written is cleaned up. */
export class Stopped extends Error {
  override readonly name = 'Stopped';
}

/** The operator declined a write. */
export class Declined extends Error {
  override readonly name = 'Declined';
}

/** The names of the test user. Cleaning up removes no account that has others. */
export const testNames = { firstName: 'Rollcall', lastName: 'Learn' } as const;

/** A row of a file that an experiment sends. */
type TestRow = Pick<Change, 'kind'> & {
  readonly after?: FieldValues;
  /** Default: the test user. */
  readonly identification?: string;
  /** Dialect settings of this file alone. */
  readonly dialect?: Partial<Dialect>;
};

/** What became of a file. */
type FileEnd =
  /** The upload was refused, so nothing was applied. */
  | { readonly kind: 'refused'; readonly status: number }
  /** `words`: the texts of its status, in order, the first from the upload. */
  | {
      readonly kind: 'ended' | 'unended' | 'no-status';
      readonly fileId: string;
      readonly words: readonly string[];
      readonly endedAt: number;
    };

/** A file after its end. `user`: its user, as soon as it was as wanted; undefined when that did not show in time. */
export interface SentFile {
  readonly end: FileEnd;
  readonly user: User | undefined;
}

const secondMs = 1000;
const minuteMs = 60 * secondMs;
/** Longest wait for the end of a file. */
const fileDeadlineMs = 10 * minuteMs;
/** An unlisted status word counts as the end of a file when it has not changed for this long. */
const stableMs = 10 * secondMs;
/** A write that does not show within this time has had no effect: until one has shown, and then, at least. */
export const patience = { firstMs: 2 * minuteMs, laterMs: 20 * secondMs } as const;
const busyWaitMs = 15 * secondMs;

/** Where experiments read and write. Every write goes through the desk. */
export class Lab {
  readonly order: LabOptions;
  /** Grows with what is learned. */
  dialect: Dialect;
  /** Hire dates of users, as the platform shows them. */
  dates: readonly string[] = [];
  /** The fields of the first file that the platform shows. */
  visible: readonly FieldName[] = [];
  /** The keys of the test user that another user has. */
  taken: ReadonlySet<string> = new Set();
  /** When the last write began (epoch ms). */
  wroteAt: number | undefined;
  /** The latest time from the end of a file until its row showed (ms). Undefined: no write has shown. */
  latestMs: number | undefined;
  readonly #client: PlatformClient;
  readonly #clock: Clock;
  #before: Census | undefined;

  constructor(order: LabOptions) {
    this.order = order;
    this.dialect = { ...order.connection.dialect, monthNames: monthLanguages };
    this.#client = openPlatformClient(order.connection);
    this.#clock = order.connection.clock;
  }

  /** The identification of no user. */
  get nobody(): string {
    return `${this.order.user}-nobody`;
  }

  /** Uses a learned setting from here on. Names of months stay those of every language. */
  use(setting: LearnedSetting, value: LearnedValue): void {
    const [section = '', key] = setting.split('.');
    const used = key === undefined ? value : { ...(this.dialect[section as keyof Dialect] as object), [key]: value };
    this.dialect = { ...this.dialect, [section]: used, monthNames: monthLanguages };
  }

  /** The client of the connection, with what was learned and other dialect settings. */
  client(changes?: Partial<Dialect>): PlatformClient {
    return { ...this.#client, dialect: { ...this.dialect, ...changes } };
  }

  platform(changes?: Partial<Dialect>): Platform {
    return openPlatform(this.client(changes));
  }

  find(name: string): Promise<Lookup> {
    return this.platform().find(name, this.order.signal);
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  async search(
    place: 'query' | 'body',
    query: Readonly<Record<string, string | number | boolean>>,
  ): Promise<(SearchProbe & { readonly records: readonly unknown[] }) | 'refused'> {
    const input = { ...(place === 'query' ? { query } : { json: query }), finalStatuses: [400, 500] };
    try {
      const { body } = await callOperation(this.client(), 'search', input, this.order.signal);
      const records = isRecord(body) && Array.isArray(body.result) ? body.result : [];
      const total = isRecord(body) && isRecord(body.page) ? body.page.totalElements : undefined;
      return { rows: records.length, total: typeof total === 'number' ? total : undefined, records };
    } catch (error) {
      const isRefusal =
        error instanceof PlatformError && error.status !== undefined && ![401, 429].includes(error.status);
      if (!isRefusal) throw error;
      return 'refused';
    }
  }

  /** Reads the texts of the test user's record as they are. */
  async raw(): Promise<Readonly<Record<string, unknown>>> {
    const { user: identification, signal } = this.order;
    const { body } = await callOperation(this.client(), 'read', { params: { identification } }, signal);
    const record = isRecord(body) ? body.result : undefined;
    return isRecord(record) ? record : {};
  }

  /** Scans every user, before anything is written. Throws `USAGE` when a user has one of these names, or a similar one. */
  async begin(names: readonly string[]): Promise<void> {
    this.#before = await this.#census(names, undefined);
    const taken = [...this.#before.taken].join(', ');
    if (taken === '') return;
    const message = `the platform has a user like ${taken}, so ${this.order.user} cannot be the test user. Name another one with --user`;
    throw usageError(message);
  }

  /** Scans every user again, and notes who has a key of the test user. Throws `Stopped` when another user has moved. */
  async guard(): Promise<void> {
    const { user } = this.order;
    const own = await this.find(user);
    const keys = own.found === true ? [own.user.id, own.user.uid ?? '', user] : [user];
    const after = await this.#census(
      keys.filter((key) => key !== ''),
      user,
    );
    this.taken = after.taken;
    const moved = this.#before === undefined ? [] : movedUsers(this.#before, after, user);
    if (moved.length > 0) throw new Stopped(movedSentence(moved));
  }

  /** Scans every user. `keys`: to find among the keys of everyone, except `but`. */
  async #census(keys: readonly string[], but: string | undefined): Promise<Census> {
    const asked = new Map(keys.map((key) => [keyOf(key), key]));
    const marks = new Map<string, string>();
    const taken = new Set<string>();
    for await (const { users } of this.platform().scan(this.order.signal)) {
      this.order.signal.throwIfAborted();
      for (const user of users) {
        marks.set(user.identification, markOf(user));
        if (user.identification === but) continue;
        for (const key of [user.id, user.uid, user.identification, user.fields.email]) {
          const same = key === undefined ? undefined : asked.get(keyOf(key));
          if (same !== undefined) taken.add(same);
        }
      }
    }
    return { marks, taken };
  }

  /**
   * Returns a user, by default the test user, as soon as it is as wanted; undefined when that does not show in time.
   * `endedAt`: of the write, from which its lateness counts.
   */
  async shown(isWanted: (user: User) => boolean, endedAt?: number, name = this.order.user): Promise<User | undefined> {
    const user = await this.poll(async () => {
      const lookup = await this.find(name);
      return lookup.found === true && isWanted(lookup.user) ? lookup.user : undefined;
    }, this.patienceMs);
    if (user === undefined) return undefined;
    const lateMs = endedAt === undefined ? 0 : this.#clock.now() - endedAt;
    this.latestMs = Math.max(this.latestMs ?? 0, lateMs);
    return user;
  }

  /** Returns the test user as it is now. Throws `Stopped` without one. */
  async current(): Promise<User> {
    const user = await this.shown(() => true);
    if (user === undefined) throw new Stopped('the platform no longer shows the test user');
    return user;
  }

  /** Makes a write. Throws `Declined` when the operator does not want it. */
  async write<T extends object | string | number>(what: string, send: () => Promise<T>): Promise<T> {
    const answer = await this.order.desk.write(what, () => {
      this.wroteAt = this.#clock.now();
      return send();
    });
    if (answer === undefined) throw new Declined();
    return answer;
  }

  /** Sends a file of one row, and waits for its end, and until its user is as wanted. Throws as `write` does. */
  async send(what: string, row: TestRow, isWanted?: (user: User) => boolean): Promise<SentFile> {
    const end = await this.write(`a file with one row: ${what}`, () => this.#deliver(row));
    if (isWanted === undefined || end.kind === 'refused') return { end, user: undefined };
    return { end, user: await this.shown(isWanted, end.endedAt, row.identification) };
  }

  async #deliver(row: TestRow): Promise<FileEnd> {
    const sent = await this.#upload(row);
    if ('kind' in sent) return sent;
    if (sent.id !== undefined) return this.#follow(sent.id, sent.fileStatus);
    throw new Stopped('the answer to an upload has no id, so the file cannot be followed');
  }

  /** Uploads the file, and again while the platform is busy with another one. */
  async #upload(row: TestRow): Promise<ReturnType<typeof readFileRecord> | Extract<FileEnd, { kind: 'refused' }>> {
    const { user: testUser, signal, fileOf } = this.order;
    const sender = this.client(row.dialect);
    const before = row.identification === undefined ? await this.find(testUser) : undefined;
    const change = changeOf(row, testUser, before?.found === true ? before.user : undefined);
    const file = { name: `${testUser}_${row.kind}.csv`, content: await fileOf([change], sender.dialect) };
    const since = this.#clock.now();
    for (let tries = 1; ; tries++) {
      try {
        return await callUpload(sender, file, readFileRecord, signal);
      } catch (error) {
        if (!(error instanceof PlatformError) || error.effect !== 'none' || error.status === undefined) throw error;
        const isBusy = error.code === 'PLATFORM_BUSY';
        // The contract lists no status for a busy platform, so one 400 may mean that.
        if (isBusy ? this.#clock.now() - since > fileDeadlineMs : error.status !== 400 || tries > 1) {
          return { kind: 'refused', status: error.status };
        }
        await this.#clock.sleep(typeof error.retry === 'object' ? error.retry.afterMs : busyWaitMs, signal);
      }
    }
  }

  async #follow(fileId: string, first: string): Promise<FileEnd> {
    const words = [first];
    let since = this.#clock.now();
    let polls = 0;
    const end = await this.poll<FileEnd>(async () => {
      const seen = await this.#statusOf(fileId);
      const endedAt = this.#clock.now();
      if (seen === undefined) return { kind: 'no-status', fileId, words, endedAt };
      const word = seen.fileStatus;
      if (word !== words.at(-1)) {
        words.push(word);
        since = endedAt;
        polls = 0;
      }
      polls += 1;
      const status = classifyFileStatus(word, this.dialect.status);
      const isUnlisted = status.kind === 'pending' && !status.isKnown;
      const isStable = polls > 1 && word !== first && (!seen.isBlocked || endedAt - since >= stableMs);
      return status.kind !== 'pending' || (isUnlisted && isStable)
        ? { kind: 'ended', fileId, words, endedAt }
        : undefined;
    }, fileDeadlineMs);
    return end ?? { kind: 'unended', fileId, words, endedAt: this.#clock.now() };
  }

  /** Reads the status word of a file again, until it is another one than `not` and stays. */
  async lastWord(fileId: string, not: string): Promise<string | undefined> {
    let before = not;
    return this.poll(async () => {
      const seen = await this.#statusOf(fileId);
      if (seen === undefined) return not;
      const word = seen.fileStatus;
      const isSame = word === before && word !== not;
      before = word;
      return isSame ? word : undefined;
    }, minuteMs);
  }

  #statusOf(fileId: string) {
    return callStatus(this.client(), fileId, readFileRecord, this.order.signal);
  }

  /** Longest wait until a write shows. */
  get patienceMs(): number {
    return this.latestMs === undefined ? patience.firstMs : Math.max(patience.laterMs, 5 * this.latestMs);
  }

  /** Polls until `look` returns something, at growing gaps. */
  async poll<T>(look: () => Promise<T | undefined>, longMs: number): Promise<T | undefined> {
    const since = this.#clock.now();
    for (;;) {
      const found = await look();
      if (found !== undefined) return found;
      const tookMs = this.#clock.now() - since;
      if (tookMs >= longMs) return undefined;
      await this.#clock.sleep(Math.min(5 * secondMs, Math.max(secondMs, tookMs / 10)), this.order.signal);
    }
  }
}

function changeOf({ kind, after = {}, identification }: TestRow, testUser: string, user: User | undefined): Change {
  const before =
    user === undefined
      ? undefined
      : { userId: user.id, enabled: user.enabled, fields: { ...user.fields, ...testNames } };
  return sealChange({
    ...{ identification: identification ?? testUser, kind, before, after: { ...after } },
    ...{ changed: Object.keys(after) as FieldName[], classes: [], reason: 'learn', rule: 'learn', episode: '' },
  });
}

/** Describes a file's end in words of the operator. */
export function endWords(end: FileEnd): string {
  if (end.kind === 'refused') return `the upload was refused (${end.status})`;
  const path = end.words.map((word) => JSON.stringify(word)).join(', then ');
  if (end.kind === 'no-status') return 'the platform has no file status';
  return end.kind === 'ended'
    ? `its status was ${path}`
    : `its status stayed ${path} for ${formatDuration(fileDeadlineMs)}`;
}

/** The sentence for users that moved between two counted scans. */
function movedSentence(moved: readonly string[]): string {
  const shown = moved.slice(0, 5).join(', ');
  const more = moved.length > 5 ? ', …' : '';
  return (
    `${countOf(moved.length, 'other user')} changed between the two scans (${shown}${more}): enabled or lastUpdate differs. ` +
    'Another system changed them at the same time, or a file of one row changes other users. ' +
    'Check these users before any sync runs, and learn again at a quiet time'
  );
}
