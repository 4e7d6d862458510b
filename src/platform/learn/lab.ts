import type { FieldName, FieldValues } from '../../core/person/fields.ts';
import type { User } from '../../core/person/user.ts';
import { type Change, sealChange } from '../../core/plan/change.ts';
import { PlatformError, usageError } from '../../core/run/errors.ts';
import { countOf, formatDuration } from '../../core/run/formats.ts';
import type { Dialect } from '../../core/run/settings.ts';
import { isRecord } from '../../drivers/http/json-text.ts';
import type { LearnEnd, LearnOrder } from '../../ports/api.ts';
import type { Platform } from '../../ports/platform.ts';
import type { TokenStatus } from '../../ports/tokens.ts';
import { callOperation } from '../client/calls.ts';
import { openPlatformClient, type PlatformClient, type PlatformClientOptions } from '../client/client.ts';
import { openPlatform } from '../platform.ts';
import { callStatus, callUpload, classifyFileStatus, readFileRecord } from '../user-file.ts';
import { type Census, keyOf, markOf, movedUsers, type SearchProbe } from './verdicts.ts';

export interface LabOptions extends LearnOrder {
  readonly connection: PlatformClientOptions;
  /** Makes a partial-provisioning file. */
  readonly fileOf: (changes: readonly Change[], dialect: Dialect) => Promise<Uint8Array>;
  readonly tokens: {
    status(): Promise<TokenStatus>;
    current(signal: AbortSignal): Promise<{ readonly secret: string }>;
  };
}

/** The experiments must end. What was written is cleaned up. */
export class Stopped extends Error {
  override readonly name = 'Stopped';
}

/** The names of the test user. Cleaning up removes no account that has others. */
export const testNames = { firstName: 'Rollcall', lastName: 'Learn' } as const;

/** A row of a file that an experiment sends. */
export type TestRow = Pick<Change, 'kind'> & {
  readonly after?: FieldValues;
  /** Default: the test user. */
  readonly identification?: string;
  /** Dialect settings of this file alone. */
  readonly dialect?: Partial<Dialect>;
};

/** What became of a file. */
export type FileEnd =
  /** The upload was refused, so nothing was applied. */
  | { readonly kind: 'refused'; readonly status: number }
  /** `words`: the texts of its status, in order, the first from the upload. `listed`: how the dialect classifies the last. */
  | {
      readonly kind: 'ended' | 'unended' | 'no-status';
      readonly fileId: string;
      readonly words: readonly string[];
      readonly endedAt: number;
    };

const secondMs = 1000;
const minuteMs = 60 * secondMs;
/** Longest wait for the end of a file. */
const fileDeadlineMs = 10 * minuteMs;
/** An unlisted status word counts as the end of a file when it has not changed for this long. */
const stableMs = 10 * secondMs;
/** A write that does not show within this time has had no effect: until one has shown, and then, at least. */
const patienceMs = { first: 2 * minuteMs, later: 20 * secondMs } as const;
const busyWaitMs = 15 * secondMs;

/** Where experiments read and write. */
export type Lab = ReturnType<typeof openLab>;

/** What one experiment notes for another. */
export interface LabNotes {
  /** Hire dates of users, as the platform shows them. */
  dates: readonly string[];
  /** The fields of the first file that the platform shows. */
  visible: readonly string[];
  /** The keys of the test user that another user has. */
  taken: ReadonlySet<string>;
  /** When the last write began (epoch ms). */
  wroteAt: number | undefined;
}

export type SearchAnswer = { readonly probe: SearchProbe | 'refused'; readonly records: readonly unknown[] };

