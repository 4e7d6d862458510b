import { describe, expect, it } from 'vitest';
import type { Leaders } from '../../../src/core/person/fields.ts';
import { leadersIn } from '../../../src/core/person/leaders.ts';
import type { Change } from '../../../src/core/plan/change.ts';
import { leaderChange } from '../../../src/core/plan/leaders.ts';
import { defaultDialect } from '../../../src/core/run/settings.ts';
import type { Sync } from '../../../src/run/engine-io.ts';
import { newBatch } from '../../../src/run/seal/batches.ts';
import { sampleChange, sampleEntry } from '../../contracts/store-samples.ts';
import { someInstant as now } from '../../support/fake-clock.ts';
import { Killed, openScene, type Scene, type SceneOptions, settle } from '../run-in-store.ts';

const at = (main?: string, ...secondary: string[]): Leaders => ({ main, secondary });
const none = at();
const unclear = { found: 'unclear', reason: 'no answer' } as const;
const edited = 'mainLeader was changed by another person or system';

/** A change of leaders as a plan makes it. */
function lead(identification: string, from: Leaders, to: Leaders, over: Partial<Change> = {}): Change {
  const known = {
    ...(to.main === undefined ? {} : { main: to.main }),
    secondary: to.secondary,
    shown: to,
    checkedAt: 1,
  };
  const { kind, ...change } = leaderChange(identification, from, to, known) ?? expect.fail('nothing changes');
  return sampleChange(identification, kind, { ...change, ...over });
}

/** A run with one batch of the changes of leaders. The lists are as the plan saw them. */
async function open(changes: readonly Change[], over: Partial<SceneOptions> = {}): Promise<Scene> {
  const led = changes.filter(({ kind }) => kind === 'lead' || kind === 'unlead');
  const names = led.map(({ identification }) => identification);
  const leaders = { secondary: [], shown: none, checkedAt: 1 };
  const ledger = names.map((name) => sampleEntry(name, { leaders }));
  const scene = await openScene({ changes, kind: 'leaders', batches: [names], ledger, ...over });
  for (const { identification, before } of led) scene.leaders.set(identification, leadersIn(before?.fields ?? {}));
  return scene;
}

const replaces = (scene: Scene) =>
  Object.assign(scene.sync, { dialect: { ...defaultDialect, leaders: { main: 'replaces' } } });

