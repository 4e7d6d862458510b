import { expect, it } from 'vitest';
import { findCorrections } from '../../src/app/person/corrections.ts';
import { dataQuality, dataQualityView } from '../../src/views/reports.ts';
import { openTestServer } from '../server/open-test-server.ts';
import { employees, type Office, openOffice, type Row } from '../support/office.ts';

const dayMs = 86_400_000;
const first = '2026-11-21';

/** Six people with managers and dates; `patch` changes some, `more` are added. */
const rows = (patch: Readonly<Record<string, Row>> = {}, more: readonly Row[] = []): Row[] => [
  ...employees(6).map((row) => {
    const boss = row.id === 'E1' ? '' : 'E1';
    return { ...row, boss, born: '1990-01-31', start: '2020-03-01', end: '', partner: '', ...patch[row.id ?? ''] };
  }),
  ...more,
];

const openHr = (sync: Readonly<Record<string, unknown>> = {}): Promise<Office> =>
  openOffice({
    sync: {
      mapping: {
        ...{ identification: 'id', firstName: 'first', lastName: 'last', email: 'mail', birthDate: 'born' },
        manager: 'boss',
      },
      lifecycle: { status: 'status', active: ['active'], leaver: ['left'], hireDate: 'start', leaveDate: 'end' },
      ...sync,
    },
  });

/** What HR reads: person or place, code, day. */
async function list({ engine: { io: engine } }: Office): Promise<readonly string[]> {
  const { all } = await findCorrections({ engine }, 'people', 'en');
  return all
    .map(({ subject, code, since }) => `${subject} ${code} ${new Date(since).toISOString().slice(0, 10)}`)
    .sort();
}

const blank: Row = { id: '', first: 'Ana', last: 'Díaz', mail: 'x@example.com', status: 'active' };
const again = { ...rows()[1], first: 'Otra', mail: 'other@example.com' } as Row;

it.each<[string, Readonly<Record<string, Row>>, readonly Row[], readonly string[]]>([
  ['nothing', {}, [], []],
  ['a person twice', {}, [again], ['E2 duplicate-key']],
  ['two numbers that look alike', {}, [{ ...again, id: 'e2' }], ['e2 case-conflict']],
  ['a shared e-mail', { E2: { mail: 'ana3@example.com' } }, [], ['E2 email-conflict', 'E3 email-conflict']],
  ['no number', {}, [blank], ['line 8 row-unreadable']],
  ['an unknown status', { E2: { status: 'sabbatical' } }, [], ['E2 status-unknown']],
  ['a first day that is no date', { E2: { start: 'soon' } }, [], ['E2 hire-date']],
  ['a first day that is no date, after the last', { E2: { start: 'soon', end: '2026-01-01' } }, [], ['E2 hire-date']],
  ['a last day that is no date', { E2: { end: '31/02' } }, [], ['E2 leave-date']],
  ['a status and a date that contradict', { E2: { status: 'left', end: '2039-01-01' } }, [], ['E2 status-and-date']],
  ['a last day before the first', { E2: { end: '2019-01-01' } }, [], ['E2 leave-before-hire']],
  ['a birth after the first day', { E2: { born: '2021-01-01' } }, [], ['E2 birth-after-hire']],
  ['a birth that is no date', { E2: { born: 'May' } }, [], ['E2 birth-date']],
  ['no e-mail', { E2: { mail: 'none at all' } }, [], ['E2 needed-cell']],
  ['two people without a manager', { E2: { boss: '' } }, [], ['E1 no-manager', 'E2 no-manager']],
  ['their own manager', { E2: { boss: 'E2' } }, [], ['E2 leader-self']],
  ['a circle', { E2: { boss: 'E3' }, E3: { boss: 'E2' } }, [], ['E2 leader-cycle']],
  ['a manager who is not there', { E2: { boss: 'E77' } }, [], ['E2 leader-waits']],
  ['a manager who left', { E2: { boss: 'E3' }, E3: { status: 'left' } }, [], ['E2 leader-left']],
  ['a leaver with a bad date', { E3: { status: 'left', start: 'soon', born: 'May' } }, [], []],
])('%s is on the list of HR until the row is right, since the first day', async (_, patch, more, wanted) => {
  const office = await openHr();
  await office.applyRows(rows());
  await office.applyRows(rows(patch, more));
  expect(await list(office)).toEqual(wanted.map((one) => `${one} ${first}`));
  office.clock.jump(dayMs);
  await office.applyRows([...rows(patch), ...more]);
  expect(await list(office)).toEqual(wanted.map((one) => `${one} ${first}`));
  office.clock.jump(dayMs);
  await office.applyRows(rows());
  expect(await list(office)).toEqual([]);
});

it('the list of HR is grouped by who corrects it, says where and what for, and hides people from who may not see them', async () => {
  const office = await openHr({ hrOwner: 'partner' });
  const patch = {
    ...{ E2: { partner: 'marta', end: 'soon' }, E3: { partner: 'iván', mail: 'ana4@example.com' } },
    E4: { partner: 'marta' },
  };
  const joiner = { ...rows()[1], id: 'E7', mail: 'seven@example.com', start: '?' } as Row;
  await office.applyRows(rows());
  await office.applyRows(rows(patch, [joiner]));
  const { corrections } = dataQualityView(await findCorrections({ engine: office.engine.io }, 'people', 'en'));
  const lines = corrections.map((one) => [one.owner, one.person, one.place, one.column, one.effect].join(' | '));
  expect(lines).toEqual([
    'iván | E3 | line 4, E4 (line 5) |  | Changes to the person do not reach the account.',
    'marta | E2 | line 3 | end | The account keeps its access, even after the last day of work.',
    'marta | E4 | line 5, E3 (line 4) |  | Changes to the person do not reach the account.',
    ' | E7 | line 8 | start | The account cannot be created.',
  ]);
  const blind = 'token-of-who-sees-nobody';
  const tokens = [{ name: blind, role: 'viewer', people: false, token: blind } as const];
  const server = await openTestServer(office.app, { settings: { tokens } });
  const { json, text } = await server.ask('/api/syncs/people/data-quality?language=es', { token: blind });
  expect(dataQuality.parse(json)).toEqual(json);
  expect(json.corrections[0]).toMatchObject({
    person: null,
    owner: null,
    problem: 'Otra persona tiene el mismo correo',
  });
  expect(text).not.toMatch(/marta|iván|E\d/);
});

it('a part of the file takes nobody from the list who is not in it, and a new interval has a new day', async () => {
  const office = await openHr();
  const wrong = rows({ E6: { end: 'soon' } });
  await office.applyRows(wrong);
  office.clock.jump(dayMs);
  await office.applyRows(wrong.slice(0, 3));
  expect(await list(office)).toEqual([`E6 leave-date ${first}`]);
  await office.applyRows(rows());
  expect(await list(office)).toEqual([]);
  await office.applyRows(wrong);
  expect(await list(office)).toEqual(['E6 leave-date 2026-11-22']);
});
