import { expect, it } from 'vitest';
import { adoptPeople } from '../../../src/app/accounts/adopt.ts';
import type { AppIo } from '../../../src/app/app-io.ts';
import { giveVerdict } from '../../../src/app/approve.ts';
import { undoScope } from '../../../src/app/undo.ts';
import type { SourceRecord } from '../../../src/core/person/person.ts';
import type { FieldRule, SyncSettings } from '../../../src/core/run/settings.ts';
import type { PlannedChange, Run, RunScope } from '../../../src/ports/store.ts';
import type { Sync } from '../../../src/run/engine-io.ts';
import { seededRandom } from '../../../src/sandbox/people/seed-users.ts';
import { drawSeeds } from '../../support/drawn.ts';
import { compilePlainMapping, configured, plainSettings } from '../plain-settings.ts';
import { account, guards, only, openPlanScene, type PlanScene } from '../plan-scene.ts';

/**
 * What people said about changes, over days of approvals, rejections, subsets, expiries, named runs, undo, freezes, new
 * identifications, new names of the sync and edits of its configuration. The oracle compares only accounts before and
 * after each run with rows, configurations and verdicts: it knows no rule, hash, class or hold.
 */

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
// So many that a third of them, which no guard lets pass, is more than an edit may change.
const size = 60;

/** What a test edits, and what the oracle knows of a configuration. */
interface Company {
  readonly first: 'first' | 'last' | 'nick';
  readonly area: 'area' | 'team' | undefined;
  readonly scope: 'all' | 'staff';
  readonly leavers: readonly string[];
  readonly outOfScope: 'ignore' | 'disable';
}

const usual: Company = { first: 'first', area: 'area', scope: 'all', leavers: ['left'], outOfScope: 'ignore' };

const from = (path: string): FieldRule => {
  return { kind: 'from', path, transform: [], format: undefined, whenEmpty: 'keep' };
};

/** `isTight`: a few changes of a day are held, besides those of an edit. */
function settingsOf(
  { first, area, scope, leavers, outOfScope }: Company,
  name: string,
  isTight: boolean,
): SyncSettings {
  const statuses = ['active', 'pause', 'left'];
  const fields = {
    email: from('mail'),
    firstName: from(first),
    lastName: from('last'),
    ...(area === undefined ? {} : { area: from(area) }),
  };
  const few = { absolute: 1, percent: 0, cap: undefined };
  const tight = isTight ? { updates: few, disables: few, enables: few, creates: few } : {};
  return {
    ...plainSettings,
    ...guards({ configuration: { absolute: 10, percent: 0, cap: undefined }, ...tight }),
    name,
    firstSight: 'assume',
    mapping: { identification: from('id'), fields },
    match: ['identification', 'email'],
    scope: scope === 'all' ? undefined : "type = 'staff'",
    missing: 'never',
    outOfScope,
    lifecycle: {
      ...(plainSettings.lifecycle as NonNullable<SyncSettings['lifecycle']>),
      active: statuses.filter((one) => !leavers.includes(one)),
      leaver: leavers,
      hireDate: undefined,
      leaveDate: undefined,
    },
  };
}

/** One account as the oracle compares it: enabled, first name, last name, area. */
type Shown = readonly [enabled: boolean, first: string, last: string, area: string];
type Row = Record<string, string>;
type Part = 'create' | 'enable' | 'disable' | 1 | 2 | 3;

const fieldAt = { firstName: 1, lastName: 2, area: 3 } as const;

/** What the configuration wants of a row; undefined: nothing. */
function wantedOf(config: Company, row: Row, shown: Shown | undefined): Shown | undefined {
  const isOut = config.scope === 'staff' && row.type !== 'staff';
  const [, first = '', last = '', area = ''] = shown ?? [];
  if (isOut) return shown !== undefined && config.outOfScope === 'disable' ? [false, first, last, area] : shown;
  if (config.leavers.includes(String(row.status))) return shown && [false, first, last, area];
  const given = (name: string | undefined, before: string): string =>
    name === undefined ? before : String(row[name] || before);
  return [true, given(config.first, first), given('last', last), given(config.area, area)];
}

/** Why an account will be disabled. Another reason is another question. */
function whyOff(config: Company, row: Row): string | undefined {
  if (config.scope === 'staff' && row.type !== 'staff') return 'out of scope';
  return config.leavers.includes(String(row.status)) ? 'left' : undefined;
}

