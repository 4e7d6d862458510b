import type { ShownUser, UserPage } from './user-record.ts';

/** Progress and knowledge of a scan. */
export interface ScanState {
  /** Rows per page that the platform really applies, learned from page 0. */
  readonly size: number;
  readonly lastId: string | undefined;
  /** Distinct users so far. */
  readonly count: number;
  readonly enabledCount: number;
  /** Total on the last accepted page. */
  readonly total: number;
  /** How far the total went down during the scan. As many of the users read may no longer exist. */
  readonly vanished: number;
  /** `dialect.search.hidden`: so many users are counted and not listed. */
  readonly hidden: number;
}

export type Verdict =
  /** `fresh` are the users not seen before. `state` is the state after this page. */
  | {
      readonly kind: 'accept';
      readonly fresh: readonly ShownUser[];
      readonly state: ScanState;
      readonly isEnd: boolean;
    }
  /** The page contradicts itself or the request: read it again. */
  | { readonly kind: 'reread'; readonly problem: ScanProblem }
  /** Users may have moved to an earlier page: read that page again. */
  | { readonly kind: 'rewind'; readonly problem: ScanProblem };

/** Why a page proves nothing. `setting` is the dialect setting that is probably wrong. */
export interface ScanProblem {
  readonly text: string;
  readonly setting: 'dialect.search.parameters' | 'dialect.search.pageSize' | 'dialect.search.hidden' | undefined;
}

/**
 * Judges page 0: whether the platform applied our parameters. If it has fewer rows than requested while more exist,
 * its length is the platform's largest page size.
 */
export function judgeFirstPage(page: UserPage, askedSize: number, enabledTotal: number, hidden = 0): Verdict {
  const { users, total } = page;
  const rows = users.length;
  if (total === undefined)
    return reread('the platform does not report `page.totalElements`, so no scan can be proven complete');
  const disorder = disorderOf(users);
  if (disorder !== undefined) return reread(`page 0 ${disorder}`, 'dialect.search.parameters');
  if (rows > askedSize) {
    return reread(`page 0 has ${rows} users although ${askedSize} were requested`, 'dialect.search.parameters');
  }
  if (rows > total) return reread(`page 0 has ${rows} users, but the total says ${total}`);
  if (rows === 0 && total > hidden) return reread(`page 0 is empty, but the total says ${total}`);
  if (total < enabledTotal) {
    const text = `a search for enabled and disabled users finds ${total}, one for enabled users only finds ${enabledTotal}`;
    return reread(text, 'dialect.search.parameters');
  }
  // A complete last page may be short. Its length is the platform's limit only when more users exist.
  const isFull = rows >= Math.min(askedSize, total) - hidden;
  const size = isFull ? askedSize : rows;
  const start: ScanState = { size, lastId: undefined, count: 0, enabledCount: 0, total, vanished: 0, hidden };
  return accept(start, users, total, 0);
}

/** A platform hides a few accounts of its own. More are rather another size of pages. */
const mostHidden = 3;

/** Judges page `index` after `state`. `isAgain`: the page was accepted before, so it may show no new user. */
export function judgeNextPage(state: ScanState, page: UserPage, index: number, isAgain: boolean): Verdict {
  const { users, total } = page;
  const rows = users.length;
  const { size, lastId } = state;
  if (total === undefined) return reread(`page ${index} does not report \`page.totalElements\``);
  const disorder = disorderOf(users);
  if (disorder !== undefined) return reread(`page ${index} ${disorder}`, 'dialect.search.parameters');
  if (rows > size) return reread(`page ${index} has ${rows} users, page 0 had ${size}`, 'dialect.search.pageSize');
  const fresh = lastId === undefined ? users : users.slice(firstAfter(users, lastId));
  // A page is one slice in order of id. If it starts at or before the last user seen, no user lies between.
  const isContiguous = index === 0 || fresh.length < rows;
  const isPastEnd = index * size >= total;
  const expected = Math.min(size, total - index * size);
  if (!isPastEnd && rows < expected - state.hidden) {
    const text = `page ${index} has ${rows} users where ${expected} were expected`;
    return reread(text, expected - rows > mostHidden ? 'dialect.search.pageSize' : 'dialect.search.hidden');
  }
  if (isPastEnd && fresh.length > 0) return reread(`page ${index} has users beyond the total of ${total}`);
  if (!isPastEnd && rows > 0 && fresh.length === 0 && !isAgain) {
    return reread(`page ${index} repeats users of the pages before`, 'dialect.search.parameters');
  }
  if (total < state.total && !isContiguous) {
    return {
      kind: 'rewind',
      problem: problem(`users disappeared while page ${index} was read (${state.total} to ${total})`),
    };
  }
  return accept(state, fresh, total, index);
}

/** Returns what is wrong at the end of a scan, or undefined when the scan is proven complete. */
export function judgeEnd(state: ScanState, enabledTotal: number): ScanProblem | undefined {
  const { count, total, vanished, enabledCount, hidden } = state;
  if (count < total - hidden) {
    const text = `${count} different users were read, but the total says ${total}`;
    return problem(text, total - count > mostHidden ? undefined : 'dialect.search.hidden');
  }
  if (count > total + vanished) return problem(`${count} different users were read, but the total says only ${total}`);
  if (enabledTotal > 0 && enabledCount === 0 && count > 0) {
    const text = `only disabled users were found, although ${enabledTotal} are enabled`;
    return problem(text, 'dialect.search.parameters');
  }
  return undefined;
}

/** Compares ids as whole numbers of any length. */
function compareIds(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}

function accept(state: ScanState, fresh: readonly ShownUser[], total: number, index: number): Verdict {
  const vanished = state.vanished + Math.max(0, state.total - total);
  const lastId = fresh.findLast(({ id }) => id !== undefined)?.id ?? state.lastId;
  const count = state.count + fresh.length;
  const enabledCount = state.enabledCount + fresh.filter(({ enabled }) => enabled).length;
  const next: ScanState = { ...state, lastId, count, enabledCount, total, vanished };
  // After a full last page, users that the total does not count may follow: one more page must be empty.
  const isEnd = total < (index + 1) * state.size;
  return { kind: 'accept', fresh, state: next, isEnd };
}

/** A record without a readable id says nothing about the order. */
function disorderOf(users: readonly ShownUser[]): string | undefined {
  let before: string | undefined;
  for (const { id } of users) {
    if (id === undefined) continue;
    const order = before === undefined ? -1 : compareIds(before, id);
    if (order === 0) return `shows the user with id ${id} twice`;
    if (order > 0) return 'is not in order of id';
    before = id;
  }
  return undefined;
}

/** Returns where the users after `lastId` begin on a page in order of id. A record without an id belongs to those after it. */
function firstAfter(users: readonly ShownUser[], lastId: string): number {
  return users.findLastIndex(({ id }) => id !== undefined && compareIds(id, lastId) <= 0) + 1;
}

function reread(text: string, setting?: ScanProblem['setting']): Verdict {
  return { kind: 'reread', problem: problem(text, setting) };
}

function problem(text: string, setting?: ScanProblem['setting']): ScanProblem {
  return { text, setting };
}
