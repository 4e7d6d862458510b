import { describe, expect, it } from 'vitest';
import { createExpressions } from '../../src/config/expressions.ts';
import { cellKind, compileCell, dateUse } from '../../src/core/person/cell.ts';
import { compileMapping } from '../../src/core/person/mapping.ts';
import { NotedText } from '../../src/core/run/refusal.ts';
import type { FieldRule } from '../../src/core/run/settings.ts';
import { now } from './cases.ts';

const from = (path: string): FieldRule => {
  return { kind: 'from', path, transform: [], whenEmpty: 'keep', format: undefined };
};

const noMore = { hireDate: undefined, leavesBy: undefined, dateFormat: undefined, timezone: undefined };
const mapping = compileMapping(
  {
    identification: from('id'),
    fields: {
      firstName: from('first'),
      lastName: from('last'),
      email: from('email'),
      phoneNumber: from('phone'),
      area: from('area'),
    },
  },
  { status: 'status', active: ['active', '1'], leaver: ['terminated'], leaveDate: 'left', ...noMore },
  { scope: undefined },
  { expressions: createExpressions() },
);
const row = { id: 'E1', first: 'Ana', last: 'Díaz', email: 'ana@corp.test', phone: '+598 99', area: 'Ops', left: '' };

function mapped(column: string, value: unknown) {
  const found = mapping.map({ at: 'line 1', fields: { status: 'active', ...row, [column]: value } }, now);
  if (found instanceof Promise) throw new TypeError('no expression is asynchronous here');
  return found;
}

function standing(column: string, value: unknown): string {
  const found = mapped(column, value);
  if (found.kind !== 'person') return found.kind;
  return found.troubles.length > 0 ? `${found.standing}, in trouble` : found.standing;
}

function text(column: string, field: 'firstName' | 'phoneNumber' | 'area' | 'email', value: string): string {
  const found = mapped(column, value);
  if (found.kind !== 'person') return found.kind;
  return found.troubles.length > 0 ? 'trouble' : (found.fields[field] ?? 'kept');
}