describe('before leaders are sent', () => {
  it('one list shows that lists can be read, and what is sent is known again only when it is proven', async () => {
    const scene = await open([lead('eva', none, at('ana', 'kim')), lead('leo', at('ana'), at('kim'))]);
    const known: unknown[] = [];
    scene.script.submit = async () => {
      known.push((await scene.ledger('eva'))?.leaders);
      return undefined as never;
    };
    await scene.play();
    expect([scene.sent, scene.listed]).toEqual([[['eva', 'leo']], ['eva', 'eva', 'leo']]);
    expect(known).toEqual([{ secondary: [], checkedAt: 1 }]);
    expect(await scene.ledger('eva')).toMatchObject({
      leaders: { main: 'ana', secondary: ['kim'], shown: at('ana', 'kim'), checkedAt: now },
      writtenAt: now,
    });
    expect((await scene.batches()).map(({ state, finalAt }) => [state, finalAt])).toEqual([['settled', now]]);
  });

  it.each([
    { shown: none, sent: [at('ana', 'kim')], state: 'applied', reason: undefined },
    { shown: at(undefined, 'kim', 'max'), sent: [at('ana', 'kim', 'max')], state: 'applied', reason: undefined },
    { shown: at('ana', 'kim', 'max'), sent: [], state: 'applied', reason: undefined },
    { shown: at('max'), sent: [], state: 'failed', reason: edited },
  ])(
    'a list shows what lacks where the platform replaces main leaders: $shown',
    async ({ shown, sent, state, reason }) => {
      const scene = await open([lead('eva', none, at('ana', 'kim'))]);
      replaces(scene);
      scene.leaders.set('eva', shown);
      await scene.play();
      expect([await scene.states(), (await scene.reasons()).eva]).toEqual([{ eva: state }, reason]);
      expect(scene.sent.map(() => scene.leaders.get('eva'))).toEqual(sent);
      expect(await scene.findings()).toEqual(
        reason === undefined ? [] : [`changed-elsewhere: ${reason}; the next run plans again`],
      );
      const isKnown =
        state === 'applied'
          ? { shown: scene.leaders.get('eva'), checkedAt: now }
          : { shown: { secondary: [] }, checkedAt: 1 };
      expect((await scene.ledger('eva'))?.leaders).toMatchObject(isKnown);
    },
  );

  it('a list shows what a killed process has sent', async () => {
    const scene = await open([
      lead('eva', none, at('ana')),
      lead('leo', none, at('ana')),
      lead('max', none, at('ana')),
    ]);
    scene.script.submit = async ({ onResult }) => {
      await onResult('eva', { kind: 'sending' });
      await onResult('eva', { kind: 'accepted' });
      await onResult('leo', { kind: 'sending' });
      for (const name of ['eva', 'leo']) scene.leaders.set(name, at('ana'));
      scene.script.submit = undefined;
      throw new Killed('in between');
    };
    await expect(scene.play()).rejects.toThrow('in between');
    await scene.play();
    expect(scene.sent).toEqual([['eva', 'leo', 'max'], ['max']]);
    expect(scene.listed).toEqual(['eva', 'eva', 'leo', 'max']);
    expect(await scene.states()).toEqual({ eva: 'applied', leo: 'applied', max: 'applied' });
  });

  it.each<[string, Change, Change['kind'], string | undefined, boolean]>([
    ['kim', lead('eva', none, at('kim')), 'create', undefined, false],
    ['kim', lead('eva', none, at(undefined, 'kim')), 'enable', undefined, false],
    ['eva', lead('eva', none, at('kim')), 'create', 'failed', false],
    ['kim', lead('eva', none, at('kim')), 'create', 'applied', true],
    ['kim', lead('eva', none, at('kim')), 'create', 'unverified', true],
    ['kim', lead('eva', none, at('kim')), 'update', undefined, true],
    ['kim', lead('eva', at('kim', 'ana'), at('kim', 'leo')), 'create', undefined, true],
    ['ana', lead('eva', at('kim', 'ana'), at('kim', 'ana', 'leo')), 'create', undefined, true],
    ['kim', lead('eva', at('kim'), none), 'create', undefined, true],
  ])('%s needs an account: %#', async (name, change, ...line) => {
    const [kind, state, isSent] = line;
    const scene = await open([change, sampleChange(name, kind)]);
    if (state !== undefined) {
      const context = await scene.context();
      const batch = newBatch(context, { number: 2, kind: 'csv', size: 1 });
      await scene.store.batches.create(context.owned, [{ batch, identifications: [name] }]);
      const marks = [{ identification: name, part: 'account', state }] as const;
      await scene.store.batches.update(context.owned, batch.id, { state: 'settled', finalAt: now }, { marks } as never);
    }
    await scene.play();
    expect(scene.sent).toEqual(isSent ? [['eva']] : []);
    const made = (await scene.store.plans.getMany('run_1', ['eva'], 'leaders'))[0];
    const reason = `waits: ${name} has no account yet. The next run tries again`;
    expect([made?.state, made?.stateReason]).toEqual(isSent ? ['applied', undefined] : ['dropped', reason]);
  });

  it('a user whom another sync has by now is left', async () => {
    const ledger = [sampleEntry('eva', { owner: 'guests' })];
    const scene = await open([lead('eva', none, at('ana')), lead('leo', none, at('ana'))], { ledger });
    const guests = { ...scene.sync, settings: { ...scene.sync.settings, name: 'guests' } };
    (scene.io.syncs as Map<string, Sync>).set('guests', guests);
    await scene.play();
    expect([scene.sent, await scene.states()]).toEqual([[['leo']], { eva: 'failed', leo: 'applied' }]);
    expect(await scene.findings()).toEqual([expect.stringMatching(/^[a-z-]+: leaders not sent: .*guests/)]);
    expect((await scene.reasons()).eva).toContain('guests');
  });

  it.each([
    { answers: 'xxx??', listed: 3, sent: [] },
    { answers: 'xx.??', listed: 3, sent: [['p2', 'p3', 'p4']] },
    { answers: 'xx.xxx?', listed: 6, sent: [['p2']], isListedEach: true },
  ])('three lists in a row that cannot be read stop all: $answers', async ({ answers, listed, sent, isListedEach }) => {
    const names = [...answers].map((_, i) => `p${i}`);
    const scene = await open(names.map((name) => lead(name, none, at('ana'))));
    if (isListedEach === true) replaces(scene);
    scene.script.list = (name) =>
      scene.sent.length === 0 && answers[names.indexOf(name)] === 'x' ? unclear : undefined;
    await scene.play();
    expect([scene.sent, scene.listed.length - sent.flat().length]).toEqual([sent, listed]);
    const failed = names.filter((name) => !sent.flat().includes(name));
    expect(await scene.reasons()).toEqual(Object.fromEntries(failed.map((name) => [name, 'no answer'])));
    expect(await scene.findings()).toEqual(failed.map(() => 'leaders-unclear: no answer'));
  });
});

