import { PlatformError, RollcallError } from '../core/run/errors.ts';
import { afterBreakdown, afterFirstPage, afterScan, firstPageSize, type PageSize } from '../core/run/pace.ts';
import { type ScanPurpose, scanRequests } from '../core/run/requests.ts';
import { AnswerInvalid, isRecord } from '../drivers/http/json-text.ts';
import type { Platform, ScanPage } from '../ports/platform.ts';
import { contractCall, jsonBody } from './client/calls.ts';
import type { PlatformClient } from './client/client.ts';
import { refuseToSend } from './client/errors.ts';
import { type AnswerReader, checkIdentification, nothing, operationName } from './client/operation.ts';
import {
  judgeEnd,
  judgeFirstPage,
  judgeNextPage,
  type ScanProblem,
  type ScanState,
  type Verdict,
} from './scan-proof.ts';
import { operationOf } from './table/operations.ts';
import { readFileStatus, uploadUserFile } from './user-file.ts';
import { changeLeaders, readLeaders } from './user-leaders.ts';
import { findUser } from './user-lookup.ts';
import { isRead, type UserPage } from './user-record.ts';
import { searchUsers } from './user-search.ts';
import { updatePayload, userIdOf, userPayload } from './user-write.ts';

/** Opens the engine's view of a connection over its client (see `Platform`). The client is closed by its owner. */
export function openPlatform(client: PlatformClient): Platform {
  const { dialect, limits } = client;
  const learned: LearnedPages = {
    pageSize: firstPageSize(dialect.search.pageSize, limits.pageSize ?? dialect.search.pageSize),
  };
  return {
    scanCost: () => learned.scanCost,
    scan: (signal, purpose = 'scan') => scanDirectory(client, learned, purpose, signal),
    find: (identification, signal) => findUser(client, identification, signal),

    async create(write, signal) {
      checkIdentification(write.identification, operationName(operationOf('create')));
      const body = jsonBody(userPayload(write, dialect, 'create'));
      return client.request(contractCall('create', { body, answer: createdUser }), signal);
    },

    async update(target, write, signal) {
      const body = jsonBody(updatePayload(target, write, dialect));
      // 202 echoes the request. Only reading back shows what was done.
      await client.request(contractCall('update', { body, answer: nothing }), signal);
    },

    async rename(target, write, signal) {
      const operation = operationOf('update');
      checkIdentification(write.identification, operationName(operation));
      if (dialect.userId === 'identification') {
        throw refuseToSend(operation, 'dialect.userId is `identification`, so an update cannot change it.');
      }
      const body = jsonBody({ userId: userIdOf(target, dialect), ...userPayload(write, dialect, 'update') });
      await client.request(contractCall('update', { body, answer: nothing }), signal);
    },

    async remove(identification, { blacklist }, signal) {
      const call = contractCall('delete', { params: { identification }, query: { blacklist }, answer: nothing });
      await client.request(call, signal);
    },

    upload: (file, signal) => uploadUserFile(client, file, signal),
    status: (fileId, signal) => readFileStatus(client, fileId, signal),

    leaders: (identification, signal) => readLeaders(client, identification, signal),
    lead: (identification, add, signal) =>
      changeLeaders(client, 'add-leaders', { identification, leaders: add }, signal),
    unlead: (identification, remove, signal) =>
      changeLeaders(client, 'remove-leaders', { identification, leaders: remove }, signal),
  };
}

const createdUser: AnswerReader<{ readonly userId: string }> = {
  expects: 'json',
  read({ value }) {
    const userId = isRecord(value) ? value.userId : undefined;
    if (typeof userId === 'string' && userId !== '') return { userId };
    if (typeof userId === 'number') return { userId: String(userId) };
    throw new AnswerInvalid('the body has no `userId`');
  },
};

/** What the scans of a connection in this process have learned. */
interface LearnedPages {
  pageSize: PageSize;
  /** Number of requests of a scan. */
  scanCost?: number;
}

/** Highest number of consecutive rereads without a new user. */
const maxFruitlessReads = 4;
const waitBeforeRereadMs = 500;

