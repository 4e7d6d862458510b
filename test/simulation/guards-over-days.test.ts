import { expect, it, onTestFinished } from 'vitest';
import { giveVerdict } from '../../src/app/approve.ts';
import { createExpressions } from '../../src/config/expressions.ts';
import { compileMapping } from '../../src/core/person/mapping.ts';
import { defaultGuards, type FieldRule, type SyncSettings } from '../../src/core/run/settings.ts';
import type { Run, RunScope, Store } from '../../src/ports/store.ts';
import { requestRun } from '../../src/run/request-run.ts';
import { openStore } from '../../src/store/index.ts';
import { plainLifecycle, plainSettings } from '../run/plain-settings.ts';
import { drawSeeds } from '../support/drawn.ts';
import { someInstant } from '../support/fake-clock.ts';
import { Community, type Effect } from './community.ts';
import { Company, type Employee } from './company.ts';
import { openEngine, type ProcessWorld, Requests, work } from './process.ts';
import { newLife, Scheduler, seededRandom } from './scheduler.ts';
import { TokenDesk } from './token-desk.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const seeds = drawSeeds(60, 5);
const from = (path: string): FieldRule => {
  return { kind: 'from', path, transform: [], format: undefined, whenEmpty: 'keep' };
};

const settings: SyncSettings = {
  ...plainSettings,
  batchRows: 2,
  mapping: {
    identification: from('id'),
    fields: { email: from('email'), firstName: from('first'), lastName: from('last') },
  },
  scope: undefined,
  lifecycle: { ...plainLifecycle, hireDate: undefined, leaveDate: undefined },
  missing: { afterReads: 2, minAgeMs: 0 },
  remove: { afterMs: 30 * hourMs, blacklist: false },
  settle: {
    everyMs: 5000,
    deadlineMs: 60_000,
    visibleWithinMs: 20_000,
    unknownAfterMs: 300_000,
    maxSplits: 12,
    proofWithinMs: 30_000,
    lookWithinMs: 60_000,
  },
  guards: { ...defaultGuards, rowsDownPercent: 100 },
};

/** A company whose employees all have an account that is right, and a sync that has taken them over. */
class Days {
  readonly scheduler: Scheduler;
  readonly company: Company;
  readonly community: Community;
  readonly store: Store;
  /** How many accounts were enabled, as often as that changed. */
  readonly enabled: { readonly at: number; readonly count: number }[] = [];
  #world: ProcessWorld;
  #director = newLife('director');
  #names = 0;

  static async open(seed: number, size: number): Promise<Days> {
    const store = await openStore('sqlite::memory:', { folder: '.' });
    onTestFinished(() => store.close());
    return new Days(store, seed, size);
  }

