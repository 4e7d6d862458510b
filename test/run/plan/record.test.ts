import { describe, expect, it } from 'vitest';
import type { PlanWork } from '../../../src/run/plan-job.ts';
import { type RecordInput, record } from '../../../src/run/record/record.ts';

/** What a step told the recorder: the call, and what it was given. */
type Told = readonly [call: string, ...given: unknown[]];

interface Steps {
  readonly judged?: object;
  readonly verdict?: object;
  readonly snapshot?: object;
  readonly read?: object;
  readonly baseline?: object;
  readonly edit?: object;
  readonly tally?: object;
  readonly unresolved?: number;
  readonly misses?: readonly number[];
  readonly instead?: readonly number[];
  readonly takenLater?: readonly number[];
  readonly blocked?: object;
  readonly rows?: number;
  /** What the spool has, by place. */
  readonly spool?: readonly unknown[];
  readonly replaced?: number;
  readonly taken?: readonly string[];
  readonly states?: Readonly<Record<string, string>>;
  readonly waits?: readonly (readonly [claimant: string, holder: string])[];
  readonly keptEmails?: readonly string[];
}

const held = (name: string) => ({ sync: 'people', class: name, reason: 'too many', count: 2 });
const counts = (people: number) => ({ people, parts: new Map(), classes: new Map(), examples: [] });

/** Records a full, accepted read that proves absence, but for what is given. Returns what was told to the recorder. */
async function recorded(steps: Steps): Promise<{ told: readonly Told[]; findings: readonly unknown[] }> {
  const told: Told[] = [];
  const findings: unknown[] = [];
  const tell =
    <Result>(call: string, result: Result) =>
    async (...given: unknown[]): Promise<Result> => {
      told.push([call, ...given]);
      return result;
    };
  const recorder = {
    ...{ ledger: tell('ledger', undefined), decisions: tell('decisions', undefined), read: tell('read', undefined) },
    ...{ setAside: tell('setAside', undefined), applyApprovals: tell('applyApprovals', undefined) },
    configuration: tell('configuration', undefined),
    replaceHeld: tell('replaceHeld', steps.replaced ?? 0),
    takeOver: tell('takeOver', new Set(steps.taken)),
    async hold({ holds, fields }: { readonly holds: readonly { readonly class: string }[]; fields: unknown }) {
      told.push(['hold', holds.map((one) => one.class), fields]);
      return holds.map(() => 2);
    },
  };
  const differing = { changed: counts(0), coming: counts(0), rejected: 0, givenBack: 0, ...steps.tally };
  const edit = steps.edit === undefined ? {} : { edit: { isReverted: false, ...steps.edit } };
  const { instead = [], takenLater = [], misses = [], keptEmails = [] } = steps;
  const work = {
    ...{
      recorder,
      index: 'index',
      sync: { settings: { name: 'people' } },
      baseline: { accepted: {}, ...steps.baseline },
    },
    spool: { read: (place: number) => JSON.stringify(steps.spool?.[place]) },
    findings: { find: (one: unknown) => findings.push(one) },
    blocked: { counts: () => steps.blocked ?? {}, rows: () => steps.rows ?? 0 },
    ...edit,
  } as unknown as PlanWork;
  const input = {
    read: {
      snapshot: { kind: 'full', rows: 5, missing: { stamp: 's1' }, ...steps.snapshot },
      ...{ fillRates: {}, visibility: {}, cells: {}, filled: 4, ...steps.read },
    },
    compared: { unresolved: { blocked: new Map(Array.from({ length: steps.unresolved ?? 0 }, (_, i) => [i, {}])) } },
    decided: { waits: new Map(steps.waits), keptEmails, misses, instead, takenLater, differing },
    judged: {
      ...{ excess: [], isAccepted: true, verdict: { holds: [], fields: [], areMissesHeld: false, ...steps.verdict } },
      ...steps.judged,
    },
  } as unknown as RecordInput;
  const plans = {
    getMany: async () =>
      Object.entries(steps.states ?? {}).map(([identification, state]) => ({ identification, state })),
  };
  Object.assign(plans, { page: plans.getMany });
  const io = { clock: { now: () => 7 }, checkpoint: () => {}, logger: { warn: () => {} }, store: { plans } };
  await record(work, input, io as never);
  return { told, findings };
}

