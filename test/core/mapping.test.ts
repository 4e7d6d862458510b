import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileFieldRule, type ExpressionCompiler } from '../../src/core/person/field-rule.ts';
import type { FieldName } from '../../src/core/person/fields.ts';
import { compileMapping } from '../../src/core/person/mapping.ts';
import type { Person } from '../../src/core/person/person.ts';
import type { FieldOrigin, FieldRule, LeaderRule, LifecycleSettings, PreferRule } from '../../src/core/run/settings.ts';

/** A small expression language for these tests: `=field`, `text field` (never undefined), `boom`, and `later …` (a promise). */
const expressions: ExpressionCompiler = {
  compile(text) {
    if (text === '(') throw new SyntaxError('a bracket is not closed');
    const [isLater, rest] = text.startsWith('later ') ? [true, text.slice(6)] : [false, text];
    const isText = rest.startsWith('text ');
    const name = isText ? rest.slice(5) : rest.replace(/^=/, '');
    const evaluate = (fields: Readonly<Record<string, unknown>>): unknown => {
      if (text.endsWith('boom')) throw new Error('the expression failed');
      return isText ? (fields[name] ?? '') : fields[name];
    };
    return {
      reads: [name],
      evaluate: (fields) => (isLater ? Promise.resolve().then(() => evaluate(fields)) : evaluate(fields)),
    };
  },
};

const now = Date.UTC(2026, 10, 21, 12);

function rule(origin: string | FieldOrigin, more: Partial<Omit<FieldRule, keyof FieldOrigin>> = {}): FieldRule {
  const from: FieldOrigin = typeof origin === 'string' ? { kind: 'from', path: origin } : origin;
  return { transform: [], format: undefined, whenEmpty: 'keep', ...more, ...from } as FieldRule;
}

function mappingOf(
  fields: Partial<Record<FieldName, FieldRule>>,
  also: { identification?: FieldRule; lifecycle?: LifecycleSettings; scope?: string } = {},
) {
  const settings = { identification: also.identification ?? rule('id'), fields };
  return compileMapping(settings, also.lifecycle, { scope: also.scope }, { expressions });
}

function map(fields: Partial<Record<FieldName, FieldRule>>, record: Record<string, unknown>) {
  return mappingOf(fields).map({ at: 'line 2', fields: { id: '7', ...record } }, now);
}

describe('mapping a record', () => {
  it('gives a person with normal text, dates and constants', () => {
    const mapping = mappingOf({
      firstName: rule('first'),
      email: rule('mail', { transform: ['lowercase'] }),
      orgEntryDate: rule('hired', { format: 'dd/MM/yyyy' }),
      account: rule({ kind: 'value', value: 'Acme UY' }),
      customField1: rule('level'),
    });
    const fields = { id: ' 00123 ', first: ' Jose\u0301 ', mail: 'JOSE@Example.com', hired: '01/03/2019', level: 7 };

    expect(mapping.map({ at: 'line 2', fields }, now)).toEqual({
      kind: 'person',
      at: 'line 2',
      identification: '00123',
      fields: {
        firstName: 'José',
        email: 'jose@example.com',
        orgEntryDate: '2019-03-01',
        account: 'Acme UY',
        customField1: '7',
      },
      standing: 'active',
      standingReason: 'no lifecycle is configured: everyone in the source is active',
      isInScope: true,
      unreadable: [],
      troubles: [],
      notes: [],
    });
  });

  it.each([
    ['dots reach inside', 'work.email', { work: { email: 'a@example.com' } }],
    [
      'a key spelled like the path wins',
      'work.email',
      { 'work.email': 'a@example.com', work: { email: 'b@example.com' } },
    ],
    ['an index reaches into a list', 'emails.0.value', { emails: [{ value: 'a@example.com' }] }],
  ])('%s', (_, path, record) => {
    expect(map({ email: rule(path) }, record)).toMatchObject({ fields: { email: 'a@example.com' } });
  });

  it.each(['constructor', 'toString', '__proto__', 'name.length', 'list.length.x'])(
    'sees own keys only: %s is not there',
    (path) => {
      const person = map({ job: rule(path) }, { name: 'text', list: [] });

      expect(person).toMatchObject({ kind: 'person', fields: {} });
      expect(person).not.toHaveProperty('fields.job');
    },
  );
});

