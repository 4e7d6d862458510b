import { describe, expect, it } from 'vitest';
import type { SourceRecord } from '../../../src/core/person/person.ts';
import { RollcallError } from '../../../src/core/run/errors.ts';
import type { Source } from '../../../src/ports/source.ts';
import type { DecisionRecord } from '../../../src/ports/store.ts';
import { canLookUp } from '../../../src/run/compare/doubtful-people.ts';
import type { Sync } from '../../../src/run/engine-io.ts';
import { endRun, openRun } from '../../contracts/store-samples.ts';
import {
  account,
  guards,
  openPlanScene,
  type PlanScene,
  type PlanSceneOptions,
  row,
  unlimited,
} from '../plan-scene.ts';

const dayMs = 86_400_000;
const names = ['a1', 'b2', 'c3', 'd4'];
const left = (id: string) => row(id, { status: 'left' });

/** What the HR system answers to a lookup by id, instead of what the full read shows. */
type Answer = readonly SourceRecord[] | Error | 'incomplete';

interface Hr {
  readonly scene: PlanScene;
  /** The names that lookups asked for, oldest first. */
  readonly asked: (readonly string[])[];
  /** Reads the remaining people, a day later, and plans. */
  read(present: readonly string[]): ReturnType<PlanScene['plan']>;
}

async function open(
  answerTo: (asked: readonly string[]) => Answer,
  options: Partial<PlanSceneOptions> = {},
  people: readonly string[] = names,
): Promise<Hr> {
  const scene = await openPlanScene({
    records: people.map((id) => row(id)),
    users: people.map((id) => account(id)),
    ...options,
    settings: { missing: { afterReads: 2, minAgeMs: dayMs }, ...options.settings },
  });
  const asked: (readonly string[])[] = [];
  const { read } = scene.sync.source;
  let isShort = false;
  Object.assign(scene.sync.source, {
    async *read(...[request, io]: Parameters<typeof read>) {
      if (request.kind !== 'point' || !isShort) return yield* read(request, io);
      asked.push(request.identifications);
      const answer = answerTo(request.identifications);
      if (answer instanceof Error) throw answer;
      if (answer === 'incomplete') return { complete: false, rows: 0, reasons: ['it timed out'] };
      if (answer.length > 0) yield { records: answer, broken: [] };
      return { complete: true, rows: answer.length, evidence: 'lookups', stamp: '' };
    },
  });
  await scene.plan();
  return {
    scene,
    asked,
    async read(present) {
      isShort = true;
      scene.source.records = present.map((id) => row(id));
      scene.clock.jumpTo(scene.clock.now() + dayMs + 1);
      const stamp = `s${scene.clock.now()}`;
      scene.source.end = { complete: true, rows: present.length, evidence: 'all', stamp };
      return scene.plan();
    },
  };
}

const misses = async ({ scene }: Hr, name = 'a1') => (await scene.store.ledger.get('acme', name))?.misses?.count;
const others = ['b2', 'c3', 'd4'];
const unavailable = new RollcallError('GET /people was answered 500', { code: 'SOURCE_UNAVAILABLE', retry: 'backoff' });
const refused = new RollcallError('GET /people was answered 403', { code: 'SOURCE_REFUSED' });
const invalid = new RollcallError('GET /people was answered 400', { code: 'SOURCE_UNAVAILABLE' });
const about = (asked: readonly string[], answer: Answer): Answer =>
  asked.includes('a1') ? answer : asked.map((id) => row(id));

