import { describe, expect, it } from 'vitest';
import { parseLeaders } from '../../src/core/person/leaders.ts';
import type { Leaders } from '../../src/core/person/user.ts';
import type { LedgerEntry, LedgerLeaders } from '../../src/core/plan/ledger.ts';
import type { LeaderRule, SyncSettings } from '../../src/core/run/settings.ts';
import { rollingCheck } from '../../src/run/lead/decide-leaders.ts';
import { endRun, openRun, sampleEntry } from '../contracts/store-samples.ts';
import { someInstant as now } from '../support/fake-clock.ts';
import { plainSettings } from './plain-settings.ts';
import { account, only, openPlanScene, type Planned, type PlanScene, row } from './plan-scene.ts';

const plainRule = { kind: 'from', transform: [], format: undefined, whenEmpty: 'keep', by: 'identification' } as const;
const rule = (path: string, over: Partial<LeaderRule> = {}) =>
  ({ ...plainRule, path, takeOver: false, ...over }) as LeaderRule;
const mapped = (manager: Partial<LeaderRule> = {}, secondary: Partial<LeaderRule> = {}) => {
  const leaders = { manager: rule('boss', manager), secondary: [rule('second', secondary)] };
  return { mapping: { ...plainSettings.mapping, leaders } };
};
/** `ana | kim, leo`: the main leader, and the secondary ones. */
const list = (text = ''): Leaders => {
  const [main = '', secondary = ''] = text.split('|').map((part) => part.trim());
  return { main: main === '' ? undefined : main, secondary: parseLeaders(secondary) };
};
/** The ledger has these leaders as ours, and the same, or `shown`, as the platform's. */
const ours = (text: string, shown = text, over: Partial<LedgerLeaders> = {}): LedgerLeaders => {
  const { main, secondary } = list(text);
  return { ...(main === undefined ? {} : { main }), secondary, shown: list(shown), checkedAt: 1, ...over };
};
const waits = (value: string, since: number) =>
  ({ waits: [{ by: 'identification', value, of: 'mainLeader', since }] }) as const;

interface World {
  /** Whom the source names: see `list`. */
  readonly people: Readonly<Record<string, string>>;
  readonly shown?: Readonly<Record<string, string>>;
  /** What the ledger has of the leaders of some of them. The others have an entry without leaders. */
  readonly known?: Readonly<Record<string, LedgerLeaders>>;
  /** Entries of others, or instead. */
  readonly ledger?: readonly LedgerEntry[];
  /** People without an account. */
  readonly coming?: readonly string[];
  readonly rows?: Readonly<Record<string, object>>;
  readonly settings?: Partial<SyncSettings>;
}

/** A sync whose accounts are in order. */
async function open({ people, known = {}, shown = {}, coming = [], rows = {}, ...more }: World): Promise<PlanScene> {
  const records = Object.entries(people).map(([name, text]) => {
    const { main = '', secondary } = list(text);
    return row(name, { boss: main, second: secondary.join(), ...rows[name] });
  });
  const there = Object.keys(people).filter((name) => !coming.includes(name));
  const users = there.map((name) => account(name));
  const settings = { ...mapped(), ...more.settings };
  const scene = await openPlanScene({ records, users, settings, otherSyncs: ['guests'] });
  for (const [name, text] of Object.entries(shown)) scene.leaders.set(name, list(text));
  const owned = await openRun(scene.store, { id: 'run_0', sync: 'before' });
  const leadersOf = (name: string) => (known[name] === undefined ? {} : { leaders: known[name] });
  const entries = there.map((name) => sampleEntry(name, { accountId: `9${name}`, ...leadersOf(name) }));
  await scene.store.ledger.put(owned, [...entries, ...(more.ledger ?? [])]);
  await endRun(scene.store, owned);
  return scene;
}

/** `name kind main | secondary state` of each change of leaders; a state that is not `planned`. */
const leads = ({ changes }: Pick<Planned, 'changes'>) =>
  changes
    .filter(({ kind }) => kind === 'lead' || kind === 'unlead')
    .map(({ identification, kind, after, state }) => {
      const [main = '–', secondary = '–'] = [after.mainLeader, after.secondaryLeaders];
      return `${identification} ${kind} ${main} | ${secondary}${state === 'planned' ? '' : ` ${state}`}`;
    });
const knownOf = async ({ store }: PlanScene, name = 'eva') => (await store.ledger.get('acme', name))?.leaders;