describe('the spellings that programs make', () => {
  it.each([
    ...['Active', ' ACTIVE.', 'activé', 'ACTİVE', 'actıve', "'active", '"active"', '="active"', '=T("active")'],
    ...['active\u200b', '\u200fac\u00adtive', '\u00a0active\u00a0', 'ａｃｔｉｖｅ', '1.0', '01', 1],
  ])('%j is the status of an active person', (status) => expect(standing('status', status)).toBe('active'));

  it.each(["'terminated'", 'TERMİNATED', 'termınated;', '\ufeffterminated', 'Términated.'])('%j left', (status) =>
    expect(standing('status', status)).toBe('leaver'),
  );

  it.each(['NULL', '(null)', '-', '', 'not active', 'terminated active', 'suspended', '11', { a: 1 }])(
    '%j is no status that is known',
    (status) => expect(standing('status', status)).toBe('unknown'),
  );

  it.each([
    ...['31/12/9999', '00/00/0000', '1900-01-00', '0001-01-01T00:00:00Z', '9999-12-31T23:59:59.999+02:00'],
    ...[
      '4712-12-30T23:00:00Z',
      '1970-01-01 00:00:00',
      '31-DEC-9999',
      'Dec 31, 9999',
      '99991231',
      '00000000',
      '99999999',
    ],
    ...['0', 0, '2958465', 'infinity', '12/31/2999', '01.01.1601', 'n.a.', '(blank)', '{null}'],
  ])('%j is no last day of work', (left) => expect(standing('left', left)).toBe('active'));

  it.each(['=T("2026-01-02")', "'2026-01-02", '\u200b2026-01-02\u200e'])('%j is a last day of work', (left) =>
    expect(standing('left', left)).toBe('leaver'),
  );

  it.each(['46300', '2026-01-02T00:00:00', '02/01/2026', '2206-01-02', 'soon', false])(
    '%j is trouble of the last day of work, not the end of an employment',
    (left) => expect(standing('left', left)).toBe('active, in trouble'),
  );

  it.each([
    ["'+598 99", '+598 99'],
    ['\u202a+598 99\u202c', '+598 99'],
    ['59899000101.0', 'trouble'],
    ['59,899,000,101', 'trouble'],
    ['5.98E10', 'trouble'],
    ['####', 'trouble'],
    ['912.345.678', '912.345.678'],
    ...['***-***-1234', 'xxx-xxx-6789', '000 00 0000', '•••• 99', '¿?'].map((phone): [string, string] => [
      phone,
      'trouble',
    ]),
    ...['-', '–', 'N/D', 'n.a.'].map((phone): [string, string] => [phone, phone.length > 1 ? 'trouble' : 'kept']),
    ['+598 99 x12', '+598 99 x12'],
  ])('the phone number %j is read as %s', (phone, expected) =>
    expect(text('phone', 'phoneNumber', phone)).toBe(expected),
  );

  it.each([
    ["'t Hooft", "'t Hooft"],
    ['An\u00ada\u200b', 'Ana'],
    ['Mu?oz', 'trouble'],
    ['Jos&eacute;', 'trouble'],
    ['Jos\\u00e9', 'trouble'],
    ['Jos%C3%A9', 'trouble'],
    ['Jos=C3=A9', 'trouble'],
    ['Jos_x00E9_', 'trouble'],
    ['Jos√©', 'trouble'],
    ['Mª José', 'Mª José'],
    ['#¿NOMBRE?', 'trouble'],
    ...['A**', 'A•••', 'xxxxx', '{{first_name}}', '<b>Ana</b>', '***', '.'].map((name): [string, string] => [
      name,
      'trouble',
    ]),
    ...['Ana (Anita)', 'J.P.', 'Xxavier', "O'Neill-[sic]"].map((name): [string, string] => [name, name]),
  ])('the name %j is read as %s', (name, expected) => expect(text('first', 'firstName', name)).toBe(expected));

  it.each([
    ...['#¡REF!', '#NV', '#WERT!', 'R&amp;D', '<NULL>', '[none]', '*****', 'XXXX', '$', 'n.v.t.', 'k.A.', 's/d'],
    ...['<p>Sales</p>', 'Senior<br/>Analyst', '<!-- -->', '<![CDATA[Sales]]>', '#{area}', '{{ area }}', '<%= area %>'],
    ...['%AREA%', '{area}', '{"id": 4}', "[4, 'Sales']", "('Sales',)", '["Sales"]', '[4]', '{4: "Sales"}', '4;#Sales'],
    ...[
      "Area(id=4, name='Sales')",
      'Area{name=Sales}',
      'com.acme.Area@1b6d3586',
      'a:1:{s:2:"id";i:4;}',
      '[object Area]',
    ],
  ])('nobody typed the area %j', (area) => expect(text('area', 'area', area)).toBe('trouble'));

  it.each([
    'Sales (EMEA)',
    '(Sales)',
    '[Sales]',
    'R&D',
    'H.R.',
    'A/R',
    'C++',
    'Sales & Co. <3',
    'No. 4',
    '50% time',
    'xx',
  ])('somebody may have typed the area %j', (area) => expect(text('area', 'area', area)).toBe(area));

  it.each(['-', '--', '–', '—', '- -'])('the dashes of %j are a blank', (area) =>
    expect(text('area', 'area', area)).toBe('kept'),
  );

  it.each(["'ana@corp.test", 'ana@corp,test', 'ana\u00ad@corp.test', 'n.a.', 'a***@corp.test', 'xxx@xxx.xxx'])(
    'the e-mail %j is trouble',
    (email) => expect(text('email', 'email', email)).toBe('trouble'),
  );

  it.each(['#¡REF!', '-', '<null>', '1.001E3', '2020-01-02', '01/02/2020', ''])('no one is called %j', (id) =>
    expect(mapped('id', id).kind).toBe('unreadable'),
  );

  it.each(['E1\u200b', '\u200eE1', 'E\u00ad1'])('%j protects E1 by name, and gives no account', (id) =>
    expect(mapped('id', id)).toMatchObject({ kind: 'rejected', identification: 'E1' }),
  );

  it.each(["'E1'", '"1001"', '1001.', '1,001.00', '1.001,00', "1'001", 'E1;', '`1001'])(
    'no account is created under %j',
    (id) => expect(mapped('id', id)).toMatchObject({ kind: 'person', refusesCreate: expect.stringMatching(/changed/) }),
  );

  it.each(['12.345.678', '12 345 678', 'ana@corp.test', 'A-12', '12E5', '=N1', 'Ñandú 7'])('%j may be created', (id) =>
    expect(mapped('id', id)).not.toHaveProperty('refusesCreate'),
  );
});

it.each([
  ['firstName', 'name', 'any'],
  ['lastName', 'name', 'any'],
  ['email', 'email', 'any'],
  ['phoneNumber', 'phone', 'any'],
  ['birthDate', 'date', 'birth'],
  ['orgEntryDate', 'date', 'work'],
  ['customField1', 'text', 'any'],
] as const)('a cell of %s is %s, and a date in it is of use %s', (name, kind, use) => {
  expect([cellKind(name, false), cellKind(name, true), dateUse(name)]).toEqual([kind, 'date', use]);
});

it.each([
  ['text', 'Ops', 'Ops'],
  ['text', 'NIL', ''],
  ['text', '="001"', new NotedText('001', 'guarded')],
  ['text', '=T("001")', new NotedText('001', 'guarded')],
  ['text', '=A1', '=A1'],
  ['text', "'+598", new NotedText('+598', 'guarded')],
  ['text', "'t Hooft", "'t Hooft"],
  ['text', 'Ana\u200b \u200b', new NotedText('Ana', 'invisible')],
  ['identification', "'007", "'007"],
  ['name', '#NAME?', '#NAME?'],
  ['name', '£ukasz', expect.objectContaining({ kind: 'wrong-encoding' })],
  ['name', 'Mª', 'Mª'],
  ['phone', '59,899,000', expect.objectContaining({ kind: 'shortened-number' })],
  ['phone', 'n/a', expect.objectContaining({ kind: 'no-value' })],
] as const)('a cell of %s with %s says: %s', (kind, text, said) => {
  expect(compileCell(kind, new Set(['NIL']))(text)).toEqual(said);
});