/**
 * Yields every user, enabled and disabled, once, in order of id. Proves that the platform applied our parameters and
 * that no user moved between two pages unseen (design, "Reading the platform"):
 * - ids ascend within and across pages, so order and `page` were applied; page 0 shows the real page size;
 * - a removed user moves later ones forward: when the total goes down, the page before is read again, and the users
 *   that moved onto it are found there. New users have higher ids, or lower ones that a scan begun earlier need not
 *   show;
 * - a search for enabled users alone never finds more users;
 * - at the end, distinct users = `totalElements`, and the page after a full last one is empty.
 * Throws `SCAN_INCOMPLETE` when this is not proven after a bounded number of rereads.
 */
async function* scanDirectory(
  client: PlatformClient,
  learned: LearnedPages,
  purpose: ScanPurpose,
  signal: AbortSignal,
): AsyncGenerator<ScanPage, void> {
  const { clock, limits } = client;
  let slowestMs = 0;
  const enabledTotal = await countEnabled(client, signal, purpose);
  let state: ScanState | undefined;
  const read = (index: number, stop: AbortSignal): Promise<UserPage> => {
    const known = state;
    const search = async (size: number): Promise<UserPage> => {
      const beganAt = clock.now();
      const page = await searchUsers(client, { enabled: false, page: index, size }, stop, purpose);
      slowestMs = Math.max(slowestMs, clock.now() - beganAt);
      return page;
    };
    return known === undefined
      ? firstPage(search, learned).catch(explainFirstPage)
      : search(known.size).catch((error) => emptyPastEnd(error, known, index));
  };
  const window = openPageWindow(read, limits.concurrency, signal);
  try {
    let fruitless = 0;
    let highest = -1;
    for (let index = 0; ; ) {
      const last = state === undefined ? 0 : Math.ceil(state.total / state.size) - 1;
      const page = await window.get(index, last);
      const verdict: Verdict =
        state === undefined
          ? judgeFirstPage(page, learned.pageSize.size, enabledTotal, client.dialect.search.hidden)
          : judgeNextPage(state, page, index, index <= highest);
      const isFruitful = verdict.kind === 'accept' && (verdict.fresh.length > 0 || verdict.isEnd);
      fruitless = isFruitful ? 0 : fruitless + 1;
      if (verdict.kind === 'accept') {
        state = verdict.state;
        highest = Math.max(highest, index);
        const { fresh } = verdict;
        const unread = fresh.filter((one) => 'fault' in one);
        if (fresh.length > 0) yield { users: fresh.filter(isRead), unread, total: state.total };
        if (verdict.isEnd) break;
        index++;
        continue;
      }
      if (fruitless > maxFruitlessReads) throw scanIncomplete(verdict.problem);
      client.logger.warn({ page: index, problem: verdict.problem.text }, 'rereading a page of the directory');
      window.reset();
      if (verdict.kind === 'rewind') index = Math.max(0, index - 1);
      else await clock.sleep(waitBeforeRereadMs, signal).catch((reason) => Promise.reject(scanCancelled(reason)));
    }
  } catch (error) {
    if (isTooLarge(error)) learned.pageSize = afterBreakdown(learned.pageSize);
    throw error;
  } finally {
    window.reset();
  }
  const problem = judgeEnd(state, enabledTotal);
  if (problem !== undefined) throw scanIncomplete(problem);
  learned.pageSize = afterScan(learned.pageSize, Math.min(state.size, state.count), slowestMs);
  learned.scanCost = scanRequests(state.count, state.size);
}

/** Reads the first page. Where a size that has grown proves too large, reads it again with the size before. */
async function firstPage(search: (size: number) => Promise<UserPage>, learned: LearnedPages): Promise<UserPage> {
  const { pageSize } = learned;
  const reading = search(pageSize.size);
  const page = await reading.catch(() => undefined);
  const seen = page === undefined ? undefined : { rows: page.users.length, total: page.total ?? 0 };
  learned.pageSize = afterFirstPage(pageSize, seen);
  return learned.pageSize === pageSize ? reading : search(learned.pageSize.size);
}

