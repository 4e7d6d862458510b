import type { User } from '../core/user.ts';
import type { UserPage } from './user-record.ts';

/** How far a scan has come, and what it knows. */
export interface ScanState {
  /** Rows per page that the platform really applies; learned from page 0. */
  readonly size: number;
  readonly lastId: string | undefined;
  /** Distinct users so far. */
  readonly count: number;
  readonly enabledCount: number;
  /** Total as the last accepted page told it. */
  readonly total: number;
  /** By how much the total has gone down while scanning: so many of our users may be gone again. */
  readonly vanished: number;
}

export type Verdict =
  /** `fresh` are the users not seen before; the state goes on. */
  | { readonly kind: 'accept'; readonly fresh: readonly User[]; readonly state: ScanState; readonly isEnd: boolean }
  /** The page contradicts itself or what we asked: read it again. */
  | { readonly kind: 'reread'; readonly problem: ScanProblem }
  /** Users may have moved onto an earlier page: read that one again. */
  | { readonly kind: 'rewind'; readonly problem: ScanProblem };

/** Why a page proves nothing. `setting` is the dialect setting that is likely wrong. */
export interface ScanProblem {
  readonly text: string;
  readonly setting: 'dialect.search.parameters' | 'dialect.search.pageSize' | undefined;
}

/**
 * Judges page 0: does it show that our parameters were taken? Fewer rows than asked while there are more in all is the
 * platform's own largest page: its size is learned.
 */
export function judgeFirstPage(page: UserPage, askedSize: number, enabledTotal: number): Verdict {
  const { users, total } = page;
  const rows = users.length;
  if (total === undefined)
    return reread('the platform does not tell `page.totalElements`, so no scan can be proven complete');
  const disorder = disorderOf(users);
  if (disorder !== undefined) return reread(`page 0 ${disorder}`, 'dialect.search.parameters');
  if (rows > askedSize) {
    return reread(`page 0 has ${rows} users although ${askedSize} were asked for`, 'dialect.search.parameters');
  }
  if (rows > total) return reread(`page 0 has ${rows} users, but the total says ${total}`);
  if (rows === 0 && total > 0) return reread(`page 0 is empty, but the total says ${total}`);
  if (total < enabledTotal) {
    const text = `a search for enabled and disabled users finds ${total}, one for enabled users alone ${enabledTotal}`;
    return reread(text, 'dialect.search.parameters');
  }
  // An honest last page may be short; only with more to come is its length the platform's limit.
  const size = rows < total ? rows : askedSize;
  const start: ScanState = { size, lastId: undefined, count: 0, enabledCount: 0, total, vanished: 0 };
  return accept(start, users, total, 0);
}

/** Judges page `index` after `state`. `isAgain`: that page was accepted before, so it may well show nobody new. */
export function judgeNextPage(state: ScanState, page: UserPage, index: number, isAgain: boolean): Verdict {
  const { users, total } = page;
  const rows = users.length;
  const { size, lastId } = state;
  if (total === undefined) return reread(`page ${index} does not tell \`page.totalElements\``);
  const disorder = disorderOf(users);
  if (disorder !== undefined) return reread(`page ${index} ${disorder}`, 'dialect.search.parameters');
  if (rows > size) return reread(`page ${index} has ${rows} users, page 0 had ${size}`, 'dialect.search.pageSize');
  const fresh = lastId === undefined ? users : users.filter(({ id }) => compareIds(id, lastId) > 0);
  // A page is one slice in order of id: if it begins at or before the last user seen, nothing lies between.
  const isContiguous = index === 0 || fresh.length < rows;
  const isPastEnd = index * size >= total;
  if (!isPastEnd && rows < Math.min(size, total - index * size)) {
    const text = `page ${index} has ${rows} users where ${Math.min(size, total - index * size)} were due`;
    return reread(text, 'dialect.search.pageSize');
  }
  if (isPastEnd && fresh.length > 0) return reread(`page ${index} holds users beyond the total of ${total}`);
  if (!isPastEnd && rows > 0 && fresh.length === 0 && !isAgain) {
    return reread(`page ${index} repeats users of the pages before`, 'dialect.search.parameters');
  }
  if (total < state.total && !isContiguous) {
    return {
      kind: 'rewind',
      problem: problem(`users vanished while page ${index} was read (${state.total} to ${total})`),
    };
  }
  return accept(state, fresh, total, index);
}

/** What is wrong with a scan that has come to its end; undefined when it is proven complete. */
export function judgeEnd(state: ScanState, enabledTotal: number): ScanProblem | undefined {
  const { count, total, vanished, enabledCount } = state;
  if (count < total) return problem(`${count} different users were read, but the total says ${total}`);
  if (count > total + vanished) return problem(`${count} different users were read, but the total says only ${total}`);
  if (enabledTotal > 0 && enabledCount === 0 && count > 0) {
    const text = `only disabled users were found, although ${enabledTotal} are enabled`;
    return problem(text, 'dialect.search.parameters');
  }
  return undefined;
}

/** Orders ids as whole numbers of any length. */
export function compareIds(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}

function accept(state: ScanState, fresh: readonly User[], total: number, index: number): Verdict {
  const vanished = state.vanished + Math.max(0, state.total - total);
  const lastId = fresh.at(-1)?.id ?? state.lastId;
  const count = state.count + fresh.length;
  const enabledCount = state.enabledCount + fresh.filter(({ enabled }) => enabled).length;
  const next: ScanState = { size: state.size, lastId, count, enabledCount, total, vanished };
  // A full last page may hide users that the total does not count: one page more must be empty.
  const isEnd = total < (index + 1) * state.size;
  return { kind: 'accept', fresh, state: next, isEnd };
}

function disorderOf(users: readonly User[]): string | undefined {
  for (let i = 1; i < users.length; i++) {
    const [before, here] = [users[i - 1], users[i]];
    if (before === undefined || here === undefined) continue;
    const order = compareIds(before.id, here.id);
    if (order === 0) return `shows the user with id ${here.id} twice`;
    if (order > 0) return 'is not in order of id';
  }
  return undefined;
}

function reread(text: string, setting?: ScanProblem['setting']): Verdict {
  return { kind: 'reread', problem: problem(text, setting) };
}

function problem(text: string, setting?: ScanProblem['setting']): ScanProblem {
  return { text, setting };
}
