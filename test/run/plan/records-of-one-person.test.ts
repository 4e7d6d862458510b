import { describe, expect, it } from 'vitest';
import { account, only, openPlanScene, type PlanSceneOptions, row } from '../plan-scene.ts';

const messages = async (options: PlanSceneOptions): Promise<readonly string[]> => {
  const { plan } = await (await openPlanScene(options)).plan();
  return plan.findings.map(({ message }) => message);
};

describe('records that claim one person', () => {
  it('are counted as blocked and named, also where the account is as the first of them wants it', async () => {
    const scene = await openPlanScene({ records: [row('a1'), row('b2')], users: [account('a1'), account('b2')] });
    await scene.plan();
    scene.source.records = ['a1', 'b2'].flatMap((id) => [row(id), row(id, { area: 'X' }), row(id, { area: 'Y' })]);

    const planned = await scene.plan();

    expect(planned.kinds).toEqual({});
    expect(planned.plan.facts).toMatchObject({ unchanged: 0, blocked: { 'identity-conflict': 2 } });
    expect(planned.findings).toEqual(['duplicate-key a1', 'duplicate-key b2']);
  });

  it('protect the account of that person from everything', async () => {
    const records = [row('a1', { status: 'left' }), row('a1'), row('b2', { status: 'left' })];
    const scene = await openPlanScene({ records, users: [account('a1'), account('b2')] });
    expect((await scene.plan()).kinds).toEqual({ b2: 'disable' });
  });

  it('of two people who work here prove nobody missing, because one of them has another number in truth', async () => {
    const users = [account('a1'), account('b2')];
    const scene = await openPlanScene({
      records: [row('a1'), row('b2')],
      users,
      settings: { missing: { afterReads: 1, minAgeMs: 0 } },
    });
    await scene.plan();
    scene.source.records = [row('a1'), row('a1', { first: 'Bea', last: 'Bo' })];
    const planned = await scene.plan();
    expect(planned.kinds).toEqual({});
    expect(scene.message(planned, 'source-incomplete')).toContain(
      '1 identification is used for different people, so no person can be counted as missing',
    );
  });

  it('are one where they say the same in all that is read, or all say that the person left', async () => {
    const twice = [row('a1', { note: 'one' }), row('a1', { note: 'two' })];
    const gone = [row('b2', { status: 'left' }), row('b2', { status: 'left', area: 'Law' })];
    const scene = await openPlanScene({ records: [...twice, ...gone], users: [account('b2')] });
    const planned = await scene.plan();
    expect([planned.kinds, planned.findings]).toEqual([{ a1: 'create', b2: 'disable' }, []]);
  });
});

