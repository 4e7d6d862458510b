import { describe, expect, it } from 'vitest';
import type { Leaders } from '../../src/core/person/fields.ts';
import { parseLeaders } from '../../src/core/person/leaders.ts';
import type { LedgerEntry, LedgerLeaders } from '../../src/core/plan/ledger.ts';
import type { FieldRule, LeaderRule, SyncSettings } from '../../src/core/run/settings.ts';
import { rollingCheck } from '../../src/run/lead/survey.ts';
import { explain } from '../../src/run/why.ts';
import { approve, decided, endRun, openRun, reject, sampleEntry } from '../contracts/store-samples.ts';
import { someInstant as now } from '../support/fake-clock.ts';
import { compilePlainMapping, configured, plainSettings } from './plain-settings.ts';
import {
  account,
  guards,
  only,
  openPlanScene,
  type Planned,
  type PlanScene,
  type PlanSceneOptions,
  row,
} from './plan-scene.ts';

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
const deltas = { fullEveryMs: 86_400_000, overlapMs: 60_000 };
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
  readonly capabilities?: PlanSceneOptions['capabilities'];
}

/** A sync whose accounts are in order. */
async function open({ people, known = {}, shown = {}, coming = [], rows = {}, ...more }: World): Promise<PlanScene> {
  const records = Object.entries(people).map(([name, text]) => {
    const { main = '', secondary } = list(text);
    return row(name, { boss: main, second: secondary.join(), ...rows[name] });
  });
  const there = Object.keys(people).filter((name) => !coming.includes(name));
  const users = there.map((name) => account(name));
  const settings = { ...mapped(), deltas, ...more.settings };
  const { capabilities = {} } = more;
  const scene = await openPlanScene({ records, users, settings, capabilities, otherSyncs: ['guests'] });
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
  const two = { secondary: [rule('second'), rule('second', takeOver)] };
  const oneOfTwo = { mapping: { ...plainSettings.mapping, leaders: two } };
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
    [
      'takes over a main leader',
      'ana | kim',
      'kim | leo',
      undefined,
      'lead ana | kim, leo',
      fresh('', 'kim | leo'),
      { settings: mapped(takeOver) },
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
    [
      'leaves who was set by hand beside a change',
      'ana | kim',
      'leo',
      undefined,
      'lead – | kim',
      fresh('', 'leo', { byHand: 'leo' }),
      { found: ['leader-by-hand eva'] },
    ],
    [
      'takes over by one of two rules, without a main leader',
      '| ana',
      '| kim',
      undefined,
      'lead – | ana',
      fresh('', '| kim'),
      { settings: oneOfTwo },
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
      [
        'are in no circle through one who left',
        {
          people: { ana: 'eva', eva: '' },
          rows: { eva: { status: 'left' } },
          known: { ana: ours('eva'), eva: ours('ana') },
        },
        [],
        [],
        ['leader-left eva'],
      ],
    ],
  )('%s', async (_, ...line) => {
    const [world, changes, listed, found = []] = line;
    const scene = await open(world);
    const plan = await scene.plan();
    expect([leads(plan), scene.listed, plan.findings]).toEqual([changes, listed, found]);
  });

  it('are known again in their lists after they were forgotten', async () => {
    const known = { eva: ours('ana | kim'), leo: ours('', 'ana') };
    const people = { eva: 'kim | kim', kim: '', leo: 'kim' };
    const scene = await open({ people, known, shown: { eva: 'ana | kim', leo: 'ana' }, ledger: [sampleEntry('ana')] });
    await scene.store.people.forget('ana', now);
    expect((await knownOf(scene))?.main).toMatch(/^forgotten:/);
    const plan = await scene.plan();
    expect([leads(plan), plan.findings]).toEqual([['eva lead kim | –'], ['leader-by-hand leo']]);
    expect((await knownOf(scene))?.main).toBe('ana');
  });

  it('are those of a preview, which has no entries yet', async () => {
    const users = ['ana', 'eva', 'kim'].map((name) => account(name));
    const records = [row('ana'), row('eva', { boss: 'ana' }), row('kim')];
    expect(leads(await (await openPlanScene({ records, users, settings: mapped() })).show())).toEqual([
      'eva lead ana | –',
    ]);
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
    const of = async (eva: string, ledger: readonly LedgerEntry[] = []) =>
      (await (await open({ people: { eva }, coming: ['eva'], ledger })).plan()).plan.facts.needsFull;
    const removed = sampleEntry('eva', { removed: { at: 1, blacklist: false } });
    expect([await of('nobody'), await of('nobody', [removed]), await of('')]).toEqual([true, true, false]);
  });
});