describe('a blank value', () => {
  it.each(['', '   ', '\u00A0', null])('%j keeps the field by default, and clears it when told to', (blank) => {
    expect(map({ job: rule('job') }, { job: blank })).toMatchObject({ kind: 'person', fields: {} });
    expect(map({ job: rule('job', { whenEmpty: 'clear' }) }, { job: blank })).toMatchObject({ fields: { job: '' } });
  });

  it.each(['firstName', 'lastName'] as const)(
    'as %s is kept and refuses a create, even with whenEmpty: clear',
    (name) => {
      const fields = { [name]: rule('name', { whenEmpty: 'clear' }) };
      const kept = { kind: 'person', identification: '7', fields: {}, unreadable: [name] };

      expect(map(fields, { name: ' ' })).toMatchObject({ ...kept, refusesCreate: 'name is required, but blank' });
      expect(map(fields, {})).toMatchObject({
        ...kept,
        refusesCreate: 'name is required, but the source does not show it',
      });
    },
  );

  it('that an expression makes of a field that was not read never clears', async () => {
    const job = (expression: string) => rule({ kind: 'expression', expression }, { whenEmpty: 'clear' });
    const blankOf = async (expression: string, record: Record<string, unknown>) => {
      const mapped = await map({ job: job(expression) }, record);
      return mapped.kind === 'person' ? mapped.fields : undefined;
    };

    for (const expression of ['text title', 'later text title']) {
      expect(await blankOf(expression, { title: '' })).toEqual({ job: '' });
      expect(await blankOf(expression, { title: null })).toEqual({ job: '' });
      expect(await blankOf(expression, {})).toEqual({});
    }
  });

  it.each(['birthDate', 'email'] as const)('keeps and clears a %s too', (name) => {
    expect(map({ [name]: rule('x') }, { x: ' ' })).toMatchObject({ kind: 'person' });
    expect(map({ [name]: rule('x') }, { x: ' ' })).not.toHaveProperty(`fields.${name}`);
    expect(map({ [name]: rule('x', { whenEmpty: 'clear' }) }, { x: ' ' })).toMatchObject({ fields: { [name]: '' } });
  });

  it('is what a date that stands for none is', () => {
    expect(map({ birthDate: rule('born') }, { born: '0000-00-00' })).not.toHaveProperty('fields.birthDate');
    expect(map({ birthDate: rule('born', { whenEmpty: 'clear' }) }, { born: '0000-00-00' })).toMatchObject({
      fields: { birthDate: '' },
    });
  });

  it('is what transforms leave nothing of', () => {
    expect(map({ phoneNumber: rule('phone', { transform: ['digits'] }) }, { phone: 'n/a' })).toMatchObject({
      fields: {},
    });
  });
});

describe('a value that cannot be used is trouble of its field, which names the column, not the value', () => {
  it.each([
    ['an impossible date', { orgEntryDate: rule('x') }, '2023-02-30', /yyyy-MM-dd/],
    ['a date in another format', { birthDate: rule('x', { format: 'dd/MM/yyyy' }) }, '2023-01-31', /dd\/MM\/yyyy/],
    [
      'a date in a custom field with a format',
      { customField3: rule('x', { format: 'dd/MM/yyyy' }) },
      'soon',
      /dd\/MM\/yyyy/,
    ],
    ['a word as e-mail', { email: rule('x') }, 'nobody', /one e-mail address/],
    ['two e-mails', { email: rule('x') }, 'a@example.com, b@example.com', /one e-mail address/],
    ['two e-mails with a semicolon', { email: rule('x') }, 'a@example.com;b@example.com', /one e-mail address/],
    ['an e-mail without domain', { email: rule('x') }, 'a@', /one e-mail address/],
    ['an e-mail in brackets', { email: rule('x') }, 'Ana <a@example.com>', /one e-mail address/],
    ['a control character', { job: rule('x') }, 'bad\u0007job', /control characters/],
    ['a list', { job: rule('x') }, ['a', 'b'], /a list/],
    ['an object', { job: rule('x') }, { a: 'b' }, /an object/],
  ])('%s', (_, fields, value, reason) => {
    const [field] = Object.keys(fields);
    const mapped = map({ ...fields, area: rule('dept') }, { x: value, dept: 'IT' });

    expect(mapped).toMatchObject({
      kind: 'person',
      identification: '7',
      fields: { area: 'IT' },
      unreadable: [field],
      troubles: [{ field, column: 'x', reason: expect.stringMatching(reason) }],
      ...(field === 'email' ? { refusesCreate: expect.stringMatching(/^x is not/) } : {}),
    });
    expect('refusesCreate' in mapped).toBe(field === 'email');
    expect(mapped).not.toHaveProperty('refusesEnable');
    expect(mapped).not.toHaveProperty(`fields.${field}`);
    expect(JSON.stringify(mapped)).not.toContain(String(value));
  });
});