describe('a person whom a full read lacks', () => {
  it.each<{ name: string; answer: Answer; count: number | undefined; kinds: object; code: string | undefined }>([
    { name: 'unknown', answer: [], count: 2, kinds: { a1: 'disable' }, code: undefined },
    { name: 'active', answer: [row('a1')], count: undefined, kinds: {}, code: 'missing-found' },
    {
      name: 'hired for later',
      answer: [row('a1', { hired: '2099-01-01' })],
      count: undefined,
      kinds: {},
      code: 'missing-found',
    },
    { name: 'left', answer: [left('a1')], count: undefined, kinds: { a1: 'disable' }, code: undefined },
    {
      name: 'of an unknown status',
      answer: [row('a1', { status: 'odd' })],
      count: 1,
      kinds: {},
      code: 'missing-unconfirmed',
    },
    { name: 'in other letters', answer: [row('A1')], count: 1, kinds: {}, code: 'missing-unconfirmed' },
    { name: 'in two spellings', answer: [row('a1'), row('A1')], count: 1, kinds: {}, code: 'missing-unconfirmed' },
    { name: 'twice', answer: [row('a1'), left('a1')], count: 1, kinds: {}, code: 'missing-unconfirmed' },
    { name: 'beside a record of nobody', answer: [row('')], count: 1, kinds: {}, code: 'missing-unconfirmed' },
    { name: 'incomplete', answer: 'incomplete', count: 1, kinds: {}, code: 'missing-unconfirmed' },
    { name: 'no answer', answer: unavailable, count: 1, kinds: {}, code: 'missing-unconfirmed' },
    { name: 'refused for this person alone', answer: refused, count: 1, kinds: {}, code: 'missing-unconfirmed' },
    { name: 'an invalid request', answer: invalid, count: 1, kinds: {}, code: 'missing-unconfirmed' },
  ])('after one counted miss, by a lookup: $name', async ({ answer, count, kinds, code }) => {
    let now: Answer = [];
    const hr = await open((asked) => about(asked, now));
    await hr.read(others);
    expect(await misses(hr)).toBe(1);
    now = answer;
    const planned = await hr.read(others);
    expect([await misses(hr), planned.kinds]).toEqual([count, kinds]);
    expect(planned.findings).toEqual(code === undefined ? [] : [`${code} a1`]);
    expect(planned.plan.facts.sourceLookups).toBe(1);
  });

  it.each([
    { name: 'cannot look up', options: { capabilities: { point: false } }, asks: 0 },
    { name: 'may not look up anyone', options: {}, asks: 4 },
  ])('is counted by full reads where the source $name', async ({ options, asks }) => {
    const hr = await open(() => refused, options);
    await hr.read(others);
    const planned = await hr.read(others);
    expect([planned.kinds, await misses(hr)]).toEqual([{ a1: 'disable' }, 2]);
    expect(hr.asked).toHaveLength(asks);
    expect(planned.findings).toEqual(asks === 0 ? [] : ['lookup-refused']);
  });

  it('is not looked up by a read that proves no absence', async () => {
    const hr = await open(() => []);
    await hr.read(others);
    hr.scene.source.end = { complete: false, rows: 3, reasons: ['it timed out'] };
    await hr.scene.plan();
    expect([hr.asked.length, await misses(hr)]).toEqual([1, 1]);
  });

  it.each<[Partial<Source['capabilities']>, string | undefined, Source['looksUp'], boolean]>([
    [{ point: true }, 'id', undefined, true],
    [{ point: true }, 'id', () => true, true],
    [{ point: true }, 'id', () => false, false],
    [{ point: true }, undefined, () => true, false],
    [{ point: false }, 'id', () => true, false],
  ])(
    'can be looked up where %j, the key %s and the source allow it',
    (capabilities, identificationField, looksUp, end) => {
      expect(
        canLookUp({ source: { capabilities, looksUp }, mapping: { identificationField } } as unknown as Sync),
      ).toBe(end);
    },
  );

  it.each([
    ['is refused too', refused, ['lookup-refused']],
    ['does not answer', unavailable, ['missing-unconfirmed a1']],
  ])('is refused, and another one %s', async (_, end, findings) => {
    const hr = await open((asked) => (asked.includes('a1') ? refused : end));
    expect((await hr.read(others)).findings).toEqual(findings);
    const broken = await open((asked) => (asked.includes('a1') ? refused : new TypeError('a bug')));
    await expect(broken.read(others)).rejects.toThrow('a bug');
  });

  it.each<{ name: string; settings: Partial<PlanSceneOptions['settings'] & object> }>([
    { name: 'missing: never', settings: { missing: 'never' } },
    { name: 'another policy', settings: { policy: 'upsert-only' } },
    { name: 'protected', settings: { protected: ['a1'] } },
  ])('is not looked up where the absence leads to nothing: $name', async ({ settings }) => {
    const hr = await open(() => [], { settings });
    const planned = await hr.read(others);
    expect([hr.asked, planned.kinds]).toEqual([[], {}]);
  });

  it('is looked up before a removal too, which waits until it is confirmed', async () => {
    const remove = { afterMs: dayMs, blacklist: false };
    let now: Answer = [];
    const hr = await open((asked) => about(asked, now), { settings: { remove } });
    const { scene } = hr;
    await hr.read(others);
    const owned = await scene.store.ledger.get('acme', 'a1');
    if (owned === undefined) throw new Error('the user is ours');
    await hr.read(others);
    scene.users.set('a1', account('a1', { enabled: false }));
    const run = await openRun(scene.store, { id: 'run_by_hand', now: scene.clock.now() });
    await scene.store.ledger.put(run, [{ ...owned, disabledAt: scene.clock.now(), goneSince: scene.clock.now() }]);
    await endRun(scene.store, run);
    now = unavailable;
    expect((await hr.read(others)).kinds).toEqual({});
    now = [];
    expect((await hr.read(others)).kinds).toEqual({ a1: 'remove' });
  });
});