describe('a plan about the leaders of eva', () => {
  const takeOver = { takeOver: true };
  const clear = mapped({ whenEmpty: 'clear' });
  const fresh = (text: string, shown = text, over = {}) => ours(text, shown, { checkedAt: now, ...over });

  it.each<
    [
      what: string,
      source: string,
      shown: string,
      known: LedgerLeaders | undefined,
      lead: string,
      after: object | undefined,
      over?: { settings?: Partial<SyncSettings>; found?: string[] },
    ]
  >([
    ['sets who is named', 'ana', '', undefined, 'lead ana | –', fresh('', '')],
    ['makes ours what is shown already', 'ana | kim', 'ana | kim', undefined, '', fresh('ana | kim')],
    [
      'leaves who was set by hand',
      'ana',
      'kim',
      undefined,
      '',
      fresh('', 'kim', { byHand: 'kim' }),
      { found: ['leader-by-hand eva'] },
    ],
    [
      'reports who was set by hand once',
      'ana',
      'kim',
      ours('', 'kim', { byHand: 'kim' }),
      '',
      fresh('', 'kim', { byHand: 'kim' }),
    ],
    [
      'takes over a main leader',
      'ana | kim',
      'kim | leo',
      undefined,
      'lead ana | kim, leo',
      fresh('', 'kim | leo'),
      { settings: mapped(takeOver) },
    ],
    [
      'takes over secondary leaders',
      '| ana',
      '| kim',
      undefined,
      'lead – | ana',
      fresh('', '| kim'),
      { settings: mapped({}, takeOver) },
    ],
    [
      'keeps secondary leaders beside a main one',
      '| ana',
      '| kim',
      undefined,
      'lead – | ana, kim',
      fresh('', '| kim'),
      { settings: mapped(takeOver) },
    ],
    [
      'takes away ours for a blank that clears',
      '',
      'ana',
      ours('ana'),
      'unlead  | –',
      fresh('ana'),
      { settings: clear },
    ],
    ['keeps ours for another blank', '', 'ana', ours('ana'), '', ours('ana')],
    [
      'makes no change that the policy forbids',
      '',
      'ana',
      ours('ana'),
      '',
      fresh('ana'),
      { settings: { ...clear, policy: 'upsert-only' } },
    ],
    ['writes down who waits', 'nobody', '', ours(''), '', ours('', '', waits('nobody', now))],
    [
      'keeps since when one waits',
      'nobody',
      '',
      ours('', '', waits('nobody', 5)),
      '',
      ours('', '', waits('nobody', 5)),
      { found: ['leader-waits eva'] },
    ],
    [
      'writes down who waits without a list',
      'nobody',
      '',
      undefined,
      '',
      { secondary: [], checkedAt: 0, ...waits('nobody', now) },
    ],
    ['forgets who waited', '', '', ours('', '', waits('ana', 5)), '', ours('')],
    ['sets the leader of another sync', 'other', '', undefined, 'lead other | –', fresh('', '')],
    ['leaves who leads themselves', 'eva', '', undefined, '', undefined, { found: ['leader-self eva'] }],
    ['goes by the list that is read again', 'ana', 'ana', ours('kim'), '', fresh('ana')],
    ['reads no list without a statement', '', 'ana', undefined, '', undefined],
    ['is none by an outbox', 'ana', '', undefined, '', undefined, { settings: { delivery: 'outbox' } }],
    [
      'is none without a mapping',
      'ana',
      '',
      undefined,
      '',
      undefined,
      { settings: { mapping: plainSettings.mapping } },
    ],
  ])('%s', async (_, ...line) => {
    const [eva, shown, known, lead, after, { settings = {}, found = [] } = {}] = line;
    const scene = await open({
      people: { ana: '', eva, kim: '', leo: '' },
      shown: { eva: shown },
      ...(known === undefined ? {} : { known: { eva: known } }),
      ledger: [sampleEntry('other', { owner: 'guests' })],
      settings,
    });
    const plan = await scene.plan();
    expect([leads(plan), plan.findings]).toEqual([lead === '' ? [] : [`eva ${lead}`], found]);
    expect(await knownOf(scene)).toEqual(after);
    const isListed = after !== undefined && 'checkedAt' in after && after.checkedAt === now;
    expect(scene.listed.filter((name) => name === 'eva')).toEqual(isListed ? ['eva'] : []);
  });
});

