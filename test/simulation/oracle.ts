import type { ChangeState } from '../../src/core/run/run.ts';
import type { PlannedChange, Run, Store } from '../../src/ports/store.ts';
import type { Community, Effect } from './community.ts';
import type { Company } from './company.ts';

export class BrokenPromise extends Error {
  override readonly name = 'BrokenPromise';
}

function broken(what: string): never {
  throw new BrokenPromise(what);
}

const most = 10_000;

/** Every run of the world, oldest first. */
export async function everyRun({ runs }: Pick<Store, 'runs'>): Promise<readonly Run[]> {
  return (await runs.list({ limit: most })).toReversed();
}

/** The changes of the run's plan; none of a run that failed before it had one. */
export function changesOf({ plans }: Pick<Store, 'plans'>, { id }: Run): Promise<readonly PlannedChange[]> {
  return plans.page(id, { limit: most });
}

interface HandedIn {
  readonly run: string;
  readonly change: PlannedChange;
}

const kindsOf: Readonly<Record<Effect['command'], readonly string[]>> = {
  I: ['create'],
  U: ['update', 'enable'],
  D: ['disable'],
  remove: ['remove'],
  outside: [],
};

/** Sees everything, and says which of the design's promises (section 9) a world has broken. */
export class Oracle {
  readonly #handedIn = new Map<string, HandedIn>();
  readonly #store: Store;
  readonly #company: Company;
  readonly #community: Community;

  constructor(store: Store, company: Company, community: Community) {
    this.#store = store;
    this.#company = company;
    this.#community = community;
  }

  /** I1, I2 and I5 at the moment when something is handed in. */
  readonly onHandIn: Community['onHandIn'] = async (batchId, rows) => {
    const { batches, runs, plans } = this.#store;
    const batch = await batches.get(batchId);
    const run = await runs.get(batch?.run ?? '');
    if (batch === undefined || run === undefined) broken(`I2: batch ${batchId} is in no store and goes out`);
    // A worker that stood still for longer than its lease may make one call late. The store calls its outcome unknown then.
    const isLate = batch.kind === 'direct' && batch.state === 'sent';
    if (!isLate && batch.state !== 'sending' && batch.state !== 'unresolved') {
      broken(`I2: batch ${batchId} goes out while the store says ${batch.state}`);
    }
    for (const { identification, command } of rows) {
      const change = await plans.get(run.id, identification);
      if (change === undefined || change.batch !== batchId || !kindsOf[command].includes(change.kind)) {
        broken(`I2: ${command} of ${identification} in ${batchId} has no row of a plan`);
      }
      if (change.state !== 'unresolved' && (isLate || change.state !== 'sent')) {
        broken(`I2: ${command} of ${identification} goes out while its row says ${change.state}`);
      }
      this.#handedIn.set(`${batchId} ${identification}`, { run: run.id, change });
      if (command === 'D' || command === 'remove') this.#mayTake(run, change);
    }
  };