describe('more people than a run looks up', () => {
  const settings = guards({ disables: { ...unlimited, cap: 2 } });

  it('get their turns, those nearest to their disable first', async () => {
    const hr = await open(() => [], { settings });
    const first = await hr.read(['d4']);
    expect([hr.asked.flat(), first.kinds]).toEqual([['a1', 'b2'], {}]);
    expect(hr.scene.message(first, 'missing-unconfirmed')).toContain(
      '1 person missing from the full read: not looked up',
    );
    const second = await hr.read(['d4']);
    expect([hr.asked.slice(1).flat(), second.kinds]).toEqual([
      ['a1', 'b2'],
      { a1: 'disable held', b2: 'disable held' },
    ]);
    expect(await misses(hr, 'c3')).toBeUndefined();
  });

  it.each<[string, Partial<DecisionRecord>, readonly string[]]>([
    ['disable', { rule: 'missing-disable' }, ['c3', 'b2']],
    ['removal', { rule: 'missing-remove' }, ['c3', 'b2']],
    ['disable for another reason', { rule: 'leaver-disable' }, ['a1', 'b2']],
    ['disable that has ended', { rule: 'missing-disable', endedAt: 1 }, ['a1', 'b2']],
    ['disable that waits', { rule: 'missing-disable', state: 'open' }, ['a1', 'b2']],
  ])('get their turns by what was decided about their %s', async (_, record, turns) => {
    const hr = await open(() => [], { settings });
    const of = (state: 'approved' | 'rejected') => [{ state, ...record } as DecisionRecord];
    const decided = new Map([
      ['a1', of('rejected')],
      ['c3', of('approved')],
    ]);
    Object.assign(hr.scene.store.decisions, { ofMany: async () => decided });
    await hr.read(['d4']);
    expect(hr.asked.flat()).toEqual(turns);
  });

  it('are asked for in smaller parts where an answer is not complete', async () => {
    const hr = await open((asked) => (asked.length > 1 ? 'incomplete' : []));
    await hr.read(['d4']);
    expect(hr.asked.map((names) => names.join(' '))).toEqual(['a1 b2 c3', 'a1 b2', 'a1', 'b2', 'c3']);
    expect(await Promise.all(['a1', 'b2', 'c3'].map((name) => misses(hr, name)))).toEqual([1, 1, 1]);
  });

  it('are not asked for after six refusals', async () => {
    const many = Array.from({ length: 20 }, (_, i) => `p${i + 10}`);
    const hr = await open((asked) => (asked.includes('p10') ? [row('p10')] : refused), {}, many);
    await hr.read(['p10']);
    expect(hr.asked.filter((names) => !names.includes('p10'))).toHaveLength(6);
  });

  it('do not hide behind one whom the source protects', async () => {
    const hr = await open((asked) => (asked.includes('b2') ? refused : []));
    await hr.read(['d4']);
    expect(await Promise.all(['a1', 'b2', 'c3'].map((name) => misses(hr, name)))).toEqual([1, undefined, 1]);
  });

  it('are not asked for again and again while the source does not answer', async () => {
    const many = Array.from({ length: 120 }, (_, i) => `p${String(i).padStart(3, '0')}`);
    const hr = await open(() => unavailable, { settings: guards({}) }, many);
    const planned = await hr.read(['p000']);
    expect(hr.asked).toHaveLength(1);
    expect(planned.findings.filter((text) => text.startsWith('missing-unconfirmed'))).toHaveLength(101);
  });
});