describe('the people of whom a plan decides leaders', () => {
  it.each<[what: string, world: World, leads: readonly string[], listed: readonly string[], found?: readonly string[]]>(
    [
      [
        'are those who get an account, without a list',
        { people: { ana: '', eva: 'ana' }, coming: ['eva'] },
        ['eva lead ana | –'],
        [],
      ],
      ['are no leavers', { people: { ana: '', eva: 'ana' }, rows: { eva: { status: 'left' } } }, [], []],
      [
        'are none in a conflict',
        { people: { ana: '', eva: 'ana', EVA: 'ana' }, coming: ['EVA'] },
        [],
        [],
        ['case-conflict EVA'],
      ],
      [
        'are none of another sync',
        { people: { ana: '', eva: 'ana' }, ledger: [sampleEntry('eva', { accountId: '9eva', owner: 'guests' })] },
        [],
        [],
        ['owned-by-other-sync eva'],
      ],
      [
        'keep the main leader in a circle',
        { people: { ana: 'eva', eva: 'ana | kim', kim: 'ana' } },
        ['eva lead – | kim', 'kim lead ana | –'],
        ['eva', 'kim'],
        ['leader-cycle ana'],
      ],
      [
        'are in a circle with a leader who stays',
        { people: { ana: 'eva', eva: '' }, known: { eva: ours('ana') } },
        [],
        [],
        ['leader-cycle ana'],
      ],
      [
        'have leaders by e-mail',
        { people: { ana: '', eva: 'a@x.com' }, rows: { ana: { email: 'a@x.com' } }, settings: mapped({ by: 'email' }) },
        ['eva lead ana | –'],
        ['eva'],
      ],
    ],
  )('%s', async (_, ...line) => {
    const [world, changes, listed, found = []] = line;
    const scene = await open(world);
    const plan = await scene.plan();
    expect([leads(plan), scene.listed, plan.findings]).toEqual([changes, listed, found]);
  });

  it('are read again in full runs, the longest unchecked first', async () => {
    const names = Array.from({ length: rollingCheck + 2 }, (_, i) => `p${1000 + i}`);
    const people = Object.fromEntries([['ana', ''], ...names.map((name) => [name, 'ana'])]);
    const known = Object.fromEntries(names.map((name, i) => [name, ours('ana', 'ana', { checkedAt: 9000 - i })]));
    const scene = await open({ people, known, shown: Object.fromEntries(names.map((name) => [name, 'ana'])) });
    expect(leads(await scene.plan())).toEqual([]);
    expect(scene.listed).toEqual(names.slice(2).reverse());
    expect([await knownOf(scene, 'p1001'), await knownOf(scene, 'p1002')]).toEqual([
      ours('ana', 'ana', { checkedAt: 8999 }),
      ours('ana', 'ana', { checkedAt: now }),
    ]);
  });

  it('are asked about again in the next full run where one of a new account waits', async () => {
    const of = async (eva: string) => (await (await open({ people: { eva }, coming: ['eva'] })).plan()).plan.facts;
    expect([(await of('nobody')).needsFull, (await of('')).needsFull]).toEqual([true, undefined]);
  });
});

describe('a run about named people', () => {
  const people = { ana: '', eva: 'kim', kim: 'ana', leo: 'kim' };
  const named = async (known: World['known'], over: Partial<World>, ...names: string[]) => {
    const scene = await open({ people, ...(known && { known }), ...over });
    const plan = await scene.plan(only(...names));
    return [leads(plan), scene.listed, plan.findings];
  };

  it('reads only the lists that are not known', async () => {
    expect(await named({ eva: ours('') }, {}, 'eva')).toEqual([['eva lead kim | –'], [], []]);
    expect(await named({}, {}, 'eva')).toEqual([['eva lead kim | –'], ['eva'], []]);
  });

  it('closes no circle through people whom the ledger knows', async () => {
    const known = { kim: ours('ana'), ana: ours('leo'), leo: ours('eva') };
    expect(await named(known, {}, 'eva')).toEqual([[], [], ['leader-cycle eva']]);
    expect(await named({ kim: ours('ana'), ana: ours('ana') }, {}, 'eva')).toEqual([['eva lead kim | –'], ['eva'], []]);
    expect(await named(known, {}, 'eva', 'leo')).toEqual([['eva lead kim | –'], ['eva'], ['leader-cycle leo']]);
  });
});

describe('a list that cannot be read', () => {
  const unclear = { found: 'unclear', reason: 'no answer' } as const;

  it('changes nothing, is reported, and is read by the next run', async () => {
    const scene = await open({ people: { ana: '', eva: 'ana', kim: 'ana' }, known: { eva: ours('') } });
    scene.script.list = () => unclear;
    const plan = await scene.plan();
    expect([leads(plan), plan.findings]).toEqual([[], ['leaders-unclear eva', 'leaders-unclear kim']]);
    expect(scene.message(plan, 'leaders-unclear')).toBe('no leader is changed: no answer');
    expect([await knownOf(scene), await knownOf(scene, 'kim')]).toEqual([{ secondary: [], checkedAt: 1 }, undefined]);
  });

  it.each([
    ['none', 50],
    ['p49', 100],
  ])('is not asked for after fifty in a row: only %s can be read', async (readable, count) => {
    const names = Array.from({ length: 101 }, (_, i) => `p${i}`);
    const scene = await open({ people: Object.fromEntries([['ana', ''], ...names.map((name) => [name, 'ana'])]) });
    scene.script.list = (name) => (name === readable ? undefined : unclear);
    const plan = await scene.plan();
    expect([scene.listed.length, leads(plan).length]).toEqual([count, count === 50 ? 0 : 1]);
    const reasons = plan.plan.findings.map(({ message }) => message.replace('no leader is changed: ', ''));
    const hopeless = 'none of the last 50 lists could be read, so this one was not requested';
    expect(reasons.filter((reason) => reason === hopeless)).toHaveLength(101 - count);
  });
});