describe('line breaks and tabs inside a text', () => {
  it.each([
    ['Head\n of\tIT', 'Head of IT'],
    ['Head\r\nof IT', 'Head of IT'],
    ['Zoë\u2028Ñ', 'Zoë Ñ'],
    ['a\u0085b', 'a b'],
    ['a  b \n', 'a  b'],
  ])('%j becomes %j', (text, expected) => {
    expect(map({ job: rule('title') }, { title: text })).toMatchObject({ fields: { job: expected }, troubles: [] });
  });

  it('are noted by column, unless a transform takes them away anyway or nothing was inside', () => {
    const text = { title: 'Head\n of\tIT' };

    expect(map({ job: rule('title'), area: rule('dept') }, { ...text, dept: ' IT\n' })).toMatchObject({
      notes: [{ column: 'title', note: 'collapsed' }],
    });
    expect(map({ job: rule('title', { transform: ['collapseSpaces'] }) }, text)).toMatchObject({
      fields: { job: 'Head of IT' },
      notes: [],
    });
  });

  it('count before the length', () => {
    const text = `${'a'.repeat(200)}${'\n'.repeat(200)}b`;

    expect(map({ job: rule('title') }, { title: text })).toMatchObject({ troubles: [] });
  });
});

describe('an identification', () => {
  it.each([
    ['blank', '  '],
    ['one dot', '.'],
    ['two dots', ' .. '],
    ['with a control character', 'a\u0001b'],
    ['with a line break', 'a\nb'],
    ['a lone surrogate', '\uDC00'],
    ['an object', {}],
    ['null', null],
    ['not there', undefined],
    ['shortened by a spreadsheet', '1.23457E+15'],
    ['a spreadsheet error', '#N/A'],
    ['a number too long to be exact', 2 ** 60],
  ])('that is %s makes the record unreadable', (_, id) => {
    const mapped = map({}, { id });

    expect(mapped).toMatchObject({ kind: 'unreadable', at: 'line 2', column: 'id', reason: expect.any(String) });
    expect(mapped).not.toHaveProperty('identification');
  });

  it.each([
    ['  ', 'is blank'],
    [undefined, 'is not there'],
    [['7'], 'is a list, expected plain text'],
    ['..', 'has no letter and no digit'],
  ])('that is %j is unreadable, because it %s', (id, reason) => {
    expect(map({}, { id })).toMatchObject({ kind: 'unreadable', reason });
  });

  it.each(['00123', '0', 'a b', 'a/b', '1...', 'ümlaut@acme', '12E5'])('%s is fine', (id) => {
    expect(map({}, { id })).toMatchObject({ kind: 'person', identification: id });
  });

  it('can be transformed or computed, and then is no field to find people by', () => {
    const lower = mappingOf({}, { identification: rule('id', { transform: ['lowercase'] }) });
    const computed = mappingOf({}, { identification: rule({ kind: 'expression', expression: '=id' }) });

    expect(lower.map({ at: 'line 2', fields: { id: 'ABC' } }, now)).toMatchObject({ identification: 'abc' });
    expect(computed.map({ at: 'line 2', fields: { id: 'ABC' } }, now)).toMatchObject({ identification: 'ABC' });
    expect([lower.identificationField, computed.identificationField]).toEqual([undefined, undefined]);
    expect(mappingOf({}).identificationField).toBe('id');
    expect(mappingOf({}, { identification: rule('id', { transform: ['trim'] }) }).identificationField).toBe('id');
  });
});

