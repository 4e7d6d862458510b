import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decideRun } from '../../src/app/approve.ts';
import { findChanges } from '../../src/app/runs.ts';
import { RollcallError } from '../../src/core/run/errors.ts';
import { drawRuns, isLong } from '../support/drawn.ts';
import { type Office, openOffice, type Row, usersOf } from '../support/office.ts';

/**
 * What approvals and rejections mean, told a second time: an oracle that knows people, rules and interruptions, and no hash,
 * beside the whole product over several days of good, doubted, incomplete, failed and named reads.
 */

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const people = Array.from({ length: 30 }, (_, i) => `E${i + 1}`);
/** The people of whom HR changes its mind. */
const moving = ['E1', 'E2'] as const;

type Truth = 'active' | 'left' | 'absent';
type Rule = 'leaver-enabled' | 'missing-disable';
type ReadKind = 'full' | 'doubted' | 'incomplete' | 'failed' | 'named';

type Step =
  | {
      readonly do: 'run';
      readonly truths: readonly [Truth, Truth];
      readonly read: ReadKind;
      readonly named: readonly string[];
    }
  | { readonly do: 'approve' | 'reject'; readonly who: readonly string[]; readonly back: number }
  | { readonly do: 'show' | 'deliver' }
  | { readonly do: 'wait'; readonly hours: number };

const some = fc.subarray([...moving], { minLength: 1 });
const truth = fc.constantFrom<Truth>('active', 'left', 'left', 'absent');
const run: fc.Arbitrary<Step> = fc.record({
  do: fc.constant('run' as const),
  truths: fc.tuple(truth, truth),
  read: fc.constantFrom<ReadKind>('full', 'full', 'full', 'full', 'doubted', 'incomplete', 'failed', 'named'),
  named: some,
});
const verdict: fc.Arbitrary<Step> = fc.record({
  do: fc.constantFrom('approve' as const, 'reject' as const, 'reject' as const),
  who: fc.oneof(some, fc.constant([...moving])),
  back: fc.constantFrom(0, 0, 0, 1),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 7, arbitrary: run },
  { weight: 5, arbitrary: verdict },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('show' as const, 'deliver' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('wait' as const), hours: fc.constantFrom(7, 25) }) },
);

interface Verdict {
  state: 'open' | 'approved' | 'rejected';
  expiresAt: number;
  isUsed: boolean;
}

interface Known {
  readonly who: string;
  readonly rule: Rule;
  /** How often the rule had been interrupted. */
  readonly episode: number;
}

class Oracle {
  readonly truth = new Map(people.map((who): [string, Truth] => [who, 'active']));
  readonly enabled = new Set(people);
  readonly #interruptions = new Map<string, number>();
  readonly #verdicts = new Map<string, Verdict>();
  /** What each run held or dropped, newest last. */
  readonly runs: { readonly id: string; readonly at: number; readonly known: readonly Known[] }[] = [];
  shown: { readonly digest: string; readonly at: number; readonly known: readonly Known[] } | undefined;