/** A part of a change that must not be sent while the source asks for it all the time. */
interface Withheld {
  readonly part: Part;
  /** The value of a field, or why the account will be disabled. */
  readonly value: string | undefined;
  readonly isLeftOut: boolean;
}

interface Played {
  edits: number;
  writes: number;
  held: number;
  withheld: number;
  undone: number;
  adopted: number;
  renamed: number;
  frozen: number;
}

class World {
  readonly rows: Row[];
  readonly played: Played = { edits: 0, writes: 0, held: 0, withheld: 0, undone: 0, adopted: 0, renamed: 0, frozen: 0 };
  readonly #seed: number;
  readonly #random: () => number;
  readonly #scene: PlanScene;
  readonly #isTight: boolean;
  #config = usual;
  /** The configuration that everyone on the platform was in line with last. */
  #approved = usual;
  #names = size;
  #name = 'people';
  #frozenUntil = 0;
  readonly #agreed = new Map<string, number>();
  readonly #before = new Map<Row, Shown | undefined>();
  readonly #touched: { readonly row: Row; readonly at: number }[] = [];
  readonly #withheld = new Map<Row, Withheld[]>();

  private constructor(seed: number, random: () => number, rows: Row[], scene: PlanScene) {
    this.#seed = seed;
    this.#random = random;
    this.rows = rows;
    this.#scene = scene;
    this.#isTight = seed % 2 === 0;
  }

  static async open(seed: number): Promise<World> {
    const random = seededRandom(seed);
    const rows = Array.from({ length: size }, (_, i) => newRow(`p${i}`, random));
    const users = rows.map((row) => {
      const fields = { email: row.mail, firstName: row.first, lastName: row.last, area: row.area };
      return account(row.id ?? '', { fields: fields as never });
    });
    const scene = await openPlanScene({ records: [], users });
    const { platform } = scene.sync;
    Object.assign(scene.sync, {
      platform: {
        ...platform,
        async rename(
          user: { readonly identification: string },
          { identification }: { readonly identification: string },
        ) {
          const one = scene.users.get(user.identification);
          if (one === undefined) throw new Error('renames no account');
          scene.users.delete(user.identification);
          scene.users.set(identification, { ...one, identification });
        },
      } satisfies Sync['platform'],
    });
    const world = new World(seed, random, rows, scene);
    world.#configure();
    return world;
  }

  get #app(): AppIo {
    return { engine: this.#scene.io } as AppIo;
  }

