import { expect, it } from 'vitest';
import { openAccounts } from '../../src/app/accounts/list-accounts.ts';
import { tracePerson } from '../../src/app/people.ts';
import { seededRandom } from '../simulation/scheduler.ts';
import { drawSeeds } from '../support/drawn.ts';
import { employees, openOffice, type Row, usersOf } from '../support/office.ts';

/* Accounts whose records cannot be read, on a real platform. */

/** Sixty people with accounts; `damages`: what the platform shows of some of them, which the test may change. */
async function openDamaged(damages: Record<string, string>, patch: Readonly<Record<string, Row>> = {}) {
  const people = usersOf(employees(60));
  const office = await openOffice({
    sandbox: { people, quirks: { damages } },
    sync: { missing: { afterReads: 1, minAge: '0s' }, guards: {} },
  });
  await office.writeEmployees(employees(60, patch));
  const isEnabled = (id: string) => office.sandbox.state.users.get(id)?.enabled;
  return { office, isEnabled };
}

const left = { status: 'left' };

it.each<[string, string, object]>([
  [
    'identification',
    'null',
    {
      message: expect.stringMatching(
        /\(id \d+\) has no identification that can be read: it is no person's, with an e-mail at example.com/,
      ),
    },
  ],
  ['identification', ' ', { message: expect.stringContaining('has no identification') }],
  [
    'enabled',
    'yes',
    { identification: 'E12', message: expect.stringContaining('has no enabled flag that can be read') },
  ],
  ['enabled', 'null', { identification: 'E12' }],
  ['id', 'null', { identification: 'E12', message: expect.stringContaining('the account has no id') }],
])('an account with %s %j stops nobody else, and is told', async (member, value, told) => {
  const { office, isEnabled } = await openDamaged({ [`E12.${member}`]: value }, { E3: left });
  const { run, findings } = await office.apply();
  expect(run.outcome).toBe(member === 'identification' ? 'partial' : 'succeeded');
  expect(findings).toContainEqual(expect.objectContaining({ code: 'account-unreadable', ...told }));
  expect([isEnabled('E3'), isEnabled('E12'), office.sandbox.state.users.size]).toEqual([false, true, 60]);
});

it('a leaver whose account cannot be read is told with the cause, and leaves when it can', async () => {
  const damages: Record<string, string> = { 'E12.enabled': 'yes' };
  const { office, isEnabled } = await openDamaged(damages, { E12: left });
  const { run, findings } = await office.apply();
  expect(run).toMatchObject({ outcome: 'partial', reason: expect.stringContaining('still has access') });
  expect(findings).toContainEqual(expect.objectContaining({ code: 'account-unreadable', identification: 'E12' }));
  const named = await office.apply({ users: ['E12'] });
  expect(named.findings).toContainEqual(expect.objectContaining({ code: 'lookup-disagrees', identification: 'E12' }));
  const { answer } = await tracePerson(office.app, 'people', 'E12', AbortSignal.timeout(60_000));
  expect(JSON.stringify(answer)).toContain('has no enabled flag that can be read');
  expect(isEnabled('E12')).toBe(true);
  delete damages['E12.enabled'];
  await office.apply({ users: ['E12'] });
  expect(isEnabled('E12')).toBe(false);
});

it('a managed person with such an account is neither missing nor created again, also in a named run and a read-back', async () => {
  const damages: Record<string, string> = {};
  const { office, isEnabled } = await openDamaged(damages);
  await office.apply();
  Object.assign(damages, { 'E12.enabled': 'null', 'E13.id': 'null' });
  const rest = employees(60, { E14: { last: 'New' } }).filter(({ id }) => id !== 'E12');
  for (let i = 0; i < 3; i += 1) await office.applyRows(rest);
  await office.apply({ users: ['E13', 'E14'] });
  expect([isEnabled('E12'), isEnabled('E13'), office.sandbox.state.users.size]).toEqual([true, true, 60]);
  delete damages['E12.enabled'];
  await office.applyRows(rest);
  expect(isEnabled('E12')).toBe(false);
});

it('the e-mail of an account that belongs to no person stays taken, and accounts lists it by its id', async () => {
  const damages = { 'E12.identification': 'null' };
  const { office } = await openDamaged(damages, {
    E12: { mail: 'other@example.com' },
    E5: { mail: 'ana12@example.com' },
  });
  const { findings } = await office.apply();
  const email = { code: 'email-conflict', message: expect.stringContaining('an account that belongs to no person') };
  expect(findings.filter(({ code }) => code === 'email-conflict')).toMatchObject([{ identification: 'E5', ...email }]);
  expect(office.sandbox.state.users.get('E5')?.fields.email).toBe('ana5@example.com');
  const named = await office.apply({ users: ['E5'] });
  expect(named.findings).toContainEqual(expect.objectContaining({ identification: 'E5', ...email }));
  const accounts = await openAccounts(office.app, 'people');
  const names: string[] = [];
  for await (const { account } of accounts.each()) names.push(account.identification);
  expect(names).toContainEqual(expect.stringMatching(/^\(id \d+\)$/));
});

it.each(drawSeeds(30, 3))(
  'platform %i: accounts that are odd in any member change nothing for other people',
  async (seed) => {
    const random = seededRandom(seed);
    const pick = <One>(all: readonly One[]): One => all[Math.floor(random() * all.length)] as One;
    const people = 30 + Math.floor(random() * 60);
    const members = [
      'id',
      'identification',
      'enabled',
      'firstName',
      'lastName',
      'email',
      'uid',
      'office',
      'language',
      'birthDate',
    ];
    const values = ['null', ' ', 'yes', '{}', '[]', '-1', '99999999999999999999', 'x'.repeat(5000)];
    const odd = Array.from({ length: 4 }, () => `E${1 + Math.floor(random() * people)}`);
    const damages = Object.fromEntries(odd.map((id) => [`${id}.${pick(members)}`, pick(values)]));
    const quirks = {
      parameters: pick(['query', 'body'] as const),
      maxPageSize: pick([7, 20, 100]),
      missingUser: pick([400, 404] as const),
      fileFailure: pick(['none-applied', 'good-applied', 'says-done'] as const),
      damages,
    };
    const office = await openOffice({
      sandbox: { people: usersOf(employees(people)), quirks },
      sync: { guards: { updates: { absolute: 1000, percent: 100 } } },
      dialect: { search: { parameters: quirks.parameters } },
    });
    const sound = employees(people).flatMap(({ id = '' }) => (odd.includes(id) ? [] : [id]));
    const [leaver = '', hire = 'E900'] = [pick(sound)];
    const changed = employees(people).map((row) => ({
      ...row,
      last: 'Paz',
      ...(row.id === leaver ? { status: 'left' } : {}),
    }));
    await office.applyRows([...changed, { ...employees(1)[0], id: hire, mail: 'new@example.com', last: 'Paz' }]);
    const { users } = office.sandbox.state;
    const late = [...sound, hire].filter((id) => id !== leaver && users.get(id)?.fields.lastName !== 'Paz');
    expect({ damages, late, isLeaverEnabled: users.get(leaver)?.enabled }).toEqual({
      damages,
      late: [],
      isLeaverEnabled: false,
    });
  },
);
