import type { ChangeKind } from '../plan/change.ts';
import { isSmallRun } from './batch.ts';
import {
  addCounts,
  isScanCheaper,
  type RequestCounts,
  type RequestPurpose,
  scanRequests,
  totalOf,
} from './requests.ts';
import type { Limits, SettleSettings } from './settings.ts';
import { whyProve } from './waves.ts';

/** What a run of a plan costs the platform. */
export interface RequestBudget {
  /** Number of files to upload. */
  readonly files: number;
  /**
   * Number of requests, those for making the plan included. A run sends no more than this while nothing fails, writes
   * are visible at once, and files take less than about half a minute.
   */
  readonly requests: number;
  readonly purposes: RequestCounts;
  /** The rate limit of the connection, and how long the requests take at that rate. */
  readonly perSecond: number;
  readonly seconds: number;
}

/** What one batch of the plan carries. */
export interface BatchLoad {
  readonly kind: 'csv' | 'direct' | 'outbox' | 'leaders';
  /** Each is looked for by a read and a search, because the platform does not have them. */
  readonly creates: number;
  readonly updates: number;
  /** Enables and disables. */
  readonly switches: number;
  readonly removes: number;
  /** Requests of changes of leaders: the calls, and the list that proves each. */
  readonly leads: number;
  /** Number of those that take over the e-mail of another user. */
  readonly waiting: number;
}

const columns = {
  create: 'creates',
  update: 'updates',
  enable: 'switches',
  disable: 'switches',
  remove: 'removes',
  lead: 'leads',
  unlead: 'leads',
} as const satisfies Record<ChangeKind, keyof BatchLoad>;

/** Counts what a batch of these changes carries. */
export function loadOf({
  kind,
  changes,
}: Pick<BatchLoad, 'kind'> & {
  readonly changes: Iterable<{ readonly kind: ChangeKind; readonly isWaiting?: boolean; readonly requests?: number }>;
}): BatchLoad {
  const load = { kind, creates: 0, updates: 0, switches: 0, removes: 0, leads: 0, waiting: 0 };
  for (const change of changes) {
    if (change.isWaiting === true) load.waiting += 1;
    load[columns[change.kind]] += change.requests ?? 1;
  }
  return load;
}

export interface BudgetFacts {
  /** Requests that made the plan. */
  readonly planning: RequestCounts;
  readonly batches: readonly BatchLoad[];
  /** Undefined when the plan did not scan the directory: users then count as read one by one. */
  readonly directory: { readonly users: number; readonly pageSize: number } | undefined;
  readonly settle: Pick<SettleSettings, 'everyMs' | 'lookWithinMs' | 'proofWithinMs'>;
  readonly limits: Pick<Limits, 'requestsPerSecond'>;
}

/** Polls of a file, and how many more the first file needs, because the run has to learn how long files take. */
const pollsPerFile = 2;
const pollsToLearn = 10;

/** Estimates the requests of a run: plays the delivery with the rules of the engine, and with files that take `everyMs`. */
export function requestBudget(facts: BudgetFacts): RequestBudget {
  const play = new Delivery(facts);
  play.run();
  const purposes = addCounts(facts.planning, play.purposes);
  const requests = totalOf(purposes);
  const perSecond = facts.limits.requestsPerSecond;
  return { files: play.files, requests, purposes, perSecond, seconds: Math.ceil(requests / perSecond) };
}

class Delivery {
  files = 0;
  purposes: RequestCounts = {};
  readonly #facts: BudgetFacts;
  #users: number;
  #now: number;
  #lookedAt = 0;
  #lookTookMs: number;
  readonly #isSmall: boolean;
  #provedAt = 0;
  #unproven: BatchLoad[] = [];
  /** When the first of them ended. */
  #firstUnprovenAt = 0;

  constructor(facts: BudgetFacts) {
    this.#facts = facts;
    this.#users = facts.directory?.users ?? 0;
    this.#isSmall = isSmallRun(facts.batches.map((batch) => ({ kind: batch.kind, size: sizeOf(batch) })));
    this.#now = this.#msFor(totalOf(facts.planning));
    this.#lookTookMs = this.#now;
  }