  below(most: number): number {
    return Math.floor(this.#random() * most);
  }

  pick<Value>(all: readonly Value[]): Value {
    return all[this.below(all.length)] as Value;
  }

  chance(share: number): boolean {
    return this.#random() < share;
  }

  wait(ms: number): void {
    this.#scene.clock.jumpTo(this.#scene.clock.now() + ms);
  }

  #configure(): void {
    const settings = settingsOf(this.#config, this.#name, this.#isTight);
    Object.assign(this.#scene.sync, {
      settings,
      mapping: compilePlainMapping(settings),
      ...configured(settings),
      fingerprint: JSON.stringify(this.#config),
      frozenUntil: (now: number) => (now < this.#frozenUntil ? this.#frozenUntil : undefined),
    });
    const syncs = this.#scene.io.syncs as Map<string, Sync>;
    syncs.clear();
    syncs.set(this.#name, this.#scene.sync);
  }

  edit(): void {
    this.played.edits += 1;
    this.#config = this.chance(0.25)
      ? this.#approved
      : {
          first: this.pick(['first', 'first', 'last', 'nick']),
          area: this.pick(['area', 'team', undefined]),
          scope: this.pick(['all', 'staff']),
          leavers: this.pick([['left'], ['left', 'pause']]),
          outOfScope: this.pick(['ignore', 'disable']),
        };
    this.#configure();
  }

  freeze(): void {
    this.played.frozen += 1;
    this.#frozenUntil = this.#scene.clock.now() + this.pick([3, 30]) * hourMs;
  }

  changeRow(): void {
    const row = this.pick(this.rows);
    const lasts = `L${this.below(9)}`;
    Object.assign(
      row,
      this.pick<Row>([
        { last: lasts },
        { status: this.pick(['active', 'pause', 'left']) },
        { team: this.pick(['North', 'South']) },
      ]),
    );
  }

  join(): void {
    this.rows.push(newRow(`p${this.#names++}`, this.#random));
  }

  /** The sync gets another name, and its former one is named. */
  async rename(): Promise<void> {
    this.played.renamed += 1;
    const names = { from: this.#name, to: `people${this.played.renamed}`, connection: 'acme' };
    const at = this.#scene.clock.now();
    const entry = {
      id: `audit_${names.to}`,
      at,
      by: 'ops',
      action: 'rename-sync',
      detail: `was ${names.from}`,
    } as const;
    await this.#scene.store.syncNames.rename(names, {
      ...entry,
      sync: names.to,
      connection: undefined,
      run: undefined,
    });
    this.#name = names.to;
    this.#configure();
  }

  /** HR gives a person another number, and an operator adopts the account. */
  async adopt(): Promise<void> {
    const row = this.pick(this.rows);
    const { id: old = '' } = row;
    if (wantedOf(this.#config, row, undefined) === undefined || !this.#scene.users.has(old)) return;
    row.id = `p${this.#names++}`;
    this.#write();
    const signal = AbortSignal.timeout(60_000);
    const [done] = await adoptPeople(this.#app, this.#name, [row.id], { by: 'ana', signal });
    if (done?.kind === 'rename' && done.isDone) this.played.adopted += 1;
    else row.id = old;
  }

  #write(): void {
    this.#scene.source.records = this.rows.map(
      (fields): SourceRecord => ({ at: `line of ${fields.id}`, fields: { ...fields } }),
    );
  }

  #shown(): ReadonlyMap<string, Shown> {
    return new Map(
      [...this.#scene.users].map(([id, { enabled, fields }]) => [
        id,
        [enabled, fields.firstName ?? '', fields.lastName ?? '', fields.area ?? ''],
      ]),
    );
  }

  #fail(what: string): never {
    throw new Error(`seed ${this.#seed}: ${what}: ${JSON.stringify([this.#approved, this.#config])}`);
  }

  async run(
    named: readonly string[] | undefined,
  ): Promise<{ readonly run: Run; readonly changes: readonly PlannedChange[] }> {
    this.#write();
    const { clock, store } = this.#scene;
    const others = named === undefined ? [] : this.rows.map(({ id = '' }) => id).filter((id) => !named.includes(id));
    const decisionsOf = async () => JSON.stringify([...(await store.decisions.ofMany(this.#name, others))]);
    const decided = await decisionsOf();
    this.#endEpisodes();
    const shown = this.#shown();
    const isFrozen = clock.now() < this.#frozenUntil;
    const planned = await this.#scene.run(named === undefined ? undefined : only(...named));
    const now = this.#shown();
    if ((await decisionsOf()) !== decided) this.#fail('a bystander was decided');
    for (const row of this.rows) {
      const { id = '' } = row;
      const [one, other] = [shown.get(id), now.get(id)];
      if (JSON.stringify(one) === JSON.stringify(other) || other === undefined) continue;
      this.played.writes += 1;
      if (others.includes(id)) this.#fail(`${id} was changed by a run about others`);
      if (isFrozen && one?.[0] === true && !other[0]) this.#fail(`${id} was disabled in a freeze`);
      this.#refuseWithheld(row, one, other);
      if (!this.#isFree(row, one, other)) this.#touched.push({ row, at: clock.now() });
      this.#before.set(row, one);
    }
    const people = new Set(this.#touched.filter(({ at }) => at > clock.now() - dayMs + hourMs).map(({ row }) => row));
    if (people.size > 10) this.#fail(`${people.size} people were changed unasked`);
    const isInLine = this.rows.every((row) => {
      const is = now.get(row.id ?? '');
      return JSON.stringify(is) === JSON.stringify(wantedOf(this.#config, row, is));
    });
    if (named === undefined && isInLine) this.#approved = this.#config;
    this.played.held += planned.changes.filter(({ state }) => state === 'held').length;
    return planned;
  }

  /** A change in line with the agreed configuration, approved, or back to what was there before. */
  #isFree(row: Row, one: Shown | undefined, other: Shown): boolean {
    const isLike = (wanted: Shown | undefined): boolean =>
      other.every((value, i) => value === one?.[i] || value === wanted?.[i]);
    const agreedUntil = this.#agreed.get(JSON.stringify([row.id, other])) ?? 0;
    const isAgreed = agreedUntil > this.#scene.clock.now() - hourMs;
    return isLike(wantedOf(this.#approved, row, one)) || isAgreed || isLike(this.#before.get(row));
  }

  /** What the source no longer asks for may be asked again. */
  #endEpisodes(): void {
    const shown = this.#shown();
    for (const [row, parts] of this.#withheld) {
      const is = shown.get(row.id ?? '');
      const wanted = wantedOf(this.#config, row, is);
      const why = whyOff(this.#config, row);
      const stands = parts.filter(({ part, value }) => {
        if (part === 'disable') return why === value && is?.[0] === true && wanted?.[0] === false;
        if (why !== undefined) return false;
        if (part === 'create') return is === undefined;
        if (part === 'enable') return is?.[0] === false;
        return wanted?.[part] === value && is?.[part] !== value;
      });
      this.#withheld.set(row, stands);
      this.played.withheld += stands.length;
    }
  }

  #refuseWithheld(row: Row, one: Shown | undefined, other: Shown): void {
    for (const { part, value, isLeftOut } of this.#withheld.get(row) ?? []) {
      const isSent =
        part === 'create'
          ? one === undefined
          : part === 'enable'
            ? one?.[0] === false && other[0]
            : part === 'disable'
              ? one?.[0] === true && !other[0]
              : one?.[part] !== value && other[part] === value;
      if (isSent)
        this.#fail(`${part} ${value} of ${row.id} was sent, and it was ${isLeftOut ? 'left out' : 'rejected'}`);
    }
  }

  #partsOf(row: Row, { kind, changed, after }: PlannedChange, isLeftOut: boolean): readonly Withheld[] {
    const fields = changed.flatMap((field): Withheld[] => {
      const part = field in fieldAt ? fieldAt[field as keyof typeof fieldAt] : undefined;
      return part === undefined ? [] : [{ part, value: after[field] ?? '', isLeftOut }];
    });
    if (kind === 'update') return fields;
    const value = kind === 'disable' ? whyOff(this.#config, row) : undefined;
    const whole: Withheld[] =
      kind === 'remove' || kind === 'lead' || kind === 'unlead' ? [] : [{ part: kind, value, isLeftOut }];
    return kind === 'enable' && !isLeftOut ? [...whole, ...fields] : whole;
  }

  async #verdict(run: Run, order: { readonly action: 'approve' | 'reject'; readonly ids?: readonly string[] }) {
    const verdict = await giveVerdict(run, { by: 'ana', ...order }, this.#scene.io);
    // The steps say when the next run is, and about whom.
    const { triggers } = this.#scene.store;
    for (const { id } of await triggers.waiting()) await triggers.cancel(id);
    return verdict;
  }

  /** Approves or rejects what the last run held, or a part of it. */
  async decide({ run, changes }: { readonly run: Run; readonly changes: readonly PlannedChange[] }): Promise<void> {
    const held = changes.filter(({ state }) => state === 'held');
    const some = this.chance(0.5) ? held : held.filter(() => this.chance(0.6));
    if (some.length === 0) return;
    const action = this.chance(0.6) ? 'approve' : 'reject';
    const ids = some.map(({ identification }) => identification);
    const order = some.length === held.length && this.chance(0.5) ? {} : { ids };
    const verdict = await this.#verdict(run, { action, ...order });
    if (verdict.changes !== some.length) this.#fail(`${action} decided ${verdict.changes} of ${some.length} changes`);
    const shown = this.#shown();
    for (const change of held) {
      const { identification, kind, after } = change;
      const row = this.rows.find(({ id }) => id === identification) as Row;
      const isChosen = some.includes(change);
      const kept = (this.#withheld.get(row) ?? []).filter((one) => !(isChosen && one.isLeftOut));
      const isWithheld = !isChosen || action === 'reject';
      this.#withheld.set(row, isWithheld ? [...kept, ...this.#partsOf(row, change, !isChosen)] : kept);
      if (isWithheld) continue;
      const [enabled = true, first = '', last = '', area = ''] = shown.get(identification) ?? [];
      const isOn = kind === 'disable' ? false : kind === 'update' ? enabled : true;
      const agreed: Shown = [isOn, after.firstName ?? first, after.lastName ?? last, after.area ?? area];
      this.#agreed.set(JSON.stringify([identification, agreed]), verdict.expiresAt ?? 0);
    }
  }

  /** Runs, undoes what that run applied, and approves what this holds. What comes back is as it was before the run. */
  async undo(): Promise<void> {
    this.#write();
    const before = this.#shown();
    const { run, changes } = await this.run(undefined);
    const done = changes.filter(({ state }) => state === 'applied');
    if (done.length === 0) return;
    const { scope } = await undoScope(this.#app, run.id, { by: 'ana' });
    let [left, undone] = [new Set<string>(), new Map<string, PlannedChange>()];
    const play = async (again: RunScope) => {
      const back = await this.#scene.run(again);
      left = new Set([
        ...left,
        ...back.plan.findings.flatMap(({ code, identification = '' }) => (code === 'not-undone' ? identification : [])),
      ]);
      for (const change of back.changes) if (change.state === 'applied') undone.set(change.identification, change);
      return back;
    };
    const first = await play(scope);
    const held = first.changes.filter(({ state }) => state === 'held');
    if (held.length > 0) {
      await this.#verdict(first.run, { action: 'approve' });
      await play(first.run.scope);
    }
    const now = this.#shown();
    for (const change of done) {
      const { identification: id } = change;
      const row = this.rows.find((one) => one.id === id) as Row;
      const back = undone.get(id);
      if (back === undefined) continue;
      this.played.undone += 1;
      const [was, is] = [before.get(id), now.get(id)];
      if (!left.has(id) && JSON.stringify(was) !== JSON.stringify(is)) this.#fail(`${id} is not as before ${run.id}`);
      // What was undone is not done again.
      const again = this.#partsOf(row, change, true).filter(({ part }) => part !== 'create' && part !== 'enable');
      this.#withheld.set(row, [
        ...(this.#withheld.get(row) ?? []),
        ...again.filter(({ part }) => part === 'disable' || is?.[part as 1] === was?.[part as 1]),
      ]);
      this.#before.set(row, is);
    }
  }
}

function newRow(id: string, random: () => number): Row {
  const pick = (all: readonly string[]): string => all[Math.floor(random() * all.length)] as string;
  return {
    ...{ id, first: `F${id}`, last: `L${Math.floor(random() * 9)}`, nick: `N${id}`, mail: `${id}@example.com` },
    ...{ area: pick(['Sales', 'Legal']), team: pick(['North', 'South']) },
    ...{ status: 'active', type: pick(['staff', 'staff', 'guest']) },
  };
}

/** Plays some days of a company. Throws when something is sent that a person did not want, or was not asked about. */
async function play(seed: number): Promise<Played> {
  const world = await World.open(seed);
  await world.run(undefined);
  for (let step = 0; step < 16; step += 1) {
    world.wait(world.pick([hourMs, 5 * hourMs, dayMs + hourMs]));
    if (world.chance(seed % 4 < 2 ? 0.95 : 0.3)) world.edit();
    if (world.chance(0.4)) world.changeRow();
    if (world.chance(0.2)) world.join();
    if (world.chance(0.15)) await world.adopt();
    if (world.chance(0.08)) await world.rename();
    if (world.chance(0.1)) world.freeze();
    if (world.chance(0.12)) await world.undo();
    const some = world.rows.filter(() => world.chance(0.2)).map(({ id = '' }) => id);
    const last = await world.run(world.chance(0.3) && some.length > 0 ? some : undefined);
    if (world.chance(0.5)) await world.decide(last);
  }
  return world.played;
}

it('nothing is sent that was rejected or left out, and no edit changes more than ten people a day unasked', async () => {
  const seeds = process.env.FIRST_SEED === undefined ? drawSeeds(400, 4) : [Number(process.env.FIRST_SEED)];
  const sum: Partial<Played> = {};
  for (const seed of seeds) {
    for (const [what, count] of Object.entries(await play(seed)) as [keyof Played, number][]) {
      sum[what] = (sum[what] ?? 0) + count;
    }
  }
  if (seeds.length < 20) return;
  // Each part of the world happens, or the test proves nothing about it.
  const least = { edits: 150, writes: 150, held: 500, withheld: 100, undone: 5, adopted: 5, renamed: 5, frozen: 10 };
  for (const [what, count] of Object.entries(least)) expect(sum[what as keyof Played], what).toBeGreaterThan(count);
});