const callsOf = async (steps: Steps, ...calls: readonly string[]) =>
  (await recorded(steps)).told.filter(([call]) => calls.includes(call));

describe('the configuration of a sync', () => {
  const edit = {};
  const one = { changed: counts(1) };
  const accepted = { kind: 'accepted' };
  const measured = (isOpen: boolean, isHeld = false) => ({ kind: 'measured', isOpen, isHeld });
  const configuration = { holds: [held('creates'), held('configuration')] };

  it.each<[what: string, steps: Steps, found: object | undefined]>([
    ['none before', { baseline: { accepted: undefined } }, accepted],
    ['a doubted read', { baseline: { accepted: undefined }, judged: { isAccepted: false } }, undefined],
    ['a few people', { baseline: { accepted: undefined }, read: { focus: ['ana'] } }, undefined],
    ['a delta', { baseline: { accepted: undefined }, snapshot: { kind: 'delta' } }, undefined],
    ['no proof', { baseline: { accepted: undefined }, snapshot: { missing: undefined } }, undefined],
    ['no edit', {}, undefined],
    ['an edit that changes no one', { edit }, accepted],
    ['an edit that changes no one and was rejected', { edit, tally: { rejected: 1 } }, measured(true)],
    ['an edit that changes one', { edit, tally: one }, measured(false)],
    ['an edit that gives to one who comes', { edit, tally: { coming: counts(1) } }, measured(false)],
    ['an edit that is held', { edit, tally: one, verdict: configuration }, measured(true, true)],
    ['values that are not given back', { edit, tally: { givenBack: 1 } }, measured(true)],
    ['unknown outcomes', { edit, tally: { rejected: 1 }, unresolved: 1 }, measured(true)],
    ['an edit that was taken back', { edit: { isReverted: true }, tally: one }, undefined],
  ])('%s', async (_, steps, found) => {
    expect(await callsOf(steps, 'configuration')).toEqual(found === undefined ? [] : [['configuration', found]]);
  });
});

describe('what the guards stop', () => {
  const both = { excess: [held('creates'), held('configuration')] };
  const calls = ['hold', 'replaceHeld', 'applyApprovals'];
  const withInstead = {
    edit: {},
    instead: [0, 1],
    spool: [{ identification: 'ana' }, { identification: 'eva' }],
  };
  const replaced = ['replaceHeld', withInstead.spool];
  const holds = [['hold', ['configuration'], []], replaced, ['hold', ['creates'], ['area']]];

  it.each<[what: string, steps: Steps, told: readonly unknown[]]>([
    ['first of an edit', { judged: both, verdict: { fields: ['area'] }, ...withInstead }, holds],
    [
      'and approved instead',
      { judged: both, verdict: { fields: ['area'] }, ...withInstead, replaced: 1 },
      [...holds.slice(0, 2), ['applyApprovals'], holds[2]],
    ],
    [
      'and nothing instead of what no edit makes',
      { judged: { excess: [held('creates')] }, ...withInstead },
      [
        ['hold', [], []],
        ['hold', ['creates'], []],
      ],
    ],
  ])('is held: %s', async (_, steps, told) => {
    expect(await callsOf(steps, ...calls)).toEqual(told);
  });
});

describe('users whom only an edited configuration takes over', () => {
  const finding = (name: string) => ({ code: 'handed-over', identification: name });
  const spool = ['ana', 'eva', 'leo', 'mia'].map((identification) => ({
    identification,
    finding: finding(identification),
  }));
  const steps = { takenLater: [0, 1, 2, 3], spool, states: { eva: 'planned', leo: 'held' } };
  const lost = (...names: readonly string[]) => [
    'setAside',
    names,
    { state: 'dropped', reason: 'another sync has taken the user over since' },
  ];

  it.each<[what: string, steps: Steps, ready: readonly number[]]>([
    ['with their change, or with an edit that passes', { ...steps, edit: {} }, [0, 1, 3]],
    ['of a delta only with their change', { ...steps, edit: {}, snapshot: { kind: 'delta' } }, [1]],
    [
      'of a delta, where the edit passed',
      { ...steps, edit: { measured: { isHeld: false } }, snapshot: { kind: 'delta' } },
      [0, 1, 3],
    ],
    [
      'of a delta, where the edit is held',
      { ...steps, edit: { measured: { isHeld: true } }, snapshot: { kind: 'delta' } },
      [1],
    ],
    [
      'with their change alone while the edit is held',
      { ...steps, edit: {}, verdict: { holds: [held('configuration')] } },
      [1],
    ],
  ])('become ours %s', async (_, given, ready) => {
    const { told, findings } = await recorded({ ...given, taken: ['eva'] });
    expect(told.filter(([call]) => call === 'takeOver')).toEqual([['takeOver', ready.map((i) => spool[i])]]);
    const others = ready.flatMap((i) => spool[i]?.identification ?? []).filter((name) => name !== 'eva');
    expect(told.filter(([call]) => call === 'setAside')).toEqual([lost(...others)]);
    expect(findings.slice(0, 1)).toEqual([finding('eva')]);
  });
});