/** Opens the place of the experiments. Every write goes through the desk; the dialect grows with what is learned. */
export function openLab(order: LabOptions) {
  const { connection, desk, signal, user: testUser } = order;
  const { clock } = connection;
  const clients: PlatformClient[] = [];
  let dialect: Dialect = { ...connection.dialect, monthNames: ['en', 'es', 'pt'] };
  let latestMs = 0;
  let isSeen = false;
  let main: { readonly client: PlatformClient; readonly platform: Platform } | undefined;

  const notes: LabNotes = { dates: [], visible: [], taken: new Set(), wroteAt: undefined };
  let before: Census | undefined;
  const client = (changes?: Partial<Dialect>, other?: Partial<PlatformClientOptions>): PlatformClient => {
    const opened = openPlatformClient({ ...connection, ...other, dialect: { ...dialect, ...changes } });
    clients.push(opened);
    return opened;
  };
  const current = () => {
    if (main === undefined) {
      const opened = client();
      main = { client: opened, platform: openPlatform(opened) };
    }
    return main;
  };
  const wait = (ms: number): Promise<void> => clock.sleep(ms, signal);
  const patience = () => (isSeen ? Math.max(patienceMs.later, 5 * latestMs) : patienceMs.first);
  const find = (name: string) => current().platform.find(name, signal);

  /** Polls until `look` returns something, at growing gaps. */
  const poll = async <T>(look: () => Promise<T | undefined>, longMs: number): Promise<T | undefined> => {
    const since = clock.now();
    for (;;) {
      const found = await look();
      if (found !== undefined) return found;
      const tookMs = clock.now() - since;
      if (tookMs >= longMs) return undefined;
      await wait(Math.min(5 * secondMs, Math.max(secondMs, tookMs / 10)));
    }
  };

  /** Scans every user. `keys`: to find among the keys of everyone, except `but`. */
  const census = async (keys: readonly string[], but: string | undefined): Promise<Census> => {
    const asked = new Map(keys.map((key) => [keyOf(key), key]));
    const marks = new Map<string, string>();
    const taken = new Set<string>();
    for await (const { users } of current().platform.scan(signal)) {
      signal.throwIfAborted();
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
  };

  /** Makes a write through the desk. Undefined: the operator declined. */
  const write: LearnOrder['desk']['write'] = (what, send) =>
    desk.write(what, () => {
      notes.wroteAt = clock.now();
      return send();
    });

  const statusOf = (fileId: string) => callStatus(current().client, fileId, readFileRecord, signal);

  /** Sends the file, and again while the platform is busy with another file. */
  const upload = async (row: TestRow): Promise<ReturnType<typeof readFileRecord> | { status: number }> => {
    const used = { ...dialect, ...row.dialect };
    const lookup = row.identification === undefined ? await find(testUser) : undefined;
    const file = {
      name: `${testUser}_${row.kind}.csv`,
      content: await order.fileOf([changeOf(row, testUser, lookup?.found === true ? lookup.user : undefined)], used),
    };
    const sender = row.dialect === undefined ? current().client : client(row.dialect);
    const since = clock.now();
    for (let tries = 1; ; tries++) {
      try {
        return await callUpload(sender, file, readFileRecord, signal);
      } catch (error) {
        if (!(error instanceof PlatformError) || error.effect !== 'none' || error.status === undefined) throw error;
        const isBusy = error.code === 'PLATFORM_BUSY';
        // The contract lists no status for a busy platform, so one 400 may mean that.
        if (isBusy ? clock.now() - since > fileDeadlineMs : error.status !== 400 || tries > 1) {
          return { status: error.status };
        }
        await wait(typeof error.retry === 'object' ? error.retry.afterMs : busyWaitMs);
      }
    }
  };

  const follow = async (fileId: string, first: string): Promise<FileEnd> => {
    const words = [first];
    let since = clock.now();
    let polls = 0;
    const end = await poll<FileEnd>(async () => {
      const seen = await statusOf(fileId);
      const endedAt = clock.now();
      if (seen === undefined) return { kind: 'no-status', fileId, words, endedAt };
      const word = seen.fileStatus;
      if (word !== words.at(-1)) {
        words.push(word);
        since = endedAt;
        polls = 0;
      }
      polls += 1;
      const status = classifyFileStatus(word, dialect.status);
      const isUnlisted = status.kind === 'pending' && !status.isKnown;
      const isStable = polls > 1 && word !== first && (!seen.isBlocked || endedAt - since >= stableMs);
      return status.kind !== 'pending' || (isUnlisted && isStable)
        ? { kind: 'ended', fileId, words, endedAt }
        : undefined;
    }, fileDeadlineMs);
    return end ?? { kind: 'unended', fileId, words, endedAt: clock.now() };
  };

  /** Sends a file of one row, and waits for its end. Undefined: the operator declined. */
  const file = (what: string, row: TestRow): Promise<FileEnd | undefined> =>
    write(`a file with one row: ${what}`, async () => {
      const sent = await upload(row);
      if ('status' in sent) return { kind: 'refused', status: sent.status };
      if (sent.id === undefined) throw new Stopped('the answer to an upload has no id, so the file cannot be followed');
      return follow(sent.id, sent.fileStatus);
    });

  return {
    order,
    get dialect() {
      return dialect;
    },
    /** The latest time from the end of a file until its row showed (ms). */
    get latestMs() {
      return latestMs;
    },
    use(learned: Partial<Dialect>): void {
      dialect = { ...dialect, ...learned };
      main = undefined;
    },
    client,
    notes,
    write,
    /** Opens the platform with other dialect settings. */
    platform: (changes?: Partial<Dialect>): Platform =>
      changes === undefined ? current().platform : openPlatform(client(changes)),
    wait,

    async search(
      place: 'query' | 'body',
      query: Readonly<Record<string, string | number | boolean>>,
    ): Promise<SearchAnswer> {
      const input = place === 'query' ? { query } : { json: query };
      try {
        const { body } = await callOperation(
          current().client,
          'search',
          { ...input, finalStatuses: [400, 500] },
          signal,
        );
        const records = isRecord(body) && Array.isArray(body.result) ? body.result : [];
        const total = isRecord(body) && isRecord(body.page) ? body.page.totalElements : undefined;
        return { probe: { rows: records.length, total: typeof total === 'number' ? total : undefined }, records };
      } catch (error) {
        const isRefusal =
          error instanceof PlatformError && error.status !== undefined && ![401, 429].includes(error.status);
        if (!isRefusal) throw error;
        return { probe: 'refused', records: [] };
      }
    },

    /** Scans every user, before anything is written. Throws `USAGE` when a user has one of these names, or a similar one. */
    async begin(names: readonly string[]): Promise<void> {
      before = await census(names, undefined);
      refuseKnown(testUser, before.taken);
    },

    /** Scans every user again, and notes who has a key of the test user. Throws `Stopped` when another user has moved. */
    async guard(): Promise<void> {
      const own = await find(testUser);
      const keys = own.found === true ? [own.user.id, own.user.uid ?? '', testUser] : [testUser];
      const after = await census(
        keys.filter((key) => key !== ''),
        testUser,
      );
      notes.taken = after.taken;
      const moved = before === undefined ? [] : movedUsers(before, after, testUser);
      if (moved.length > 0) throw new Stopped(movedSentence(moved));
    },

    /**
     * Returns the test user as soon as it is as wanted; undefined when that does not show in time. `endedAt`: of the write,
     * from which its lateness counts.
     */
    async shown(isWanted: (user: User) => boolean, endedAt?: number): Promise<User | undefined> {
      const user = await poll(async () => {
        const lookup = await find(testUser);
        return lookup.found === true && isWanted(lookup.user) ? lookup.user : undefined;
      }, patience());
      isSeen ||= user !== undefined;
      if (user !== undefined && endedAt !== undefined) latestMs = Math.max(latestMs, clock.now() - endedAt);
      return user;
    },

    /** Reads the texts of the test user's record as they are. */
    async raw(): Promise<Readonly<Record<string, unknown>>> {
      const { body } = await callOperation(current().client, 'read', { params: { identification: testUser } }, signal);
      const record = isRecord(body) ? body.result : undefined;
      return isRecord(record) ? record : {};
    },

    file,

    /** Reads the status word of a file again, until it is another one than `not` and stays. */
    async lastWord(fileId: string, not: string): Promise<string | undefined> {
      let before = not;
      return poll(async () => {
        const seen = await statusOf(fileId);
        if (seen === undefined) return not;
        const word = seen.fileStatus;
        const isSame = word === before && word !== not;
        before = word;
        return isSame ? word : undefined;
      }, minuteMs);
    },

    /** Removes a test user. Returns what is left of it, if anything. */
    async cleanUp(user: string, writtenAt: number | undefined): Promise<LearnEnd['left']> {
      // A file of a process that died may still be applied.
      const untilMs = writtenAt === undefined ? 0 : writtenAt + patienceMs.first - clock.now();
      const lookup = await poll(async () => {
        const found = await find(user);
        return found.found === false ? undefined : found;
      }, untilMs);
      if (lookup === undefined) return undefined;
      if (lookup.found === 'unclear') return { user, state: 'unknown', why: lookup.reason };
      const { rawIdentification = user, enabled } = lookup.user;
      const state = enabled ? 'enabled' : 'disabled';
      if (!isTestUser(lookup.user)) return { user, state, why: 'it no longer has the names that learn gave it' };
      const removal = await write(`the removal of ${user}, without blacklist`, () =>
        current()
          .platform.remove(rawIdentification, { blacklist: false }, signal)
          .then(
            () => 'sent' as const,
            (error: unknown) => {
              if (!(error instanceof PlatformError)) throw error;
              if (error.effect === 'unknown') return 'sent' as const;
              return { why: `the platform refused the removal (${error.status ?? error.code})` };
            },
          ),
      );
      if (removal === undefined) return { user, state, why: 'its removal was declined' };
      if (removal === 'sent') {
        const isGone = await poll(async () => ((await find(user)).found === false ? true : undefined), patience());
        return isGone
          ? undefined
          : { user, state: 'unknown', why: 'the platform accepted its removal, and still shows it' };
      }
      if (!enabled) return { user, state, why: removal.why };
      const end = await file(`D ${user}`, { kind: 'disable', identification: user });
      const isDisabled = await poll(
        async () => {
          const found = await find(user);
          return found.found === true && !found.user.enabled ? true : undefined;
        },
        end === undefined ? 0 : patience(),
      );
      return { user, state: isDisabled ? 'disabled' : 'enabled', why: removal.why };
    },

    async close(): Promise<void> {
      await Promise.all(clients.map((opened) => opened.close()));
    },
  };
}

/** Whether the account has the names of a test user, or what a platform that cuts text keeps of them. */
function isTestUser({ fields }: User): boolean {
  const isOf = (name: 'firstName' | 'lastName') => testNames[name].startsWith(fields[name] ?? 'no name');
  return isOf('firstName') && isOf('lastName');
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
  if (end.kind === 'no-status') return 'the platform has no status of files';
  return end.kind === 'ended'
    ? `its status was ${path}`
    : `its status stayed ${path} for ${formatDuration(fileDeadlineMs)}`;
}

/** Throws `USAGE` when a user has one of the names, or one that a platform may take for it. */
function refuseKnown(user: string, taken: ReadonlySet<string>): void {
  if (taken.size === 0) return;
  const message = `the platform has a user like ${[...taken].join(', ')}, so ${user} cannot be the test user. Name another one with --user`;
  throw usageError(message);
}

/** The sentence for users that moved between two counted scans. */
function movedSentence(moved: readonly string[]): string {
  const shown = moved.slice(0, 5).join(', ');
  const more = moved.length > 5 ? ', …' : '';
  return (
    `${countOf(moved.length, 'other user')} changed between the two scans (${shown}${more}): enabled or lastUpdate moved. ` +
    'Either they were changed at the same time, or a file of one row touches other users. ' +
    'Look at these users before any sync runs, and learn again at a quiet time'
  );
}

export function nobodyOf({ order }: Pick<Lab, 'order'>): string {
  return `${order.user}-nobody`;
}

/** An address of no person (RFC 2606). */
export function emailOf(user: string): string {
  return `${user.toLowerCase().replace(/[^a-z0-9-]+/g, '-')}@example.com`;
}

export function unique<T>(values: readonly T[]): readonly T[] {
  return [...new Set(values)];
}