describe('expressions', () => {
  const fields = {
    job: rule({ kind: 'expression', expression: 'later title' }),
    area: rule({ kind: 'expression', expression: '=area' }),
  };
  const record = { at: 'line 2', fields: { id: '7', title: ' Boss ', area: 'IT' } };

  it('that answer at once need no promise', () => {
    expect(mappingOf({ area: fields.area }).map(record, now)).toMatchObject({ fields: { area: 'IT' } });
  });

  it('that answer later are waited for', async () => {
    const mapped = mappingOf(fields).map(record, now);

    expect(mapped).toBeInstanceOf(Promise);
    expect(await mapped).toMatchObject({ kind: 'person', fields: { job: 'Boss', area: 'IT' } });
  });

  it.each(['boom', 'later boom'])('that fail are trouble of their field, never blank: %s', async (expression) => {
    const failing = rule({ kind: 'expression', expression }, { whenEmpty: 'clear' });
    const mapped = await mappingOf({ job: failing, area: fields.area }).map(record, now);

    expect(mapped).toMatchObject({
      kind: 'person',
      identification: '7',
      unreadable: ['job'],
      troubles: [{ field: 'job', column: 'job', kind: 'expression-failed', reason: 'the expression failed' }],
    });
    expect(mapped).toHaveProperty('fields', { area: 'IT' });
  });

  it.each(['boom', 'later boom'])('that fail as identification make the record unreadable: %s', async (expression) => {
    const mapping = mappingOf({}, { identification: rule({ kind: 'expression', expression }) });

    expect(await mapping.map(record, now)).toMatchObject({
      kind: 'unreadable',
      column: 'identification',
      reason: 'the expression failed',
    });
  });
});

describe('scope', () => {
  it.each([
    [true, true],
    ['yes', true],
    [1, true],
    [[0, 'x'], true],
    [{ a: 1 }, true],
    [false, false],
    ['', false],
    [0, false],
    [null, false],
    [undefined, false],
    [[], false],
    [[0, ''], false],
    [() => true, false],
    [{}, false],
  ])('reads %j as %s, as JSONata does', (flag, expected) => {
    const mapping = mappingOf({}, { scope: '=flag' });

    expect(mapping.map({ at: 'line 2', fields: { id: '7', flag } }, now)).toMatchObject({ isInScope: expected });
  });

  it.each(['boom', 'later boom'])('that fails rejects the row: %s', async (scope) => {
    const mapped = await mappingOf({}, { scope }).map({ at: 'line 2', fields: { id: '7' } }, now);

    expect(mapped).toMatchObject({ kind: 'rejected', column: 'scope', reason: 'the expression failed' });
  });
});

const mappingOfInstant = (format: string): Partial<Record<FieldName, FieldRule>> => ({
  firstName: rule('id'),
  birthDate: rule('at', { format }),
});

describe('the leaders that a record names', () => {
  const leader = (path: string, by: LeaderRule['by'], more: Partial<FieldRule> = {}): LeaderRule => {
    return { ...rule(path, more), by, takeOver: false };
  };
  const manager = leader('boss', 'identification', { whenEmpty: 'clear', transform: ['digits'] });
  const secondary = [leader('mentor', 'email'), leader('buddy', 'identification')];
  const record = (fields: Record<string, unknown>) => ({ at: 'line 2', fields: { id: '7', ...fields } });
  const compiled = (leaders: NonNullable<Parameters<typeof compileMapping>[0]['leaders']>) =>
    compileMapping(
      { identification: rule('id'), fields: {}, leaders },
      undefined,
      { scope: undefined },
      { expressions },
    );
  const E3 = { by: 'identification', value: 'E3', column: 'buddy' };
  const ana = { by: 'email', value: 'ana@example.com', column: 'mentor' };
  const part = (...references: readonly (typeof E3)[]) => ({
    references,
    said: references.map(({ column }) => column),
    isWhole: false,
  });
  const whole = (...references: readonly (typeof E3)[]) => ({ ...part(...references), isWhole: true });

  it.each<[Record<string, unknown>, unknown, unknown, readonly string[]]>([
    [{ boss: ' 12 ', mentor: 'ana@example.com', buddy: 'E3' }, '12', whole(ana, E3), []],
    [{ boss: 12, mentor: 'ana@example.com', buddy: 'E3' }, '12', whole(ana, E3), []],
    [{ boss: 'no. 12', buddy: "'007" }, '12', part({ ...E3, value: "'007" }), []],
    [{ boss: '', mentor: '', buddy: '' }, 'none', part(), []],
    [{ boss: 'x' }, 'none', part(), []],
    [{}, undefined, part(), []],
    [{ boss: ['12'], mentor: 'nobody', buddy: 'NULL' }, undefined, part(), ['boss', 'mentor', 'buddy']],
    [{ boss: '2020-01-31', mentor: ana.value, buddy: 'x'.repeat(300) }, undefined, part(ana), ['boss', 'buddy']],
  ])('of %j are %j and %j, with trouble in %j', (fields, main, list, columns) => {
    const person = compiled({ manager, secondary }).map(record(fields), now) as Person;
    expect(person.leaders).toEqual({
      ...(main === undefined ? {} : { main: main === 'none' ? main : { by: 'identification', value: main } }),
      secondary: list,
    });
    expect(person.troubles.map(({ column }) => column)).toEqual(columns);
  });

  it('are what the mapping names, and nothing else', async () => {
    const nulls = ['E3'];
    const mapping = compileMapping(
      { identification: rule('id'), fields: {}, leaders: { manager, secondary } },
      undefined,
      { scope: undefined, nulls },
      { expressions },
    );
    expect(mapping.map(record({ boss: 'E3', buddy: 'E3' }), now)).toMatchObject({ leaders: { main: 'none' } });
    expect(compiled({ manager, secondary: [] }).map(record({ boss: '1' }), now)).toMatchObject({
      leaders: { main: { value: '1' } },
    });
    expect(compiled({ manager, secondary: [] }).map(record({ boss: '1' }), now)).not.toHaveProperty(
      'leaders.secondary',
    );
    expect(compiled({ secondary: [] }).map(record({}), now)).not.toHaveProperty('leaders');
    const { steps } = await compiled({ manager, secondary: [] }).explain(record({ boss: 'x' }), now);
    expect(steps[1]).toEqual({ target: 'mainLeader', origin: 'from boss', effect: 'cleared', detail: 'blank' });
  });
});