describe('leaders that were sent', () => {
  const lacks = 'the list still lacks the main leader';

  it.each([
    { what: 'lack', shown: none, isUnclear: false, reason: lacks, waits: true, code: 'leaders-unclear' },
    {
      what: 'cannot be read',
      shown: at('ana'),
      isUnclear: true,
      reason: 'no answer',
      waits: true,
      code: 'leaders-unclear',
    },
    { what: 'are others', shown: at('max'), isUnclear: false, reason: edited, waits: false, code: 'changed-elsewhere' },
  ])('have failed when they $what, after the wait', async ({ shown, isUnclear, reason, waits, code }) => {
    const scene = await open([lead('eva', none, at('ana')), lead('leo', none, at('ana'))]);
    scene.script.lands = ({ identification }) => {
      if (identification === 'eva') scene.leaders.set('eva', shown);
      return identification !== 'eva';
    };
    scene.script.list = (name) => (isUnclear && name === 'eva' && scene.sent.length > 0 ? unclear : undefined);
    const took = await scene.play();
    expect([await scene.states(), (await scene.reasons()).eva]).toEqual([{ eva: 'failed', leo: 'applied' }, reason]);
    expect(await scene.findings()).toEqual([`${code}: ${reason}${waits ? '' : '; the next run plans again'}`]);
    expect(took).toBe(waits ? settle.visibleWithinMs : 0);
    // The list of the other one is not read again.
    expect(scene.listed.filter((name) => name === 'leo')).toHaveLength(1);
    expect(scene.places).toEqual(expect.arrayContaining(['read-back', 'batch-settled']));
  });

  it('are proven when they are seen within the wait', async () => {
    const scene = await open([lead('eva', none, at('ana'))]);
    scene.script.lands = () => false;
    await scene.play(async () => scene.sent.length > 0 && scene.clock.now() > now);
    expect([await scene.states(), (await scene.batches())[0]?.state]).toEqual([{ eva: 'sent' }, 'sent']);
    scene.leaders.set('eva', at('ana'));
    await scene.play();
    expect([await scene.states(), scene.clock.now() - now < settle.visibleWithinMs]).toEqual([
      { eva: 'applied' },
      true,
    ]);
  });

  it('are followed by those that were not tried', async () => {
    const scene = await open([lead('eva', none, at('ana')), lead('leo', none, at('ana'))]);
    scene.script.submit = async ({ changes, onResult }) => {
      if (scene.sent.length > 1) return undefined as never;
      scene.leaders.set('eva', at('ana'));
      await onResult(changes[0]?.identification ?? '', { kind: 'sending' });
      await onResult(changes[0]?.identification ?? '', { kind: 'unknown', reason: 'no answer' });
      return { kind: 'direct' };
    };
    await scene.play();
    expect([scene.sent, await scene.states()]).toEqual([[['eva', 'leo'], ['leo']], { eva: 'applied', leo: 'applied' }]);
    expect(scene.listed).toEqual(['eva', 'eva', 'leo', 'leo']);
  });

  it('end what the undo of them keeps from being done again, also without an entry of the ledger', async () => {
    const notAgain = {
      rule: 'leaders-lead',
      by: 'ana',
      why: 'undid',
      fields: { isWhole: false, digests: { mainLeader: 'd' } },
    };
    const scene = await open([lead('eva', at('ana'), at('kim'), { notAgain })], { ledger: [] });
    await scene.play();
    expect([await scene.states(), await scene.ledger('eva')]).toEqual([{ eva: 'applied' }, undefined]);
    const made = await scene.store.decisions.ofMany('people', ['eva']);
    expect(made.get('eva')).toMatchObject([{ rule: 'leaders-lead', state: 'rejected', by: 'ana', why: 'undid' }]);
  });
});