describe('several records of one person, by scope and prefer,', () => {
  const scope = "type = 'staff'";
  const law = { area: 'Law' };
  const guest = { type: 'guest' };
  const updated = { a1: 'update' };
  const disabled = { a1: 'disable' };
  const left = { status: 'left', leaves: '2024-01-31' };
  const isActive = { kind: 'expression', expression: "status = 'active'" } as const;
  const latest = { kind: 'latest', value: 'hired', format: undefined } as const;
  const planOf = async (records: PlanSceneOptions['records'], settings: PlanSceneOptions['settings'] = {}) => {
    const scene = await openPlanScene({ records, users: [account('a1')], settings });
    const planned = await scene.plan();
    return { scene, planned, shown: [planned.kinds, planned.findings] };
  };
  /** The first record in either order. */
  const inBothOrders = async (
    a: Record<string, string>,
    b: Record<string, string>,
    settings: PlanSceneOptions['settings'],
  ) => {
    const records = [row('a1', a, 'line 2'), row('a1', b, 'line 3')];
    const [one, other] = [await planOf(records, settings), await planOf(records.toReversed(), settings)];
    expect(one.shown).toEqual(other.shown);
    return one.shown;
  };

  it.each<{
    name: string;
    a: Record<string, string>;
    b: Record<string, string>;
    rules: PlanSceneOptions['settings'];
    kinds?: object;
    findings?: readonly string[];
  }>([
    { name: 'are the one in scope', a: law, b: { ...left, ...guest }, rules: { scope }, kinds: updated },
    { name: 'do not leave while one out of scope is active', a: left, b: guest, rules: { scope } },
    {
      name: 'leave where the one out of scope has ended too',
      a: left,
      b: { ...left, ...guest },
      rules: { scope },
      kinds: disabled,
    },
    {
      name: 'are nobody where it is not known whether the person works out of scope',
      a: left,
      b: { status: 'odd', ...guest },
      rules: { scope },
      findings: ['duplicate-key a1'],
    },
    {
      name: 'are out of scope if all of them are, and nothing is reported',
      a: guest,
      b: { ...left, ...guest },
      rules: { scope },
    },
    { name: 'are the one that fulfils the condition', a: law, b: left, rules: { prefer: [isActive] }, kinds: updated },
    {
      name: 'are the latest, where the condition holds for both',
      a: { ...law, hired: '2024-05-01' },
      b: {},
      rules: { prefer: [isActive, latest] },
      kinds: updated,
    },
    {
      name: 'leave if the rule prefers the one that ended',
      a: { ...left, hired: '2023-01-01' },
      b: {},
      rules: { prefer: [latest] },
      kinds: disabled,
    },
  ])('$name', async ({ a, b, rules = {}, kinds = {}, findings = [] }) => {
    expect(await inBothOrders(a, b, rules)).toEqual([kinds, findings]);
  });

  it('are the third, which counts before two that are equal', async () => {
    const records = [row('a1', left), row('a1', left), row('a1', { area: 'Law' })];
    expect((await planOf(records, { prefer: [isActive] })).shown).toEqual([{ a1: 'update' }, []]);
  });

  it.each([
    ['no rule tells them apart', [isActive], { area: 'Law' }, 'and no prefer rule decides'],
    [
      'a value cannot be compared',
      [{ ...latest, value: 'since' }],
      { since: 'soon', area: 'Law' },
      'and scope or prefer cannot be evaluated for one of them',
    ],
  ])('are nobody if %s', async (_, prefer, over, why) => {
    const { scene, planned, shown } = await planOf([row('a1', over, 'line 2'), row('a1', {}, 'line 3')], { prefer });
    expect(shown).toEqual([{}, ['duplicate-key a1']]);
    const message = `line 2 and line 3 both have the identification a1, ${why}: the user is not changed`;
    expect(scene.message(planned, 'duplicate-key')).toBe(message);
  });
});

describe('an e-mail that two employees have', () => {
  const mail = (id: string, over = {}) => row(id, { email: 'Ana@x.com', ...over });

  it('is no conflict when it is to be cleared', async () => {
    const { mapping } = (await openPlanScene({ records: [] })).sync.settings;
    const email = { kind: 'from', path: 'email', transform: [], format: undefined, whenEmpty: 'clear' } as const;
    const fields = { ...mapping.fields, email };
    const records = [mail('a1', { email: '' }), mail('b2', { email: '' })];
    const scene = await openPlanScene({ records, settings: { mapping: { ...mapping, fields } } });
    const planned = await scene.plan();
    expect([planned.kinds, planned.findings]).toEqual([{ a1: 'create', b2: 'create' }, []]);
    scene.users.set('a1', account('a1', { fields: { email: 'old@x.com' } }));
    expect((await scene.plan(only('a1'))).kinds).toEqual({ a1: 'update' });
    expect(scene.calls.scan).toBe(1);
  });
});

describe('a read that no plan can be made from', () => {
  it.each([
    { name: 'no row', records: [], why: 'the source returned no employees' },
    {
      name: 'rows of an unknown status alone',
      records: [row('a1', { status: 'odd' }), row('b2', { status: 'odd' })],
      why: 'the source returned 2 rows, but none of them can be used; see the findings',
    },
    {
      name: 'a row that names nobody',
      records: [row('')],
      why: 'the source returned 1 row, but none of them can be used',
    },
  ])('of $name plans nothing and fails', async ({ records, why }) => {
    const scene = await openPlanScene({ records, users: [account('a1'), account('c3')] });
    const planned = await scene.plan();
    expect(planned.plan.failure).toMatch(new RegExp(`^${why}.*: nothing was changed\\.`));
    expect([planned.changes, scene.calls.scan]).toEqual([[], 0]);
    expect((await scene.store.runs.get('run_1'))?.outcome).toBe('failed');
  });
});

