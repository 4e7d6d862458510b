import { expect, it } from 'vitest';
import type { SourceRecord } from '../../../src/core/person/person.ts';
import type { FieldRule, SyncSettings } from '../../../src/core/run/settings.ts';
import type { PlannedChange } from '../../../src/ports/store.ts';
import { seededRandom } from '../../../src/sandbox/people/seed-users.ts';
import { decided as decisionsOn } from '../../contracts/store-samples.ts';
import { compilePlainMapping, configured, plainSettings } from '../plain-settings.ts';
import { account, guards, only, openPlanScene, type PlanScene } from '../plan-scene.ts';

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

function settingsOf({ first, area, scope, leavers, outOfScope }: Company): SyncSettings {
  const statuses = ['active', 'pause', 'left'];
  const fields = {
    firstName: from(first),
    lastName: from('last'),
    ...(area === undefined ? {} : { area: from(area) }),
  };
  return {
    ...plainSettings,
    ...guards({ configuration: { absolute: 10, percent: 0, cap: undefined } }),
    firstSight: 'assume',
    mapping: { identification: from('id'), fields },
    match: ['identification'],
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

/** What the configuration wants of a row; undefined: nothing. Written without the code under test. */
function wantedOf(config: Company, row: SourceRecord['fields'], shown: Shown | undefined): Shown | undefined {
  const isOut = config.scope === 'staff' && row.type !== 'staff';
  const [, first = '', last = '', area = ''] = shown ?? [];
  if (isOut) return shown !== undefined && config.outOfScope === 'disable' ? [false, first, last, area] : shown;
  if (config.leavers.includes(String(row.status))) return shown && [false, first, last, area];
  const given = (name: string | undefined, before: string): string =>
    name === undefined ? before : String(row[name] || before);
  return [true, given(config.first, first), given('last', last), given(config.area, area)];
}

interface Played {
  readonly edits: number;
  readonly writes: number;
  readonly held: number;
}

/** Plays some days of a company whose configuration is edited at random. Throws when more than ten are touched a day. */
async function play(seed: number): Promise<Played> {
  const random = seededRandom(seed);
  const below = (most: number): number => Math.floor(random() * most);
  const pick = <Value>(all: readonly Value[]): Value => all[below(all.length)] as Value;
  let names = size;
  const newRow = (id: string): Record<string, string> => {
    return {
      id,
      first: `F${id}`,
      last: `L${below(9)}`,
      nick: `N${id}`,
      area: pick(['Sales', 'Legal']),
      team: pick(['North', 'South']),
      status: 'active',
      type: pick(['staff', 'staff', 'guest']),
    };
  };
  const rows = Array.from({ length: size }, (_, i) => newRow(`p${i}`));
  const users = rows.map((row) =>
    account(row.id ?? '', { fields: { firstName: row.first, lastName: row.last, area: row.area } as never }),
  );
  const scene = await openPlanScene({ records: [], users, settings: settingsOf(usual) });
  let config = usual;
  /** The configuration that everyone on the platform was in line with last. */
  let approved = usual;
  const agreed = new Set<string>();
  const before = new Map<string, Shown | undefined>();
  const touched: { readonly id: string; readonly at: number }[] = [];
  const played = { edits: 0, writes: 0, held: 0 };

  const edit = (to: Company): void => {
    config = to;
    const settings = settingsOf(to);
    Object.assign(scene.sync, {
      settings,
      mapping: compilePlainMapping(settings),
      ...configured(settings),
      fingerprint: JSON.stringify(to),
    });
  };
  const run = async (named: readonly string[] | undefined): Promise<readonly PlannedChange[]> => {
    scene.source.records = rows.map((fields) => ({ at: `line of ${fields.id}`, fields: { ...fields } }));
    const shown = shownBy(scene);
    const { changes } = await scene.run(named === undefined ? undefined : only(...named));
    const now = shownBy(scene);
    for (const id of new Set([...shown.keys(), ...now.keys()])) {
      const [one, other] = [shown.get(id), now.get(id)];
      if (JSON.stringify(one) === JSON.stringify(other) || other === undefined) continue;
      played.writes += 1;
      const row = rows.find((each) => each.id === id) as Record<string, string>;
      const isLike = (wanted: Shown | undefined): boolean =>
        other.every((value, i) => value === one?.[i] || value === wanted?.[i]);
      const isFree =
        isLike(wantedOf(approved, row, one)) || agreed.has(JSON.stringify([id, other])) || isLike(before.get(id));
      if (!isFree) touched.push({ id, at: scene.clock.now() });
      before.set(id, one);
    }
    const lately = touched.filter(({ at }) => at > scene.clock.now() - dayMs + hourMs);
    const people = new Set(lately.map(({ id }) => id));
    if (people.size > 10)
      throw new Error(
        `seed ${seed}: ${people.size} people were changed unasked: ${JSON.stringify([approved, config])}`,
      );
    const isInLine = rows.every(
      (row) => JSON.stringify(now.get(row.id ?? '')) === JSON.stringify(wantedOf(config, row, now.get(row.id ?? ''))),
    );
    if (named === undefined && isInLine) approved = config;
    played.held += changes.filter(({ state }) => state === 'held').length;
    return changes;
  };
  const decide = async (changes: readonly PlannedChange[]): Promise<void> => {
    const held = changes.filter(({ state }) => state === 'held');
    const some = random() < 0.5 ? held : held.filter(() => random() < 0.6);
    if (some.length === 0) return;
    const at = scene.clock.now();
    const state = random() < 0.7 ? 'approved' : 'rejected';
    const verdict = { by: 'ana', why: undefined, at };
    const { decisions } = scene.store;
    await decisions.decide(
      'people',
      decisionsOn(some),
      state === 'approved' ? { ...verdict, state, expiresAt: at + dayMs } : { ...verdict, state },
    );
    await decisions.leaveOut('people', decisionsOn(held.filter((one) => !some.includes(one))), { by: 'ana', at });
    if (state === 'rejected') return;
    const shown = shownBy(scene);
    for (const { identification, kind, after } of some) {
      const [enabled = true, first = '', last = '', area = ''] = shown.get(identification) ?? [];
      const isOn = kind === 'disable' ? false : kind === 'update' ? enabled : true;
      agreed.add(
        JSON.stringify([identification, [isOn, after.firstName ?? first, after.lastName ?? last, after.area ?? area]]),
      );
    }
  };

  await run(undefined);
  for (let step = 0; step < 15; step += 1) {
    scene.clock.jumpTo(scene.clock.now() + pick([hourMs, 5 * hourMs, dayMs + hourMs]));
    if (random() < 0.95) {
      played.edits += 1;
      edit(
        random() < 0.25
          ? approved
          : {
              first: pick(['first', 'first', 'last', 'nick']),
              area: pick(['area', 'team', undefined]),
              scope: pick(['all', 'staff']),
              leavers: pick([['left'], ['left', 'pause']]),
              outOfScope: pick(['ignore', 'disable']),
            },
      );
    }
    const row = pick(rows);
    if (random() < 0.4)
      Object.assign(
        row,
        pick<Record<string, string>>([
          { last: `L${below(9)}` },
          { status: pick(['active', 'pause', 'left']) },
          { team: pick(['North', 'South']) },
        ]),
      );
    if (random() < 0.2) rows.push(newRow(`p${names++}`));
    const isNamed = random() < 0.3;
    const changes = await run(
      isNamed
        ? rows
            .filter(() => random() < 0.2)
            .map(({ id = '' }) => id)
            .concat('p0')
        : undefined,
    );
    if (random() < 0.5) await decide(changes);
  }
  return played;
}

function shownBy({ users }: PlanScene): ReadonlyMap<string, Shown> {
  return new Map(
    [...users].map(([id, { enabled, fields }]) => [
      id,
      [enabled, fields.firstName ?? '', fields.lastName ?? '', fields.area ?? ''],
    ]),
  );
}

it('300 random edits of a configuration change at most ten people a day, or what was approved', async () => {
  const all: Played[] = [];
  const first = Number(process.env.FIRST_SEED ?? 1);
  for (let seed = first; seed < first + 22; seed += 1) all.push(await play(seed));
  const sum = (what: (one: Played) => number): number => all.reduce((total, one) => total + what(one), 0);
  expect(sum(({ edits }) => edits)).toBeGreaterThan(299);
  expect(sum(({ writes }) => writes)).toBeGreaterThan(300);
  expect(sum(({ held }) => held)).toBeGreaterThan(1000);
}, 300_000);