/** Returns whether a page was too large: for the platform, for a gateway before it, or for us. */
function isTooLarge(error: unknown): boolean {
  if (!(error instanceof PlatformError)) return false;
  const { status, code, retry } = error;
  return status === 413 || status === 504 || (code === 'PLATFORM_ANSWER_INVALID' && retry === 'never');
}

/** Counts the enabled users that a search finds when it does not request disabled ones. */
async function countEnabled(client: PlatformClient, signal: AbortSignal, purpose: ScanPurpose): Promise<number> {
  const search = { enabled: true, page: 0, size: 1 };
  const { total } = await searchUsers(client, search, signal, purpose).catch(explainFirstPage);
  return total ?? 0;
}

/** A 400 for the first page means that the platform does not accept the parameters in that place. */
function explainFirstPage(error: unknown): never {
  if (!(error instanceof PlatformError) || error.status !== 400) throw error;
  throw scanIncomplete(
    { text: `the first page was refused. ${error.message.replace(/\.$/, '')}`, setting: 'dialect.search.parameters' },
    error,
  );
}

/** Some platforms answer a page beyond the last one with an error instead of an empty list. */
function emptyPastEnd(error: unknown, state: ScanState, index: number): UserPage {
  const isRefusal = error instanceof PlatformError && (error.status === 400 || error.status === 404);
  if (isRefusal && index * state.size >= state.total) return { users: [], total: state.total };
  throw error;
}

const advice: Readonly<Record<NonNullable<ScanProblem['setting']>, string>> = {
  'dialect.search.parameters':
    'The platform seems to ignore the search parameters: set dialect.search.parameters to the other value of query and body.',
  'dialect.search.hidden':
    'The platform counts an account that its search does not list. If that stays so, set dialect.search.hidden to the number of such accounts.',
  'dialect.search.pageSize':
    'The platform seems to use another page size than requested: set dialect.search.pageSize to a size that it supports (100, or 10).',
};

function scanIncomplete({ text, setting }: ScanProblem, cause?: unknown): RollcallError {
  const todo =
    setting === undefined
      ? 'The incomplete read was discarded; try again when the directory is not changing.'
      : advice[setting];
  const message = `the platform's users could not be read completely: ${text}. ${todo}`;
  return new RollcallError(message, {
    code: 'SCAN_INCOMPLETE',
    retry: setting === undefined || setting === 'dialect.search.hidden' ? 'backoff' : 'never',
    cause,
  });
}

function scanCancelled(reason: unknown): RollcallError {
  const code = reason instanceof RollcallError ? reason.code : 'CANCELLED';
  return new RollcallError("the read of the platform's users was canceled.", { code, cause: reason });
}

/** Reads pages ahead, at most `ahead` of them, and returns them in order. `read` must obey its signal, which aborts on `reset` and with the outer signal. */
function openPageWindow(
  read: (index: number, signal: AbortSignal) => Promise<UserPage>,
  ahead: number,
  outer: AbortSignal,
) {
  let stop = new AbortController();
  let signal = AbortSignal.any([outer, stop.signal]);
  const pages = new Map<number, Promise<UserPage>>();
  const begin = (index: number): Promise<UserPage> => {
    const page = read(index, signal);
    // Its failure belongs to the caller that requests the page. Until then it must not count as unhandled.
    page.catch(() => {});
    pages.set(index, page);
    return page;
  };
  return {
    /** Returns page `index`, and starts to read the pages after it up to `last`. */
    get(index: number, last: number) {
      const page = pages.get(index) ?? begin(index);
      pages.delete(index);
      for (let next = index + 1; next <= last && next < index + ahead; next++) {
        if (!pages.has(next)) begin(next);
      }
      return page;
    },
    /** Discards what was read ahead, because it may be outdated. Must be called at the end. */
    reset() {
      pages.clear();
      stop.abort();
      stop = new AbortController();
      signal = AbortSignal.any([outer, stop.signal]);
    },
  };
}
