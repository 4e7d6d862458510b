import { giveVerdict } from '../../src/app/approve.ts';
import { createExpressions } from '../../src/config/expressions.ts';
import { compileMapping } from '../../src/core/person/mapping.ts';
import { RollcallError } from '../../src/core/run/errors.ts';
import { defaultGuards, type FieldRule, type SyncSettings } from '../../src/core/run/settings.ts';
import type { Run, RunScope, Store } from '../../src/ports/store.ts';
import type { EngineIo } from '../../src/run/engine-io.ts';
import { requestRun } from '../../src/run/request-run.ts';
import { openStore } from '../../src/store/index.ts';
import { plainLifecycle, plainSettings } from '../run/plain-settings.ts';
import { someInstant } from '../support/fake-clock.ts';
import { Community } from './community.ts';
import { behindMs, Company, type Employee, soundSource } from './company.ts';
import { BrokenPromise, everyRun, Oracle } from './oracle.ts';
import { openEngine, type ProcessWorld, Requests, work } from './process.ts';
import { type Life, newLife, noFaults, Scheduler, seededRandom } from './scheduler.ts';
import { tellStory } from './tell-story.ts';
import { TokenDesk } from './token-desk.ts';

/** What a seed came to; two plays of one seed are equal in all of it. */
export interface Played {
  readonly seed: number;
  readonly runs: number;
  readonly effects: number;
  readonly crashes: number;
  readonly stalls: number;
  readonly repeated: number;
  readonly held: number;
  readonly unresolved: number;
  readonly deltas: number;
  /** A digest of everything that happened, in order. */
  readonly story: string;
}

const hourMs = 3_600_000;
const allowedDisables = 2;
const from = (path: string, whenEmpty: FieldRule['whenEmpty'] = 'keep'): FieldRule => {
  return { kind: 'from', path, transform: [], format: undefined, whenEmpty };
};

function settingsOf({ pick }: Pick<Scheduler, 'pick'>): SyncSettings {
  const fullEveryMs = pick([undefined, 6 * hourMs, 30 * hourMs, 60 * hourMs]);
  const few = { absolute: allowedDisables, percent: 0, cap: undefined };
  return {
    ...plainSettings,
    delivery: pick(['auto', 'csv', 'csv']),
    batchRows: pick([1, 2, 3, 50]),
    mapping: {
      identification: from('id'),
      fields: {
        email: from('email'),
        firstName: from('first'),
        lastName: from('last'),
        area: from('area', 'clear'),
        job: from('job'),
      },
    },
    scope: undefined,
    lifecycle: { ...plainLifecycle, hireDate: undefined, leaveDate: undefined },
    missing: { afterReads: 2, minAgeMs: pick([0, hourMs]) },
    firstSight: pick(['write', 'assume']),
    foreignDisable: pick(['report', 'enable']),
    remove: pick(['never', 'never', { afterMs: 24 * hourMs, blacklist: false }]),
    settle: {
      everyMs: 5000,
      deadlineMs: 60_000,
      visibleWithinMs: 20_000,
      unknownAfterMs: 300_000,
      maxSplits: 12,
      proofWithinMs: pick([0, 20_000, 600_000]),
      lookWithinMs: pick([0, 60_000, 900_000]),
    },
    guards: { ...defaultGuards, disables: few, enables: few, rowsDownPercent: pick([10, 40, 100]) },
    ...(fullEveryMs === undefined ? {} : { deltas: { fullEveryMs, overlapMs: 2 * behindMs } }),
  };
}

/**
 * Plays one seed to its end. Throws `BrokenPromise` when the product breaks one of its promises in it, after having told
 * what happened, line by line.
 */
export async function play(seed: number, tell?: (line: string) => void): Promise<Played> {
  const store = await openStore('sqlite::memory:', { folder: '.' });
  try {
    return await playIn(store, seed, tell);
  } finally {
    await store.close();
  }
}