it.each([
  [{ area: 'NULL', job: 'Cook' }, { area: 'NULL', job: 'Cook' }, ['area word']],
  [{ area: 'NULL', job: 'None' }, {}, ['area no-value', 'job no-value']],
  [{ area: 'undefined', job: 'None' }, {}, ['area no-value', 'job no-value']],
  [{ area: 'a\nb', job: 'None' }, { area: 'a b', job: 'None' }, ['area collapsed', 'job word']],
])('a word of programs is text alone, and no value beside another one: %j', (cells, fields, marks) => {
  const person = map({ area: rule('area'), job: rule('job') }, cells) as Person;
  expect(person.fields).toEqual(fields);
  const found = [...person.troubles.map(({ column, kind }) => `${column} ${kind}`)];
  expect([...found, ...person.notes.map(({ column, note }) => `${column} ${note}`)]).toEqual(marks);
});

describe('a compiled mapping', () => {
  const lifecycle: LifecycleSettings = {
    status: 'status',
    active: ['active'],
    leaver: ['gone'],
    hireDate: undefined,
    leaveDate: 'left',
    dateFormat: undefined,
    leavesBy: undefined,
    timezone: 'Europe/Berlin',
  };

  it('names its fields in the order of the field table and every source field once', () => {
    const mapping = mappingOf(
      { customField1: rule('status'), firstName: rule('name.first') },
      { lifecycle, scope: '=country' },
    );

    expect(mapping.fields).toEqual(['firstName', 'customField1']);
    expect(mapping.reads).toEqual(['id', 'name.first', 'status', 'left', 'country']);
  });

  it('names every key that reads a source field', () => {
    const mapping = mappingOf(
      { area: rule('status'), job: rule('status'), account: rule({ kind: 'value', value: 'Acme' }) },
      { lifecycle: { ...lifecycle, timezone: 'zone', hireDate: 'hired' }, scope: '=left' },
    );

    expect([...mapping.readers]).toEqual([
      ['id', ['identification']],
      ['status', ['area', 'job', 'lifecycle.status']],
      ['hired', ['lifecycle.hireDate']],
      ['left', ['lifecycle.leaveDate', 'scope']],
      ['zone', ['lifecycle.timezone']],
    ]);
    expect([...mappingOf({}).readers]).toEqual([['id', ['identification']]]);
  });

  const preferring = (
    fields: Partial<Record<FieldName, FieldRule>>,
    prefer: readonly PreferRule[],
    life: LifecycleSettings | undefined = undefined,
  ) => compileMapping({ identification: rule('id'), fields }, life, { scope: '=country', prefer }, { expressions });
  const latest: PreferRule = { kind: 'latest', value: { expression: '=hired' }, format: undefined };
  const primary: PreferRule = { kind: 'expression', expression: '=primary' };

  it('ranks a record by its expressions, which follow those of the fields and the lifecycle', () => {
    const byExpression = { ...lifecycle, status: { expression: '=status' }, leaveDate: { expression: '=left' } };
    const mapping = preferring({ firstName: rule('first'), area: rule('area') }, [primary, latest], byExpression);
    const fields = { id: '7', first: 'Ana', area: 'X', status: 'gone', left: '2026-01-02', primary: true };

    expect(mapping.map({ at: 'line 2', fields: { ...fields, hired: '2020-03-04', country: 'UY' } }, now)).toMatchObject(
      {
        standing: 'leaver',
        isInScope: true,
        rank: '12020-03-04',
      },
    );
    expect(
      mapping.map({ at: 'line 3', fields: { ...fields, primary: false, hired: '', country: '' } }, now),
    ).toMatchObject({ isInScope: false, rank: '00000000000' });
    expect(mapping.reads).toEqual(['id', 'first', 'area', 'status', 'left', 'primary', 'hired', 'country']);
  });

  it('ranks dates in the format of the lifecycle', () => {
    const byField: PreferRule = { kind: 'latest', value: 'hired', format: undefined };
    const mapping = preferring({}, [byField], { ...lifecycle, dateFormat: 'dd.MM.yyyy' });
    const fields = { id: '7', status: 'active', country: 'UY', hired: '04.03.2020' };
    expect(mapping.map({ at: 'line 2', fields }, now)).toMatchObject({ rank: '2020-03-04' });
  });

  it('names a rule of `prefer` that is wrong', () => {
    expect(() => preferring({}, [{ kind: 'expression', expression: '(' }])).toThrow(/^prefer/);
    expect(() => preferring({}, [{ kind: 'latest', value: 'hired', format: 'QQ' }])).toThrow(/^prefer/);
  });

  it.each([
    ['of a field', mappingOfInstant, 'birthDate'],
    ['of `prefer`', undefined, 'rank'],
  ] as const)('a moment %s falls on the day of the employee', (_, fields, target) => {
    const instant = "yyyy-MM-dd'T'HH:mm:ssXXX";
    const byMoment: PreferRule = { kind: 'latest', value: 'at', format: instant };
    const zoned = { ...lifecycle, timezone: 'zone' };
    const mapping =
      fields === undefined
        ? preferring({}, [byMoment], zoned)
        : compileMapping(
            { identification: rule('id'), fields: fields(instant) },
            zoned,
            { scope: undefined },
            { expressions },
          );
    const record = { id: '7', status: 'active', country: 'UY', zone: 'Pacific/Auckland', at: '2020-03-04T20:00:00Z' };
    const mapped = mapping.map({ at: 'line 2', fields: record }, now) as Person;
    expect(target === 'rank' ? mapped.rank : mapped.fields[target]).toBe('2020-03-05');
  });

  it('gives a person with the days that the lifecycle read', () => {
    const mapping = mappingOf({}, { lifecycle: { ...lifecycle, hireDate: 'hired' } });
    const fields = { id: '7', status: 'active', hired: '2026-03-12', left: '2027-01-01' };
    expect(mapping.map({ at: 'line 2', fields }, now)).toMatchObject({
      ...{ hires: '2026-03-12', hiresLater: true, leaves: '2027-01-01' },
    });
  });

  it('takes mapped dates as evidence of the last day of work', async () => {
    const mapping = mappingOf({ orgEntryDate: rule('hired') }, { lifecycle });
    const fields = { id: '7', status: 'active', hired: '2020-03-04', left: '1969-12-31' };
    const { mapped, steps } = await mapping.explain({ at: 'line 2', fields }, now);
    expect(mapped).toMatchObject({ standing: 'active', troubles: [{ column: 'left', kind: 'not-a-date' }] });
    expect(steps.at(-1)?.detail).toContain('left is contradicted by the other dates of the row');
  });

  it('tells every step of a record', async () => {
    const mapping = mappingOf(
      { firstName: rule('first'), job: rule('job'), area: rule('area', { whenEmpty: 'clear' }), email: rule('mail') },
      { lifecycle, scope: '=country' },
    );
    const fields = { id: '7', first: 'Ana', job: '', area: '', mail: 'nobody', status: 'gone', country: '' };

    const trace = await mapping.explain({ at: 'line 2', fields }, now);

    expect(trace.mapped).toMatchObject({ kind: 'person', standing: 'leaver', unreadable: ['email'] });
    expect(trace.steps.map(({ target, origin, effect, detail }) => `${target} ${effect} ${origin}: ${detail}`)).toEqual(
      [
        'identification set from id: 7',
        'email unreadable from mail: is not one e-mail address (name@example.com): the value on the platform is kept',
        'firstName set from first: Ana',
        'area cleared from area: blank',
        'job kept from job: blank or not visible: the value on the platform is kept',
        'status set lifecycle: leaver: status is "gone"',
        'scope set scope: out of scope',
      ],
    );
  });

  it.each([
    [{ country: 'UY' }, ['status set lifecycle: active: status is "active"', 'scope set scope: in scope']],
    [
      { left: 'soon' },
      [
        'status set lifecycle: active: status is "active"; left is not a date in the format yyyy-MM-dd; no account is created or enabled',
      ],
    ],
  ])('tells the steps of the status and the scope: %j', async (record, expected) => {
    const mapping = mappingOf({}, { lifecycle, ...('country' in record ? { scope: '=country' } : {}) });
    const { steps } = await mapping.explain({ at: 'line 2', fields: { id: '7', status: 'active', ...record } }, now);
    const told = steps.map(({ target, origin, effect, detail }) => `${target} ${effect} ${origin}: ${detail}`);
    expect(told).toEqual(['identification set from id: 7', ...expected]);
  });

  it('tells why a scope failed', async () => {
    const { steps } = await mappingOf({}, { scope: 'boom' }).explain({ at: 'line 2', fields: { id: '7' } }, now);
    expect(steps.at(-1)).toEqual({
      target: 'scope',
      origin: 'scope',
      effect: 'rejected',
      detail: 'the expression failed',
    });
  });

  it.each([
    ['mapping.job: a bracket is not closed', () => mappingOf({ job: rule({ kind: 'expression', expression: '(' }) })],
    ['scope: a bracket is not closed', () => mappingOf({}, { scope: '(' })],
    ['mapping.birthDate: date format dd/MM/yy', () => mappingOf({ birthDate: rule('x', { format: 'dd/MM/yy' }) })],
    ['lifecycle: status "Active" is in both', () => mappingOf({}, { lifecycle: { ...lifecycle, leaver: ['Active'] } })],
    [
      'mapping.identification: with a fixed value',
      () => mappingOf({}, { identification: rule({ kind: 'value', value: 'x' }) }),
    ],
  ])('is refused with the key that is wrong: %s', (message, compile) => {
    expect(compile).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining(message) }),
    );
  });
});