  run(): void {
    const queue = this.#facts.batches.filter(({ kind }) => kind !== 'outbox');
    for (const [i, batch] of queue.entries()) {
      if (this.#isProofDue(batch)) this.#prove();
      this.#send(batch, queue.slice(i));
    }
    if (this.#isProofDue(undefined)) this.#prove();
  }

  #isProofDue(next: BatchLoad | undefined): boolean {
    const reason = whyProve({
      // Nothing fails in the estimate, so every file is done when the next batch is sent.
      unproven: this.#unproven.map(() => ({ id: '', state: 'sent', final: 'done', parent: undefined })),
      planned: [],
      next: next && { dependsOnOthers: next.waiting > 0 },
      probe: undefined,
      isStopped: false,
      sinceMs: this.#now - Math.max(this.#firstUnprovenAt, this.#provedAt),
      proofWithinMs: this.#facts.settle.proofWithinMs,
    });
    return reason !== undefined;
  }

  #send(batch: BatchLoad, left: readonly BatchLoad[]): void {
    const { creates, updates, removes, waiting } = batch;
    if (batch.kind === 'leaders') {
      if (this.#unproven.length > 0) this.#prove();
      // The list of the first person shows whether lists can be read.
      this.#count('leaders', 1 + batch.leads);
      return;
    }
    const isLookedAt = this.#lookUpAhead(batch, left);
    const objections = 2 * creates + (batch.kind === 'direct' ? 0 : updates);
    this.#count('read', removes + (this.#isSmall || !isLookedAt ? objections : 0));
    if (waiting > 0) this.#lookUp('lookup', waiting, waiting);
    if (batch.kind === 'direct') {
      this.#count('read', updates);
      this.#count('write', creates + updates + removes);
    } else {
      this.files += 1;
      this.#count('upload', 1);
      this.#count('poll', this.files === 1 ? pollsPerFile + pollsToLearn : pollsPerFile);
      this.#now += this.#facts.settle.everyMs;
    }
    if (this.#unproven.length === 0) this.#firstUnprovenAt = this.#now;
    this.#unproven.push(batch);
  }

  /** Returns whether the last scan, or a new one, covers the users of the batch. */
  #lookUpAhead(batch: BatchLoad, left: readonly BatchLoad[]): boolean {
    const { lookWithinMs } = this.#facts.settle;
    if (this.#now - this.#lookedAt < lookWithinMs) return true;
    if (batch.creates + (batch.kind === 'direct' ? 0 : batch.updates) === 0) return true;
    const isSlow = this.#lookTookMs * 2 >= lookWithinMs;
    const users = isSlow ? sizeOf(batch) : left.reduce((sum, one) => sum + sizeOf(one), 0);
    return this.#scan('lookup', users);
  }

  #prove(): void {
    if (this.#unproven.length === 0) return;
    const sum = (count: (batch: BatchLoad) => number): number =>
      this.#unproven.reduce((all, batch) => all + count(batch), 0);
    const removes = sum(({ removes: count }) => count);
    this.#users += sum(({ creates }) => creates);
    const startedAt = this.#now;
    // A removed user is looked for by a read and a search.
    this.#lookUp('proof', sum(sizeOf), sum(sizeOf) + removes);
    this.#users -= removes;
    this.#provedAt = startedAt;
    this.#unproven = [];
  }

  /** Counts a lookup of so many users: by one scan, or by the requests that reading each of them takes. */
  #lookUp(purpose: 'lookup' | 'proof', users: number, reads: number): void {
    if (!this.#scan(purpose, users)) this.#count('read', reads);
  }

  /** Counts a scan for so many users. Returns false where reading each of them is cheaper. */
  #scan(purpose: 'lookup' | 'proof', users: number): boolean {
    const { directory } = this.#facts;
    const requests = directory === undefined ? undefined : scanRequests(this.#users, directory.pageSize);
    if (!isScanCheaper(users, requests)) return false;
    if (requests === undefined) {
      // The first page shows that.
      this.#count(purpose, 2);
      return false;
    }
    this.#lookedAt = this.#now;
    this.#count(purpose, requests);
    this.#lookTookMs = this.#msFor(requests);
    return true;
  }

  #count(purpose: RequestPurpose, requests: number): void {
    this.purposes = addCounts(this.purposes, { [purpose]: requests });
    this.#now += this.#msFor(requests);
  }

  #msFor(requests: number): number {
    return (requests * 1000) / this.#facts.limits.requestsPerSecond;
  }
}

function sizeOf({ creates, updates, switches, removes }: BatchLoad): number {
  return creates + updates + switches + removes;
}