async function playIn(store: Store, seed: number, tell?: (line: string) => void): Promise<Played> {
  const random = seededRandom(seed);
  const scheduler = new Scheduler(someInstant, random);
  const company = new Company(scheduler);
  const community = new Community(scheduler);
  const settings = settingsOf({ pick: (list) => scheduler.pick(list) });
  const oracle = new Oracle(store, company, community);
  const surprises: unknown[] = [];
  community.onHandIn = async (batch, rows) => {
    try {
      await scheduler.during(oracle.onHandIn(batch, rows));
    } catch (error) {
      surprises.push(error);
      throw error;
    }
  };
  let ids = 0;
  const world: ProcessWorld = {
    scheduler,
    store,
    requests: new Requests(),
    company,
    community,
    tokens: new TokenDesk(scheduler, (what) => surprises.push(new BrokenPromise(what))),
    settings,
    mapping: compileMapping(settings.mapping, settings.lifecycle, settings, { expressions: createExpressions() }),
    newId: (prefix) => {
      ids += 1;
      return `${prefix}_${String(ids).padStart(6, '0')}`;
    },
    onSurprise: (error) => surprises.push(error),
  };
  const story = new Story(world, surprises);
  try {
    await story.settle();
    for (let day = 0; day < 3 + Math.floor(3 * random()); day += 1) await story.day();
    await story.calm();
    await oracle.checkRuns();
    await oracle.checkRepeats();
    await oracle.checkGuards(allowedDisables);
    await story.checkEnd();
  } catch (error) {
    if (tell !== undefined) await tellStory(world, tell);
    throw error;
  }
  const runs = await everyRun(store);
  const told = (what: (run: Run) => number): number => runs.reduce((sum, run) => sum + what(run), 0);
  return {
    seed,
    runs: runs.length,
    effects: community.effects.length,
    crashes: scheduler.crashes,
    stalls: scheduler.stalls,
    repeated: told(({ counts }) => counts.repeated),
    held: told(({ counts }) => counts.held),
    unresolved: told(({ counts }) => counts.unresolved),
    deltas: company.deltas,
    story: JSON.stringify([scheduler.now(), runs, community.effects]),
  };
}

function ignoreConflict(error: unknown): void {
  if (!(error instanceof RollcallError) || error.code !== 'CONFLICT') throw error;
}

/** What happens to the company and the processes, day by day. */
class Story {
  readonly #world: ProcessWorld;
  readonly #surprises: readonly unknown[];
  readonly #lives: Life[] = [];
  readonly #director = newLife('director');
  readonly #engine: EngineIo;
  #names = 0;
  #hires = 0;

  constructor(world: ProcessWorld, surprises: readonly unknown[]) {
    this.#world = world;
    this.#surprises = surprises;
    // The director's own calls meet no faults: a person at a shell, who would call again.
    this.#engine = { ...openEngine(this.#director, world), store: world.store, checkpoint: () => {} };
  }

  /** The beginning: some people are on both sides, some on one only, some are disabled. */
  async settle(): Promise<void> {
    const { scheduler, community } = this.#world;
    const size = 3 + Math.floor(5 * scheduler.random());
    for (let i = 0; i < size; i += 1) {
      const employee = this.#hire();
      if (scheduler.chance(0.3)) continue;
      const { email, first: firstName, last: lastName } = employee;
      const fields = { email, firstName, lastName, ...(scheduler.chance(0.5) ? { area: employee.area } : {}) };
      community.meddle(employee.id, { enabled: !scheduler.chance(0.1), fields });
    }
    community.meddle('guest', {
      enabled: true,
      fields: { firstName: 'Gu', lastName: 'Est', email: 'guest@example.com' },
    });
    this.#chooseFaults();
  }