describe('a change that takes over an e-mail', () => {
  const waits = [
    ['eva', 'ana'],
    ['leo', 'eva'],
    ['tom', 'mia'],
  ] as const;
  const names = ['ana', 'eva', 'leo'];

  it.each<[what: string, steps: Steps, isHeld: boolean, stopped: readonly string[]]>([
    ['held', { states: { ana: 'held', zoe: 'held' } }, true, ['eva', 'leo']],
    ['rejected', { states: { ana: 'dropped' } }, false, ['eva', 'leo']],
    ['rejected with the e-mail that it would free', { keptEmails: ['ana'] }, false, ['eva', 'leo']],
    ['held in the middle', { states: { eva: 'held' } }, true, ['leo']],
  ])('waits where the change before it is %s', async (_, steps, isHeld, stopped) => {
    const { told, findings } = await recorded({ ...steps, waits });
    const [state, what, code] = isHeld ? ['held', 'held', 'held'] : ['dropped', 'rejected', 'email-conflict'];
    const both = stopped.map((name) => {
      const holder = names[names.indexOf(name) - 1];
      const reason = `${what} with the change of ${holder}, whose e-mail it takes over`;
      const message = `${name} takes over the e-mail of ${holder}, whose change is ${what}: both wait`;
      return [['setAside', [name], { state, reason }], { code, identification: name, message }] as const;
    });
    expect(told.filter(([call]) => call === 'setAside')).toEqual(both.map(([aside]) => aside));
    expect(findings).toEqual(both.map(([, finding]) => finding));
  });
});

describe('a read', () => {
  const [people] = [{ identification: 'ana' }];

  it.each<[what: string, steps: Steps, isCounted: boolean]>([
    ['that proves it', {}, true],
    ['that proves none', { snapshot: { missing: undefined } }, false],
    ['whose absences are held', { verdict: { areMissesHeld: true } }, false],
  ])('%s counts an absence: %s', async (_, steps, isCounted) => {
    const told = await callsOf({ ...steps, misses: [0], spool: [people] }, 'ledger');
    expect(told).toEqual(isCounted ? [['ledger', [people]]] : []);
  });

  it.each([true, false])('that is accepted (%s) proves absence, and ends decisions', async (isAccepted) => {
    const told = await recorded({ judged: { isAccepted } });
    const [read, decisions] = told.told.filter(([call]) => call === 'read' || call === 'decisions');
    expect(read?.[3]).toEqual(isAccepted ? { stamp: 's1' } : undefined);
    expect(decisions?.[1]).toMatchObject({ isDoubted: !isAccepted, now: 7 });
  });

  it.each<[what: string, steps: Steps, stored: object]>([
    ['without a blocked person', {}, { filled: 4 }],
    ['with as many rows as people', { blocked: { conflict: 2 }, rows: 2 }, { conflict: 2, filled: 4 }],
    ['with more rows than people', { blocked: { conflict: 2 }, rows: 3 }, { conflict: 2, rows: 3, filled: 4 }],
    ['with cells', { read: { cells: { area: { count: 3 } } } }, { cells: { area: 3 }, filled: 4 }],
  ])('%s is stored so', async (_, steps, blocked) => {
    const [[, found] = []] = await callsOf(steps, 'read');
    expect((found as { readonly blocked: object }).blocked).toStrictEqual(blocked);
  });
});