describe('a run that reads some people', () => {
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

  it('writes down who is ours by now', async () => {
    const scene = await open({ people: { ...people, eva: 'ana' }, known: { eva: ours('', 'ana') } });
    await scene.plan(only('eva'));
    expect([scene.listed, await knownOf(scene)]).toEqual([[], ours('ana')]);
  });

  it('is none of them where it reads who changed, and it says so', async () => {
    const scene = await open({
      people: { ana: '', eva: 'ana', kim: 'nobody' },
      known: { eva: ours('ana') },
      shown: { eva: 'ana' },
    });
    await scene.run();
    const listed = scene.listed.length;
    scene.source.changed = scene.source.records.filter(({ fields }) => fields.id !== 'kim');
    expect([leads(await scene.plan()), scene.listed.slice(listed)]).toEqual([[], []]);
    const circle = [row('ana', { boss: 'eva' }), row('eva', { boss: 'ana' })];
    scene.source.changed = circle;
    expect((await scene.plan()).findings).toEqual(['leader-cycle ana']);
    scene.source.changed = [...scene.source.records, row('nobody')];
    expect(leads(await scene.plan())).toEqual(['kim lead nobody | –']);
  });

  it.each([true, false])(
    'explains all that waits, without the lists of others; by a read of one: %s',
    async (point) => {
      const known = { eva: ours(''), kim: ours('ana') };
      const scene = await open({ people: { ana: '', eva: 'nobody', kim: 'ana' }, known, capabilities: { point } });
      const { decision, findings } = await explain('eva', scene.sync, scene.io, scene.stopping.signal);
      const codes = findings.map(({ code }) => code);
      expect([decision === undefined, codes, scene.listed]).toEqual([false, ['leader-waits'], []]);
    },
  );

  it.each(['ana', 'eva', 'kim'])(
    'explains a circle as the whole run decides it, for each of its people: %s',
    async (name) => {
      const known = { ana: ours(''), eva: ours(''), kim: ours('') };
      const scene = await open({ people: { ana: 'eva', eva: 'kim', kim: 'ana' }, known });
      const { leaders: change, findings } = await explain(name, scene.sync, scene.io, scene.stopping.signal);
      expect([change, findings.map(({ code }) => code)]).toEqual([undefined, ['leader-cycle']]);
    },
  );

  it('closes no circle through people whom the ledger knows', async () => {
    const known = { kim: ours('ana'), ana: ours('leo'), leo: ours('eva') };
    expect(await named(known, {}, 'eva')).toEqual([[], [], ['leader-cycle eva']]);
    expect(await named({ kim: ours('gone') }, {}, 'eva')).toEqual([['eva lead kim | –'], ['eva'], []]);
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

describe('what people decided about leaders', () => {
  const none = { absolute: 0, percent: 0, cap: undefined };
  /** A plan whose changes of leaders are all held, and the changes. */
  async function openHeld() {
    const scene = await open({ people: { ana: '', eva: 'ana | kim', kim: '' }, settings: guards({ leads: none }) });
    const plan = await scene.plan();
    expect([leads(plan), plan.run.plan?.rejected]).toEqual([['eva lead ana | kim held'], 0]);
    expect(plan.changes[0]?.before?.fields).toEqual({ ...account('').fields, mainLeader: '', secondaryLeaders: '' });
    return { scene, made: plan.changes.filter(({ kind }) => kind === 'lead') };
  }
  const next = async (scene: PlanScene, boss = 'ana', second = 'kim') => {
    scene.source.records = [row('ana'), row('eva', { boss, second }), row('kim')];
    return scene.plan();
  };

  it('lets an approved change go', async () => {
    const { scene, made } = await openHeld();
    await approve(scene.store, made, { at: scene.clock.now() });
    expect(leads(await next(scene))).toEqual(['eva lead ana | kim']);
  });

  it.each([
    ['', ''],
    ['kim', ''],
  ])('keeps a rejected change away until the source names others: %j', async (...others) => {
    const { scene, made } = await openHeld();
    await reject(scene.store, made);
    const again = await next(scene);
    expect([leads(again), again.run.plan?.rejected]).toEqual([['eva lead ana | kim dropped'], 1]);
    // Who waits, who is in a circle and who is named as their own leader was not decided.
    for (const boss of ['nobody', 'nobody', 'eva', 'eva']) await next(scene, boss, '');
    scene.source.records = [row('ana', { boss: 'eva' }), row('eva', { boss: 'ana' }), row('kim')];
    expect((await scene.plan()).findings).toContain('leader-cycle ana');
    expect(leads(await next(scene))).toEqual(['eva lead ana | kim dropped']);
    await next(scene, ...others);
    expect(leads(await next(scene))).toEqual(['eva lead ana | kim held']);
  });

  it('leaves a rejected leader out of the change, who is not ours after it', async () => {
    const { scene, made } = await openHeld();
    await reject(
      scene.store,
      made.map((one) => ({ ...one, changed: ['secondaryLeaders'] })),
    );
    const { changes, ...plan } = await next(scene);
    expect([leads({ changes }), plan.run.plan?.rejected]).toEqual([['eva lead ana | – held'], 0]);
    expect(changes[0]?.before?.leaders).toMatchObject({ main: 'ana', secondary: [], shown: list('ana') });
  });

  it.each(['left out', 'undone'])('holds what was left out, and counts no undo: %s', async (what) => {
    const { scene, made } = await openHeld();
    Object.assign(scene.sync, { settings: { ...scene.sync.settings, ...guards({}) } });
    if (what === 'undone')
      await reject(
        scene.store,
        made.map((one) => ({ ...one, rule: 'undo-leaders' })),
      );
    else await scene.store.decisions.leaveOut('people', decided(made), { by: 'ana', at: scene.clock.now() });
    const plan = await next(scene);
    const holds = plan.plan.verdict?.holds.map((hold) => hold.class);
    expect([leads(plan), holds]).toEqual(
      what === 'undone' ? [['eva lead ana | kim'], []] : [['eva lead ana | kim held'], ['leads']],
    );
  });

  it('puts back what an undone run made, where that is not rejected', async () => {
    const scene = await open({ people: { ana: '', eva: 'ana', kim: '' } });
    const { run } = await scene.run();
    const undo = { kind: 'users', identifications: ['eva'], undoes: { run: run.id, by: 'ana' } } as const;
    const back = await scene.plan(undo);
    expect([leads(back), back.findings]).toEqual([['eva unlead  | –'], []]);
    await reject(scene.store, back.changes);
    expect(leads(await scene.plan(undo))).toEqual(['eva unlead  | – dropped']);
    scene.leaders.delete('eva');
    expect(leads(await scene.plan(undo))).toEqual([]);
  });
});

describe('an edit of the mapping of leaders', () => {
  /** Changes the configuration, and the rows of the source. */
  const edit = (scene: PlanScene, settings: Partial<SyncSettings>, ...rows: ReturnType<typeof row>[]) => {
    const all = { ...scene.sync.settings, ...settings };
    Object.assign(scene.sync, { settings: all, mapping: compilePlainMapping(all), ...configured(all) });
    const names = rows.map(({ fields }) => fields.id);
    scene.source.records = [...scene.source.records.filter(({ fields }) => !names.includes(fields.id)), ...rows];
  };
  const told = ({ changes, run }: Planned) => [
    changes.map(({ identification, classes }) => `${identification} ${classes.join()}`),
    run.plan?.edit,
  ];

  it('is told from what changes anyway, and from what is rejected', async () => {
    const people = { ana: '', eva: 'ana', kim: 'ana', leo: '', max: 'ana' };
    const rows = { eva: { chief: 'leo' }, kim: { chief: 'leo' }, max: { chief: 'ana' } };
    const scene = await open({ people, rows, shown: { eva: 'ana', kim: 'ana', max: 'ana' } });
    await scene.run();
    edit(scene, mapped({ path: 'chief' }), row('kim', { boss: 'leo', chief: 'leo' }));
    const plan = await scene.plan();
    const fact = { people: 1, parts: { lead: 1 }, classes: { leads: 1 }, keys: ['mapping.manager'] };
    expect(told(plan)).toEqual([['eva configuration,leads', 'kim leads'], fact]);
    await reject(scene.store, plan.changes);
    expect((await scene.plan()).run.plan?.edit).toBeUndefined();
  });

  it.each<[string, before: Partial<SyncSettings>, row: Readonly<Record<string, string>>, edited: boolean]>([
    ['secondary leaders too', mapped(), { boss: '', second: 'kim' }, false],
    ['a blank that clears', mapped({ whenEmpty: 'clear' }), { boss: '' }, false],
    ['a blank that cleared nothing', mapped(), { boss: '' }, true],
    ['who is named the same, by what was taken over before', mapped({ takeOver: true }), { boss: 'kim' }, false],
    ['an earlier policy', { ...mapped({ whenEmpty: 'clear' }), policy: 'upsert-only' }, { boss: '' }, true],
  ])('compares %s', async (_, before, over, isEdited) => {
    const people = { ana: '', eva: 'ana', kim: '' };
    const scene = await open({ people, shown: { eva: 'ana' }, settings: before });
    await scene.run();
    const clear = 'boss' in over && over.boss === '' && !('second' in over);
    edit(
      scene,
      { ...mapped(clear ? { whenEmpty: 'clear' } : {}), policy: 'sync', scope: "type != 'x'" },
      row('eva', over),
    );
    const [changes] = told(await scene.plan());
    expect(changes).toEqual([isEdited ? 'eva configuration,unleads' : expect.stringMatching(/^eva (un)?leads$/)]);
  });

  it('is all of it where the mapping named no leaders before, or not the person', async () => {
    const scene = await open({ people: { ana: '', eva: 'ana' }, settings: { mapping: plainSettings.mapping } });
    await scene.run();
    edit(scene, mapped(), row('kim', { boss: 'ana' }));
    const [changes] = told(await scene.plan());
    expect(changes).toEqual(['eva configuration,leads', 'kim creates', 'kim configuration,leads']);
  });

  it('is all of it for a person of whom the mapping made another one before', async () => {
    const people = { ana: '', eva: 'ana', eva9: 'ana' };
    const rows = { ana: { code: 'ana' }, eva: { code: 'eva9' }, eva9: { code: '' } };
    const scene = await open({ people, rows, settings: { mapping: plainSettings.mapping } });
    await scene.run();
    scene.source.records = scene.source.records.filter(({ fields }) => fields.code !== '');
    const { mapping } = mapped();
    edit(scene, { mapping: { ...mapping, identification: { ...mapping.identification, path: 'code' } as FieldRule } });
    expect(told(await scene.plan())[0]).toEqual(['eva9 configuration,leads']);
  });

  it.each([
    [{ email: 'k@x.com' }, undefined],
    [{ email: 'other@x.com' }, 1],
  ])('is none where the e-mail named the same leader before: %j', async (kim, people) => {
    const rows = { ana: { email: 'a@x.com' }, kim, eva: { mail: 'a@x.com' } };
    const settings = mapped({ path: 'mail', by: 'email' });
    const scene = await open({ people: { ana: '', eva: 'ana', kim: '' }, rows, shown: { eva: 'ana' }, settings });
    await scene.run();
    edit(scene, mapped(), row('eva', { boss: 'kim', mail: 'k@x.com' }));
    const plan = await scene.plan();
    expect([leads(plan), plan.run.plan?.edit?.people]).toEqual([['eva lead kim | –'], people]);
  });
});