  /** One day: things change, a run is asked for, the processes do what they can, faults and all. */
  async day(): Promise<void> {
    const { scheduler } = this.#world;
    for (let i = 0; i < 1 + Math.floor(4 * scheduler.random()); i += 1) this.#change();
    if (scheduler.chance(0.2)) this.#world.tokens.forgetAccessTokens();
    await this.#reseed();
    if (scheduler.chance(0.3)) this.#chooseFaults();
    await this.#request('schedule');
    if (scheduler.chance(0.4)) {
      // Some more happens while the run is under way.
      await this.#until(() => false, 60_000 * scheduler.random());
      this.#change();
      if (scheduler.chance(0.3)) await this.#request('manual');
    }
    if (scheduler.chance(0.15)) {
      // Everything stands still for hours in the middle of whatever it was.
      await this.#until(() => false, 40_000 * scheduler.random());
      for (const life of this.#lives) life.isDead = true;
      scheduler.jump((1 + 30 * scheduler.random()) * hourMs);
    }
    await this.#untilQuiet();
    const newest = await this.#newestRun();
    if (newest?.outcome === 'held' && scheduler.chance(0.3)) {
      await this.#approve(newest);
    }
    scheduler.jump(scheduler.pick([0.2, 2, 12, 25]) * hourMs);
  }

  /** The faults end. Then, with somebody who approves, there must soon be nothing left to do (I3). */
  async calm(): Promise<void> {
    const { scheduler, company, community, settings } = this.#world;
    scheduler.faults = noFaults;
    company.faults = soundSource;
    community.calm();
    if (company.staff.length === 0) this.#hire();
    this.#world.tokens.lost = 0;
    let quiet = 0;
    const days = settings.deltas === undefined ? 15 : 45;
    for (let day = 0; day < days; day += 1) {
      // An answer that was lost before may show only now, when the token is presented again.
      await this.#reseed();
      await this.#request('schedule');
      await this.#untilQuiet();
      const newest = await this.#newestRun();
      // That a delta shows nobody says nothing of what deltas do not see.
      if (newest?.outcome !== 'nothing-to-do') quiet = 0;
      else if (newest.read?.kind === 'full') quiet += 1;
      if (quiet === 3) return;
      if (newest?.outcome === 'held') {
        // What has run out is held by the next run again.
        await this.#approve(newest);
      }
      scheduler.jump(25 * hourMs);
    }
    const newest = await this.#newestRun();
    throw new BrokenPromise(
      `I3: no end of work after ${days} calm days; the last run ended ${newest?.outcome}: ${newest?.reason}`,
    );
  }

  /** I3: the platform is as the source says. */
  async checkEnd(): Promise<void> {
    const { company, community, store, settings } = this.#world;
    for (const employee of company.staff) {
      const state = community.state(employee.id);
      if (employee.status === 'left') {
        if (state?.enabled === true) throw new BrokenPromise(`I3: ${employee.id} has left and is enabled`);
        continue;
      }
      if (state === undefined) throw new BrokenPromise(`I3: ${employee.id} is active and not on the platform`);
      if (!state.enabled) {
        if (settings.foreignDisable === 'report' && this.#isForeign(employee.id)) continue;
        throw new BrokenPromise(`I3: ${employee.id} is active and disabled`);
      }
      const { email, first: firstName, last: lastName, area, job } = employee;
      const entry = await store.ledger.get(settings.connection, employee.id);
      // Known limit: what somebody else writes while our write is on its way is taken for how the platform keeps ours.
      // It is told as kept differently and left alone until the source changes.
      if (Object.values(entry?.quirks ?? {}).some((quirk) => quirk?.observed === 'Meddled')) continue;
      const wanted = { email, firstName, lastName, area, ...(settings.firstSight === 'write' ? { job } : {}) };
      for (const [name, value] of Object.entries(wanted)) {
        const there = (state.fields as Readonly<Record<string, string | undefined>>)[name] ?? '';
        if (there !== value) throw new BrokenPromise(`I3: ${name} of ${employee.id} is ${there}, not ${value}`);
      }
    }
    for (const identification of community.identifications) {
      const entry = await store.ledger.get(settings.connection, identification);
      if (entry === undefined || entry.removed !== undefined || company.find(identification) !== undefined) continue;
      if (community.state(identification)?.enabled === true) {
        throw new BrokenPromise(`I3: ${identification} is ours, in no record, and enabled`);
      }
    }
    if (community.state('guest')?.enabled !== true) throw new BrokenPromise('I3: the unmanaged guest was touched');
  }

  #isForeign(identification: string): boolean {
    const last = this.#world.community.effects.findLast((one) => {
      return one.identification === identification && one.before?.enabled !== one.after?.enabled;
    });
    return last?.command === 'outside';
  }

  #hire(): Employee {
    this.#hires += 1;
    const id = `p${this.#hires}`;
    const { scheduler, company } = this.#world;
    const employee: Employee = {
      id,
      first: `First${this.#hires}`,
      last: `Last${this.#hires}`,
      email: `${id}@example.com`,
      area: scheduler.pick(['North', 'South', '']),
      job: scheduler.pick(['Clerk', 'Cook']),
      status: 'active',
    };
    company.put(employee);
    return employee;
  }

  #change(): void {
    const { scheduler, company, community } = this.#world;
    const { staff } = company;
    const one = staff.length === 0 ? this.#hire() : scheduler.pick(staff);
    switch (scheduler.pick(['hire', 'leave', 'leave', 'vanish', 'field', 'field', 'job', 'back', 'meddle'])) {
      case 'hire':
        this.#hire();
        return;
      case 'leave':
        company.put({ ...one, status: 'left' });
        return;
      case 'vanish':
        company.drop(one.id);
        return;
      case 'field':
        company.put({ ...one, area: scheduler.pick(['North', 'South', 'West', '']), last: `Last${scheduler.now()}` });
        return;
      case 'job':
        company.put({ ...one, job: scheduler.pick(['Clerk', 'Cook', 'Chef']) });
        return;
      case 'back':
        for (const gone of staff) if (gone.status === 'left') company.put({ ...gone, status: 'active' });
        return;
      case 'meddle': {
        if (community.state(one.id) === undefined) return;
        const what = scheduler.pick(['disable', 'field', 'remove'] as const);
        if (what === 'remove') community.meddle(one.id, 'remove');
        else community.meddle(one.id, what === 'disable' ? { enabled: false } : { fields: { area: 'Meddled' } });
        return;
      }
    }
  }

  #chooseFaults(): void {
    const { scheduler, company, community } = this.#world;
    const some = (most: number): number => (scheduler.chance(0.5) ? most * scheduler.random() : 0);
    scheduler.faults = { crash: some(0.01), stall: some(0.005), stallMs: 25_000, turn: scheduler.pick([0.1, 0.5]) };
    this.#world.tokens.lost = some(0.2);
    company.faults = { unavailable: some(0.2), cut: some(0.3), twice: some(0.2), broken: some(0.2), odd: some(0.2) };
    community.faults = {
      refused: some(0.05),
      lost: some(0.2),
      scan: some(0.1),
      unclear: some(0.05),
      fails: some(0.3),
      stuck: some(0.2),
      badRow: scheduler.pick([0, 0, 1]),
      oddStatus: some(0.3),
      unseenMs: some(8000),
      workMs: scheduler.pick([1000, 8000]),
    };
  }

  /** Who is locked out is given a new first token, and every process starts anew with it. */
  async #reseed(): Promise<void> {
    const { store, tokens } = this.#world;
    const record = await store.tokens.get('acme');
    const isInDoubt = record?.state === 'refreshing' && tokens.lost === 0;
    if (record?.state !== 'reauth-required' && !isInDoubt) return;
    tokens.reseed();
    for (const life of this.#lives) life.isDead = true;
  }

  async #request(kind: 'schedule' | 'manual'): Promise<void> {
    const scope: RunScope = kind === 'manual' ? { kind: 'all', isFull: true } : { kind: 'all' };
    await requestRun({ sync: this.#world.settings.name, kind, scope }, this.#engine);
    this.#world.requests.ask();
  }

  /** The newest run that somebody looks at: a run about leavers alone does not end what the run before it waits for. */
  async #newestRun(): Promise<Run | undefined> {
    const { store, settings } = this.#world;
    const newest = await store.runs.list({ sync: settings.name, limit: 20 });
    return newest.find(({ trigger }) => trigger !== 'leavers');
  }

  async #approve(run: Run): Promise<void> {
    await giveVerdict(run, { action: 'approve', by: 'ops' }, this.#engine).catch(ignoreConflict);
    this.#world.requests.ask();
    await this.#untilQuiet();
  }

  #untilQuiet(): Promise<void> {
    return this.#until(() => this.#world.requests.isDone, 4 * hourMs);
  }

  /** Lets the processes work, and starts others for those that have died. */
  async #until(isOver: () => boolean, limitMs: number): Promise<void> {
    const { scheduler } = this.#world;
    const until = scheduler.now() + limitMs;
    const isTimed = limitMs < hourMs;
    await scheduler.runUntil(() => {
      this.#keepAlive();
      if (this.#surprises.length > 0) throw this.#surprises[0];
      return isOver() || (isTimed && scheduler.now() >= until);
    }, limitMs + hourMs);
  }

  #keepAlive(): void {
    const living = this.#lives.filter(({ isDead }) => !isDead);
    this.#lives.splice(0, this.#lives.length, ...living);
    while (this.#lives.length < 2) {
      this.#names += 1;
      const life = newLife(`worker-${this.#names}`);
      this.#lives.push(life);
      void work(life, this.#world);
    }
  }
}