describe('a plain cell', () => {
  const parts =
    "Ana|José|Ã©|None|nan|undefined|N/A|5|0|E+|1.5E10|59,899|2026-02-29|1970-01-01|2099-12-31| |-|.|+598|@|a@b.co|x_y|?|\n|#REF!|**|xxx|n.|s/d|<b>|(a|:|=4)|{|;#|000|'|&eacute;|\u0301|Ñ".split(
      '|',
    );
  const text = fc.oneof(
    fc.array(fc.constantFrom(...parts), { maxLength: 3 }).map((some) => some.join('')),
    fc.string({ unit: fc.constantFrom(...'abcNnUuDd Éé.-0123@/,:;()_') }),
    fc
      .date({ noInvalidDate: true, min: new Date('1890-01-01'), max: new Date('2110-01-01') })
      .map((day) => day.toISOString().slice(0, 10)),
    fc.nat(300).map((length) => 'x'.repeat(length)),
  );

  it.each<FieldName>(['email', 'firstName', 'phoneNumber', 'birthDate', 'orgEntryDate', 'area'])(
    'of %s is what all rules make of it',
    (name) => {
      // With a word for no value, each cell goes through all rules.
      const compile = (nulls: readonly string[]) =>
        compileFieldRule(name, rule('cell', { transform: ['trim'] }), { expressions, nulls: new Set(nulls) });
      const [fast, slow] = [compile([]), compile(['\0'])];
      fc.assert(
        fc.property(text, (cell) => {
          expect(fast.settle(cell)).toStrictEqual(slow.settle(cell));
        }),
      );
    },
  );
});