  #mayTake(run: Run, { identification, kind, reason }: PlannedChange): void {
    if (this.#company.wasActiveSince(identification, run.read?.at ?? run.startedAt)) {
      broken(`I1: ${kind} of ${identification} by ${run.id}, who has been active since the plan was begun`);
    }
    if (reason.startsWith('missing') && this.#company.missedSnapshots(identification) < 2) {
      broken(`I1: ${kind} of ${identification} by ${run.id} as missing, absent from less than two snapshots`);
    }
    const gaps = run.plan?.sourceGaps ?? [];
    if (gaps.length === 0) return;
    const isProven = gaps.every((gap) => /no identification|names? nobody/.test(gap)) && !reason.startsWith('missing');
    if (!isProven) broken(`I5: ${kind} of ${identification} by ${run.id} from a read with gaps: ${gaps.join('; ')}`);
  }

  /** I2: what has had its effect is not done again, unless the run says that it is a repeat. */
  async checkRepeats(): Promise<void> {
    const last = new Map<string, { readonly n: number; readonly hash: string; readonly run: string }>();
    for (const { n, identification, command, batch } of this.#community.effects) {
      if (command === 'outside') {
        last.delete(identification);
        continue;
      }
      const handed = this.#handedIn.get(`${batch} ${identification}`);
      if (handed === undefined) broken(`I2: effect ${n} on ${identification} was never handed in`);
      const { run, change } = handed;
      const former = last.get(identification);
      if (former?.hash === change.hash) {
        const findings = await this.#store.runs.findings(run, most);
        const isTold = findings.some((one) => one.code === 'repeated' && one.identification === identification);
        if (former.run === run) broken(`I2: ${change.kind} of ${identification} had its effect twice in ${run}`);
        if (!isTold) broken(`I2: ${change.kind} of ${identification} by ${former.run} is repeated by ${run}, untold`);
      }
      last.set(identification, { n, hash: change.hash, run });
    }
  }

  /** I4: never more unapproved disables within a day than the guard allows. */
  async checkGuards(allowed: number): Promise<void> {
    const taken: Effect[] = [];
    for (const effect of this.#community.effects) {
      const { before, after, command, batch, identification } = effect;
      const isTaken = command === 'D' && before?.enabled === true && after?.enabled === false;
      const handed = this.#handedIn.get(`${batch} ${identification}`);
      if (!isTaken || handed === undefined || handed.change.isApproved) continue;
      // Known limit: what was waited out counts no more, though it may have had its effect and been undone by others.
      const row = await this.#store.plans.get(handed.run, identification);
      if (row?.stateReason?.startsWith('the outcome is still unknown') !== true) taken.push(effect);
    }
    for (const { at } of taken) {
      const within = taken.filter((one) => one.at <= at && one.at > at - 23 * 3_600_000);
      if (within.length > allowed) {
        const names = within.map(({ identification }) => identification).join(', ');
        broken(`I4: ${within.length} disables within a day, ${allowed} allowed: ${names}`);
      }
    }
  }

  /** I7: every row of an ended run has come to an end, and the report says the same. */
  async checkRuns(): Promise<void> {
    for (const run of await everyRun(this.#store)) {
      if (run.phase !== 'done') broken(`I7: ${run.id} never ended (${run.phase})`);
      checkRun(run, await changesOf(this.#store, run));
    }
  }
}

const ends: readonly ChangeState[] = ['applied', 'failed', 'unverified', 'held', 'unresolved'];

function checkRun(run: Run, changes: readonly PlannedChange[]): void {
  const { counts, outcome } = run;
  const isCutShort = outcome === 'failed' || outcome === 'cancelled' || outcome === 'partial';
  for (const { identification, state, stateReason } of changes) {
    const isRejected = state === 'dropped' && /^(?:skipped|rejected)/.test(stateReason ?? '');
    if (!ends.includes(state) && !isRejected && !(state === 'dropped' && isCutShort)) {
      broken(`I7: ${identification} of ${run.id} (${outcome}) ended ${state}`);
    }
    const needsReason = state === 'failed' || state === 'held' || state === 'unresolved';
    if (needsReason && !stateReason) broken(`I7: ${identification} of ${run.id} ended ${state} without a reason`);
  }
  const count = (isMeant: (change: PlannedChange) => boolean): number => changes.filter(isMeant).length;
  for (const kind of ['create', 'update', 'enable', 'disable', 'remove'] as const) {
    if (counts[kind] !== count((change) => change.kind === kind && !change.isRejected))
      broken(`I7: ${run.id} counts ${counts[kind]} ${kind}`);
  }
  if (counts.unresolved === 0) {
    for (const state of ['applied', 'failed', 'unverified', 'held'] as const) {
      const found = count((change) => change.state === state);
      if (counts[state] !== found) broken(`I7: ${run.id} counts ${counts[state]} ${state}, and has ${found}`);
    }
  }
  if (outcome === 'nothing-to-do' && counts.applied + counts.failed + counts.unresolved > 0) {
    broken(`I7: ${run.id} says that there was nothing to do`);
  }
  const needsReason = outcome === 'failed' || outcome === 'partial' || outcome === 'held';
  if (needsReason && !run.reason) broken(`I7: ${run.id} ended ${outcome} without a reason`);
}
