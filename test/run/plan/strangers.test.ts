import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { User } from '../../../src/core/person/fields.ts';
import type { SourceRecord } from '../../../src/core/person/person.ts';
import { given } from '../../../src/core/run/given.ts';
import type { RunScope } from '../../../src/ports/store.ts';
import { account, guards, openPlanScene, type PlanScene, type PlanSceneOptions, row } from '../plan-scene.ts';

const born = (n: number): string => `19${60 + n}-01-02`;
const people = [
  { first: 'Ana', last: 'Ruiz', born: born(1) },
  { first: 'Bruno', last: 'Soto', born: born(2) },
  { first: 'Clara', last: 'Weber', born: born(3) },
  { first: 'Diego', last: 'Paz', born: born(4) },
  { first: 'Elena', last: 'Kent', born: born(5) },
] as const;
const ids = ['e1', 'e2', 'e3', 'e4', 'e5'] as const;
type Who = Readonly<Record<'first' | 'last' | 'born', string>>;

const rowsOf = (order: readonly number[]): SourceRecord[] => order.map((n, i) => row(ids[i] ?? '', people[n]));
const accountOf = (id: string, { first, last, born: birthDate }: Who, over: Partial<User> = {}): User =>
  account(id, { ...over, fields: { firstName: first, lastName: last, birthDate } });
const ordered = [0, 1, 2, 3, 4];

/** The five people after an accepted read that changed nothing. */
async function settled(options: Partial<PlanSceneOptions> = {}): Promise<PlanScene> {
  const users = people.map((one, i) => accountOf(ids[i] ?? '', one));
  const scene = await openPlanScene({ records: rowsOf(ordered), users, ...options });
  expect((await scene.plan()).kinds).toEqual({});
  return scene;
}

/** The next full read, an hour later. */
async function read(scene: PlanScene, records: readonly SourceRecord[], scope?: RunScope) {
  scene.clock.jumpTo(scene.clock.now() + 3_600_000);
  scene.source.records = records;
  scene.source.end = { complete: true, rows: records.length, evidence: 'all', stamp: `${scene.clock.now()}` };
  return scene.plan(scope);
}

const with1 = (over: Readonly<Record<string, unknown>>): SourceRecord[] => [
  row('e1', { ...people[0], ...over }),
  ...rowsOf(ordered).slice(1),
];
const jonas = { first: 'Jonas', last: 'Vidal', born: born(30) };

describe('an identification that comes with another person', () => {
  it('is one hold, in every read and until it is decided, and says who is who', async () => {
    const scene = await settled();
    for (const _ of [1, 2, 3]) {
      const planned = await read(scene, with1(jonas));
      expect([planned.kinds, planned.findings]).toEqual([{ e1: 'update held' }, ['held']]);
      const [change] = planned.changes;
      expect(change?.classes).toEqual(['identity']);
      expect(change?.reason).toMatch(
        /^e1 was Ana Ruiz, born 1961-01-02; HR now calls e1 Jonas Vidal, born 1990-01-02: /,
      );
      expect(scene.message(planned, 'held')).toMatch(
        /^1 identification belongs to different people in HR and on the platform \(e1\)\. Approve .*"rollcall adopt people e1 --another"/,
      );
      expect(JSON.stringify(planned.plan.findings)).not.toContain('Jonas');
    }
    expect((await read(scene, rowsOf(ordered))).kinds).toEqual({});
  });

  it('never enables a disabled account, whatever the guards let pass', async () => {
    const users = [accountOf('e1', people[0], { enabled: false })];
    const scene = await openPlanScene({ records: [row('e1', jonas)], users });
    expect((await scene.plan()).kinds).toEqual({ e1: 'enable held' });
  });

  it.each([
    ['a marriage with the same birth date', { first: 'Ana', last: 'Vidal' }],
    ['a preferred name with the same birth date', { first: 'Nani', last: 'Vidal' }],
    ['an added second surname', { last: 'Ruiz Soto', born: '' }],
    ['a corrected birth date', { born: born(31) }],
    ['another script', { first: 'Ана', last: 'Руис' }],
  ])('is not %s', async (_, over) => {
    const scene = await settled();
    expect((await read(scene, with1(over))).kinds).toEqual({ e1: 'update' });
  });

  it('is not a user who was renamed on the platform', async () => {
    const scene = await settled();
    scene.users.set('e1', accountOf('e1', { first: 'Zorro', last: 'X', born: born(40) }));
    expect((await read(scene, rowsOf(ordered))).kinds).toEqual({ e1: 'update' });
  });

  it('is told once, not held, where names are in two scripts and nothing else can be compared', async () => {
    const users = [account('e1', { fields: { firstName: 'Ivan', lastName: 'Petrov' } })];
    const scene = await openPlanScene({ records: [row('e1', { first: 'Иван', last: 'Петров' })], users });
    const planned = await scene.plan();
    expect([planned.kinds, planned.findings]).toEqual([{ e1: 'update' }, ['identity-unchecked']]);
  });

  it('is found among relatives, when records are exchanged', async () => {
    const twin = { last: 'Paz', born: born(4) };
    const twins = [row('e1', { first: 'Eva', ...twin }), row('e2', { first: 'Ada', ...twin })];
    const users = [accountOf('e1', { first: 'Ada', ...twin }), accountOf('e2', { first: 'Eva', ...twin })];
    const scene = await openPlanScene({ records: twins, users });
    expect((await scene.plan()).kinds).toEqual({ e1: 'update held', e2: 'update held' });
  });

  it('writes no name without a hold, however identifications are permuted, shifted or copied', async () => {
    const orders = fc.oneof(
      fc.shuffledSubarray(ordered, { minLength: 5 }),
      fc.array(fc.constantFrom(...ordered), { minLength: 5, maxLength: 5 }),
    );
    await fc.assert(
      fc.asyncProperty(orders, fc.boolean(), fc.boolean(), async (order, hasMail, mayBeRelatives) => {
        const isCopied = new Set(order).size < 5;
        const areRelatives = mayBeRelatives && !isCopied;
        const everybody = people.map((one) => ({
          ...{ ...one, ...(areRelatives ? { last: 'Paz', born: born(4) } : {}) },
          email: hasMail ? `${one.first}@x.com` : '',
        }));
        const records = (some: readonly number[]) => some.map((n, i) => row(ids[i] ?? '', everybody[n]));
        const users = everybody.map(({ email, ...one }, i) => {
          const user = accountOf(ids[i] ?? '', one);
          return { ...user, fields: { ...user.fields, ...(hasMail ? { email } : {}) } };
        });
        const scene = await settled({ records: records(ordered), users });
        const { kinds } = await read(scene, records(order));
        const moved = ids.filter((_, i) => order[i] !== i);
        // Two rows with one e-mail change nothing at all.
        const held = Object.fromEntries(moved.map((id) => [id, 'update held']));
        expect(hasMail && isCopied ? { ...held, ...kinds } : kinds).toEqual(held);
      }),
      { numRuns: 12 },
    );
  });
});