describe('what a read tells', () => {
  it('is that it is short of fields that the mapping names, before anything is read', async () => {
    const scene = await openPlanScene({ records: [row('a1')] });
    scene.source.fields = ['id', 'first', 'last', 'status', 'hired', 'leaves', 'type', 'email', 'area', 'born'];
    await expect(scene.plan()).rejects.toMatchObject({
      code: 'SOURCE_UNAVAILABLE',
      message: expect.stringContaining('has no fields job, seniority, named by'),
    });
    expect(scene.source.requests).toEqual([]);
  });

  it('is one absent field by its name, a field inside another by the whole, and none where the source has none', async () => {
    const scene = await openPlanScene({ records: [row('a1')] });
    const fields = Object.keys(row('a1').fields);
    scene.source.fields = fields.filter((name) => name !== 'job');
    await expect(scene.plan()).rejects.toThrow('has no field job, named by');
    scene.source.fields = [...scene.source.fields, 'J_OB', 'jobs'];
    await expect(scene.show()).rejects.toThrow('has no field job (did you mean J_OB?), named by');
    const { mapping } = scene.sync;
    Object.assign(scene.sync, { mapping: { ...mapping, reads: ['id', 'job.title'] } });
    for (const known of [fields, [], undefined]) {
      scene.source.fields = known;
      expect((await scene.show()).kinds).toEqual({ a1: 'create' });
    }
  });

  it('is that an incomplete one proves no leaver', async () => {
    const options = { records: [row('a1', { status: 'left' }), row('b2')], users: [account('a1')] };
    const scene = await openPlanScene(options);
    scene.source.end = { complete: false, rows: 2, reasons: ['page 2 was refused'] };
    const planned = await scene.plan();
    expect(planned.kinds).toEqual({ b2: 'create' });
    expect(planned.plan.findings).toEqual([
      {
        code: 'source-incomplete',
        message: 'the read cannot prove that a person is missing: page 2 was refused',
      },
      {
        code: 'source-incomplete',
        message: '1 person in this read left. Their enabled accounts stay enabled until a complete read',
      },
    ]);
    expect(await messages({ ...options, records: [row('a1')] })).toEqual([]);
  });
});

describe('a read of named people', () => {
  it('reads all before the first full read, and decides about them alone', async () => {
    const users = [account('a1', { fields: { area: 'Old' } }), account('b2', { fields: { area: 'Old' } })];
    const scene = await openPlanScene({ records: [row('a1'), row('b2')], users });
    const planned = await scene.plan(only('b2'));
    expect(scene.source.requests).toEqual([{ kind: 'full' }]);
    expect(planned.kinds).toEqual({ b2: 'update' });
    expect(await scene.store.reads.last('people')).toBeUndefined();
  });

  it('reads all, but keeps only the named, where e-mails do not decide identity and there is no key', async () => {
    const identification = { kind: 'expression', expression: 'id', transform: [], format: undefined } as const;
    const { mapping } = (await openPlanScene({ records: [] })).sync.settings;
    const settings = {
      match: ['identification'] as const,
      mapping: { ...mapping, identification: { ...identification, whenEmpty: 'keep' as const } },
    };
    const scene = await openPlanScene({ records: [row('a1'), row('b2')], settings });
    const planned = await scene.plan(only('b2'));
    expect(scene.source.requests).toEqual([{ kind: 'full' }]);
    expect(planned.kinds).toEqual({ b2: 'create' });
  });

  it('changes nobody whose e-mail another employee has, though only one was named', async () => {
    const records = [row('a1', { email: 'x@x.com' }), row('b2', { email: 'x@x.com' })];
    const scene = await openPlanScene({ records });
    const planned = await scene.plan(only('b2'));
    expect([planned.kinds, planned.findings]).toEqual([{}, ['email-conflict a1', 'email-conflict b2']]);
  });
});