  #episode(who: string, rule: Rule): number {
    return this.#interruptions.get(`${who} ${rule}`) ?? 0;
  }

  #verdict({ who, rule, episode }: Known): Verdict | undefined {
    return this.#verdicts.get(`${who} ${rule} ${episode}`);
  }

  #isCurrent({ who, rule, episode }: Known): boolean {
    return this.#episode(who, rule) === episode;
  }

  /** The truth as the read shows it. */
  seen(who: string, read: ReadKind, named: readonly string[]): Truth | 'unknown' {
    const truth = this.truth.get(who) ?? 'active';
    if (read === 'failed') return 'unknown';
    if (read === 'doubted') return people.indexOf(who) < 10 ? truth : 'absent';
    if (read === 'named') return named.includes(who) && truth !== 'absent' ? truth : 'unknown';
    if (read === 'incomplete') return truth === 'active' ? truth : 'unknown';
    return truth;
  }

  #proposal(who: string, seen: Truth | 'unknown'): Known | undefined {
    if (!this.enabled.has(who) || seen === 'active' || seen === 'unknown') return undefined;
    const rule = seen === 'left' ? 'leaver-enabled' : 'missing-disable';
    return { who, rule, episode: this.#episode(who, rule) };
  }

  proposals(read: ReadKind, named: readonly string[] = []): Known[] {
    return people.flatMap((who) => this.#proposal(who, this.seen(who, read, named)) ?? []);
  }

  isRejected(known: Known): boolean {
    return this.#verdict(known)?.state === 'rejected';
  }

  isApproved(known: Known, now: number): boolean {
    const verdict = this.#verdict(known);
    return verdict?.state === 'approved' && !verdict.isUsed && verdict.expiresAt > now;
  }

  /** Plays a run, and returns whom it disables, holds and drops. */
  run(id: string, read: ReadKind, named: readonly string[], now: number) {
    const result = { disabled: [] as string[], held: [] as string[], dropped: [] as string[] };
    const known: Known[] = [];
    const seen = new Map(people.map((who) => [who, this.seen(who, read, named)]));
    for (const who of people) {
      const proposal = this.#proposal(who, seen.get(who) ?? 'unknown');
      const isDecided = seen.get(who) !== 'unknown' && read !== 'doubted';
      for (const rule of ['leaver-enabled', 'missing-disable'] as const) {
        if (!isDecided || proposal?.rule === rule) continue;
        this.#interruptions.set(`${who} ${rule}`, this.#episode(who, rule) + 1);
      }
      if (proposal === undefined) {
        if (seen.get(who) === 'active') this.enabled.add(who);
        continue;
      }
      const verdict = this.#verdict(proposal);
      if (verdict?.state === 'rejected') result.dropped.push(who);
      else if (verdict !== undefined && this.isApproved(proposal, now)) {
        verdict.isUsed = true;
        result.disabled.push(who);
        this.enabled.delete(who);
        continue;
      } else {
        const open: Verdict = { state: 'open', expiresAt: now + dayMs, isUsed: false };
        this.#verdicts.set(`${who} ${proposal.rule} ${proposal.episode}`, open);
        result.held.push(who);
      }
      known.push(proposal);
    }
    this.runs.push({ id, at: now, known });
    return result;
  }

  /** Whom the verdict decides; empty: it is refused. */
  decide(action: 'approve' | 'reject', run: Oracle['runs'][number], who: readonly string[], now: number): string[] {
    const selected = run.known.filter((known) => who.includes(known.who) && this.#isCurrent(known));
    const stateOf = (known: Known) => this.#verdict(known);
    const open = selected.filter((known) => stateOf(known)?.state === 'open' && (stateOf(known)?.expiresAt ?? 0) > now);
    const unused = selected.filter((known) => this.isApproved(known, now));
    const rejected = selected.filter((known) => stateOf(known)?.state === 'rejected');
    const isRecent = run.at + dayMs > now;
    const chosen = action === 'reject' ? [...open, ...unused] : open.length > 0 ? open : isRecent ? rejected : [];
    for (const known of chosen) this.#set(known, action === 'reject' ? 'rejected' : 'approved', now);
    return chosen.map((known) => known.who).sort();
  }

  #set({ who, rule, episode }: Known, state: Verdict['state'], now: number): void {
    this.#verdicts.set(`${who} ${rule} ${episode}`, { state, expiresAt: now + dayMs, isUsed: false });
  }

  approveShown(known: readonly Known[], now: number): void {
    for (const one of known) if (this.#isCurrent(one) && !this.isRejected(one)) this.#set(one, 'approved', now);
  }
}

function rowsOf(oracle: Oracle, read: ReadKind): string {
  const rows = people.flatMap((who, i): Row[] => {
    const truth = read === 'doubted' && i >= 10 ? 'absent' : oracle.truth.get(who);
    return truth === 'absent' ? [] : [{ id: who, status: truth === 'left' ? 'left' : 'active' }];
  });
  if (read === 'failed') return 'id,first,last,mail,status\nT,0,,,\n';
  const lines = rows.map(({ id, status }) => `${id},Ana,Person,${id?.toLowerCase()}@example.com,${status}\n`);
  const trailer = read === 'incomplete' ? '' : `T,${rows.length},,,\n`;
  return `id,first,last,mail,status\n${lines.join('')}${trailer}`;
}

async function openWorld(): Promise<Office> {
  const rows = people.map((id) => ({
    id,
    first: 'Ana',
    last: 'Person',
    mail: `${id.toLowerCase()}@example.com`,
    status: 'active',
  }));
  return openOffice({
    sandbox: { people: usersOf(rows) },
    sync: {
      source: { kind: 'csv', path: './employees.csv', complete: 'trailer', trailer: 'T' },
      missing: { afterReads: 1, minAge: '0s' },
      // Every disable is held, no enable is; only a read of ten rows is doubted.
      guards: {
        disables: { absolute: 0, percent: 0, cap: 0 },
        enables: { absolute: 1000, percent: 100, cap: 1000 },
        rowsDownPercent: 50,
      },
    },
  });
}

/** What a run left of its changes. */
async function resultOf(office: Office, run: string) {
  const changes = await findChanges(office.app, run, { limit: 100 });
  const names = (isMeant: (change: (typeof changes)[number]) => boolean) =>
    changes
      .filter((change) => change.kind === 'disable' && isMeant(change))
      .map(({ identification }) => identification);
  const inOrder = (list: readonly string[]) => [...list].sort();
  return {
    disabled: inOrder(names(({ state }) => state === 'applied')),
    held: inOrder(names(({ state }) => state === 'held')),
    dropped: inOrder(names(({ state, isRejected }) => state === 'dropped' && isRejected)),
  };
}

async function live(steps: readonly Step[]): Promise<void> {
  const office = await openWorld();
  const oracle = new Oracle();
  const { store } = office.engine.io;
  const play = async (read: ReadKind, named: readonly string[], approve?: string): Promise<void> => {
    await office.writeText(rowsOf(oracle, read));
    const options = { ...(read === 'named' ? { users: named } : {}), ...(approve === undefined ? {} : { approve }) };
    const at = office.clock.now();
    const report = await office.apply(options);
    const expected = oracle.run(report.run.id, read, named, at);
    for (const list of Object.values(expected)) list.sort();
    expect(await resultOf(office, report.run.id), `${read} run`).toEqual(expected);
  };
  await play('full', []);
  for (const step of steps) {
    switch (step.do) {
      case 'wait':
        office.clock.jump(step.hours * hourMs);
        break;
      case 'run':
        moving.forEach((who, i) => {
          oracle.truth.set(who, step.truths[i] ?? 'active');
        });
        await play(step.read, step.named);
        break;
      case 'approve':
      case 'reject': {
        const target = oracle.runs.at(-1 - step.back);
        const who = step.who.filter((name) => target?.known.some((known) => known.who === name));
        if (target === undefined || who.length === 0) break;
        const now = office.clock.now();
        const order = { ids: who, ...(step.do === 'approve' ? { reopens: true } : {}) };
        const decided = await decideRun(office.app, step.do, target.id, { by: 'ops', ...order }).then(
          ({ changes }) => changes,
          (error: unknown) => (error instanceof RollcallError && error.code === 'CONFLICT' ? 0 : Promise.reject(error)),
        );
        expect(decided, step.do).toBe(oracle.decide(step.do, target, who, now).length);
        // The steps say when the next run is.
        for (const { id } of await store.triggers.waiting()) await store.triggers.cancel(id);
        break;
      }
      case 'show': {
        await office.writeText(rowsOf(oracle, 'full'));
        const at = office.clock.now();
        const { digest, counts } = await office.plan();
        const open = oracle
          .proposals('full')
          .filter((known) => !oracle.isRejected(known) && !oracle.isApproved(known, at));
        expect(counts.held, 'shown').toBe(open.length);
        oracle.shown = { digest, at, known: open };
        break;
      }
      case 'deliver': {
        const { shown } = oracle;
        // Without an open change all plans have the same digest.
        if (shown === undefined || shown.known.length === 0 || shown.at + dayMs <= office.clock.now()) break;
        oracle.approveShown(shown.known, office.clock.now());
        await play('full', [], shown.digest);
        break;
      }
    }
  }
  await office.app.close();
}

it('over several days of reads of all kinds, people get what they approved, never what they rejected', async () => {
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 14, maxLength: 30, size: 'max' }), live), {
    numRuns: drawRuns(32),
    interruptAfterTimeLimit: isLong ? 3_000_000 : 200_000,
  });
});