describe('a person who leaves', () => {
  const left = { status: 'left' };

  it('leaves although the record is anonymous', async () => {
    const scene = await settled();
    expect((await read(scene, with1({ ...left, first: 'Anonymous', last: 'X', born: '' }))).kinds).toEqual({
      e1: 'disable',
    });
  });

  it('waits when an active person looks like the account, or when several records show other people', async () => {
    const scene = await settled();
    const shifted = [row('e1', { ...people[1], ...left }), row('e2', people[0]), ...rowsOf(ordered).slice(2)];
    expect((await read(scene, shifted)).kinds).toEqual({ e1: 'disable held', e2: 'update held' });
    const anonymous = ids.map((id, i) => row(id, { first: `P${i}`, last: `Q${i}`, born: '', ...(i < 3 ? left : {}) }));
    expect(new Set(Object.values((await read(scene, anonymous)).kinds))).toEqual(
      new Set(['disable held', 'update held']),
    );
  });

  it('waits when a new identification looks like them, under any e-mail', async () => {
    const scene = await settled();
    const came = row('e9', { ...people[0], email: 'new@x.com' });
    const planned = await read(scene, [...with1(left), came]);
    expect([planned.kinds, planned.findings]).toEqual([{}, ['conversion e1', 'conversion e9']]);
    expect(scene.message(planned, 'conversion')).toMatch(
      /^e9 \(line of e9\) and user e1, a leaver, look like one person/,
    );
    scene.users.set('e9', accountOf('e9', people[0]));
    expect((await read(scene, [...with1(left), came])).kinds).toMatchObject({ e1: 'disable' });
  });

  it('waits when missing, while the record of another identification is about them', async () => {
    const scene = await settled({ settings: { missing: { afterReads: 1, minAgeMs: 0 }, ...guards({}) } });
    const shifted = [row('e1', people[4]), ...rowsOf(ordered).slice(1, 4)];
    expect((await read(scene, shifted)).kinds).toEqual({ e1: 'update held', e5: 'disable held' });
  });
});

describe('a decision about such a record', () => {
  const decide = async (scene: PlanScene, way: 'same' | 'another', nameDigest?: string) => {
    const place = { connection: 'acme', sync: 'people' };
    const said = { id: `audit_${way}`, at: scene.clock.now(), by: 'ana', action: 'decide-accounts', ...place } as const;
    const decision = { ...place, way, identification: 'e1', accountId: '9e1', ...given({ nameDigest }) } as const;
    await scene.store.standing.add(decision, { ...said, run: undefined, detail: undefined });
  };

  it('sends the change of the same person, and is not asked again', async () => {
    const scene = await settled();
    await decide(scene, 'same');
    for (const _ of [1, 2]) {
      const planned = await read(scene, with1(jonas));
      expect([planned.kinds, planned.changes[0]?.classes]).toEqual([{ e1: 'update' }, ['updates']]);
    }
  });

  it('disables the account of another person, until the opposite is decided', async () => {
    const scene = await settled();
    await decide(scene, 'another');
    const planned = await read(scene, with1(jonas));
    expect([planned.kinds, planned.findings]).toEqual([{ e1: 'disable' }, []]);
    scene.users.set('e1', accountOf('e1', people[0], { enabled: false }));
    const after = await read(scene, with1(jonas));
    expect([after.kinds, after.findings]).toEqual([{}, ['another-person e1']]);
    scene.users.set('e1', accountOf('e1', people[0]));
    await decide(scene, 'same');
    expect((await read(scene, with1(jonas))).kinds).toEqual({ e1: 'update' });
  });

  it('counts only for the name that HR gave then', async () => {
    const scene = await settled();
    await decide(scene, 'same', 'of another name');
    expect((await read(scene, with1(jonas))).kinds).toEqual({ e1: 'update held' });
  });
});