  private constructor(store: Store, seed: number, size: number) {
    this.store = store;
    this.scheduler = new Scheduler(someInstant, seededRandom(seed));
    this.company = new Company(this.scheduler);
    this.community = new Community(this.scheduler);
    let ids = 0;
    const fail = (problem: unknown): never => {
      throw problem;
    };
    this.#world = {
      scheduler: this.scheduler,
      store: this.store,
      requests: new Requests(),
      company: this.company,
      community: this.community,
      tokens: new TokenDesk(this.scheduler, (what) => fail(new Error(what))),
      settings,
      mapping: compileMapping(
        settings.mapping,
        settings.lifecycle,
        { scope: undefined },
        { expressions: createExpressions() },
      ),
      newId: (prefix) => {
        ids += 1;
        return `${prefix}_${String(ids).padStart(6, '0')}`;
      },
      onSurprise: fail,
    };
    for (let i = 0; i < size; i += 1) {
      const id = `p${i}`;
      const email = `${id}@example.com`;
      this.company.put({ id, first: 'Ana', last: 'Paz', email, area: '', job: '', status: 'active' });
      this.community.meddle(id, { enabled: true, fields: { email, firstName: 'Ana', lastName: 'Paz' } });
    }
    this.note();
  }

  rename(): void {
    this.#names += 1;
    this.#world = { ...this.#world, settings: { ...settings, name: `people-${this.#names}` } };
    this.#director = newLife('director');
  }

  note(): void {
    const names = this.community.identifications.filter((name) => this.community.state(name)?.enabled === true);
    this.enabled.push({ at: this.scheduler.now(), count: names.length });
  }

  /** The most accounts that were enabled at one time in between. */
  mostEnabled(from: number, to: number): number {
    const known = this.enabled.filter(({ at }) => at <= to);
    const before = known.findLastIndex(({ at }) => at <= from);
    return Math.max(...known.slice(Math.max(0, before)).map(({ count }) => count));
  }

  async run(scope: RunScope = { kind: 'all' }): Promise<Run> {
    const { name } = this.#world.settings;
    const engine = openEngine(this.#director, this.#world);
    await requestRun({ sync: name, kind: 'schedule', scope }, { ...engine, store: this.store });
    this.#world.requests.ask();
    return this.#finish();
  }

  async approve(run: Run): Promise<Run> {
    const engine = openEngine(this.#director, this.#world);
    await giveVerdict(run, { action: 'approve', by: 'ops' }, { ...engine, store: this.store });
    this.#world.requests.ask();
    return this.#finish();
  }

  async #finish(): Promise<Run> {
    const life = newLife('worker');
    void work(life, this.#world);
    await this.scheduler.runUntil(() => this.#world.requests.isDone, 4 * hourMs);
    life.isDead = true;
    this.note();
    const [newest] = await this.store.runs.list({ sync: this.#world.settings.name, limit: 1 });
    if (newest === undefined) throw new Error('a run that was asked for did not begin');
    return newest;
  }

  /** Effects that no person approved. */
  async unapproved(): Promise<readonly Effect[]> {
    const { batches, plans } = this.store;
    const found: Effect[] = [];
    for (const effect of this.community.effects) {
      if (effect.command === 'outside') continue;
      const batch = await batches.get(effect.batch);
      const change = await plans.get(batch?.run ?? '', effect.identification);
      if (change?.isApproved === false) found.push(effect);
    }
    return found;
  }
}

const kinds: Readonly<Record<string, (effect: Effect) => boolean>> = {
  disable: ({ before, after }) => before?.enabled === true && after?.enabled === false,
  enable: ({ before, after }) => before?.enabled === false && after?.enabled === true,
  remove: ({ before, after }) => before !== undefined && after === undefined,
  'e-mail change': ({ before, after }) =>
    before !== undefined && after !== undefined && before.fields.email !== after.fields.email,
};

function changeSomething({ scheduler, company }: Days, step: number): void {
  const what = scheduler.pick(['leave', 'leave', 'vanish', 'back', 'email'] as const);
  const some = company.staff.filter(() => scheduler.chance(0.25)).slice(0, 4);
  const change: Readonly<Record<typeof what, (one: Employee) => void>> = {
    leave: (one) => company.put({ ...one, status: 'left' }),
    vanish: (one) => company.drop(one.id),
    back: (one) => company.put({ ...one, status: 'active' }),
    email: (one) => company.put({ ...one, email: `${one.id}.${step}@example.com` }),
  };
  if (company.staff.length - some.length > 1) for (const one of some) change[what](one);
}

it('many small runs of a shrinking company, named ones and a renamed sync among them, never pass a third in 24 hours', async () => {
  const seen: Record<string, number> = {};
  for (const seed of seeds) {
    const size = 3 + (seed % 14);
    const days = await Days.open(seed, size);
    const { scheduler, company } = days;
    expect((await days.run()).outcome).toBe('nothing-to-do');
    for (let step = 0; step < 20; step += 1) {
      changeSomething(days, step);
      if (scheduler.chance(0.15)) days.rename();
      const names = company.staff.map(({ id }) => id).slice(0, 1 + Math.floor(4 * scheduler.random()));
      const isNamed = scheduler.chance(0.3) && names.length > 0;
      const run = await days.run(isNamed ? { kind: 'users', identifications: names } : { kind: 'all' });
      if (run.outcome === 'held' && run.counts.held > 0 && scheduler.chance(0.3)) await days.approve(run);
      scheduler.jump(scheduler.pick([0.2, 2, 7, 25]) * hourMs);
    }
    const effects = await days.unapproved();
    for (const [kind, isMeant] of Object.entries(kinds)) {
      const made = effects.filter(isMeant);
      seen[kind] = (seen[kind] ?? 0) + made.length;
      for (const { at } of made) {
        const within = made.filter((one) => one.at <= at && one.at > at - dayMs);
        const most = days.mostEnabled(at - dayMs, at);
        const told = `seed ${seed}: ${within.length} times ${kind} in 24 hours, of at most ${most} enabled users`;
        expect(within.length, told).toBeLessThanOrEqual(Math.max(1, Math.floor(most / 3)));
        if (kind === 'disable') expect(within.length, told).toBeLessThanOrEqual(5);
      }
    }
  }
  for (const kind of Object.keys(kinds)) expect(seen[kind], kind).toBeGreaterThan(seeds.length / 4);
});

it('a read is held for blocked people exactly while it is worse than the last accepted one', async () => {
  const seen = { held: 0, accepted: 0, calm: 0 };
  for (const seed of seeds) {
    const random = seededRandom(seed);
    const size = Math.floor(4 + 120 * random());
    const days = await Days.open(seed, size);
    await days.run();
    const { company, scheduler } = days;
    const sound = company.staff;
    let accepted = 0;
    for (let day = 0; day < 8; day += 1) {
      const bad = Math.floor(size * scheduler.pick([0, 0.1, 0.2, 0.3, 0.35, 0.5, 0.9]) * scheduler.random());
      sound.forEach((one, i) => {
        company.put(i < bad ? { ...one, status: 'unheard of' as Employee['status'] } : one);
      });
      const isWorse = bad > accepted;
      const isHeld = isWorse && (bad - accepted > Math.max(10, Math.floor(size / 10)) || 3 * bad > size);
      const run = await days.run();
      const told = `seed ${seed}, day ${day}: ${bad} of ${size} blocked, ${accepted} accepted`;
      expect(run.plan?.blocked?.['status-unknown'] ?? 0, told).toBe(bad);
      expect(run.outcome, told).toBe(isHeld ? 'held' : bad > 0 ? 'partial' : 'nothing-to-do');
      if (!isHeld) accepted = bad;
      else if (scheduler.chance(0.4)) {
        // The people who keep access because of their rows stay reported.
        expect(['nothing-to-do', 'partial'], told).toContain((await days.approve(run)).outcome);
        accepted = bad;
        seen.accepted += 1;
      } else expect((await days.run()).outcome, told).toBe('held');
      seen[isHeld ? 'held' : 'calm'] += 1;
      scheduler.jump(dayMs);
    }
  }
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(seeds.length / 4);
});
