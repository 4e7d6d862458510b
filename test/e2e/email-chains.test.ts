import { describe, expect, it } from 'vitest';
import { tracePerson } from '../../src/app/people.ts';
import { drawFrom } from '../support/drawn.ts';
import { employees, type Office, type OfficeOptions, openOffice, type Row, usersOf } from '../support/office.ts';
import { holdPromises } from '../support/oracle.ts';

holdPromises();

const mail = (number: number | string): string => `ana${number}@example.com`;

/** Twenty people who are on a platform that refuses a second account with the same e-mail. */
async function strictOffice({ sync, ...options }: OfficeOptions = {}, rows = employees(20)): Promise<Office> {
  const office = await openOffice({
    sandbox: { people: usersOf(rows), quirks: { uniqueEmail: true } },
    sync: { guards: { emailChanges: { absolute: 20 } }, ...sync },
    ...options,
  });
  expect((await office.applyRows(rows)).run.outcome).toBe('nothing-to-do');
  return office;
}

function mailsOf(office: Office, ...names: readonly string[]): (string | undefined)[] {
  return names.map((name) => office.sandbox.state.users.get(name)?.fields.email);
}

const chain = { E1: { mail: mail(2) }, E2: { mail: mail(3) }, E3: { mail: 'new@example.com' } };
const swap = { E1: { mail: mail(2) }, E2: { mail: mail(1) } };
const circle = { E1: { mail: mail(2) }, E2: { mail: mail(3) }, E3: { mail: mail(1) } };
const joiner: Row = { id: 'E0', first: 'Eva', last: 'Paz', mail: mail(1), status: 'active' };

describe.each(drawFrom(['csv', 'auto'], 2))('with delivery: %s', (delivery) => {
  it('e-mails that are passed on in a chain, to a new hire at last, go in one run, one file after the other', async () => {
    const office = await strictOffice({ sync: { delivery } });
    await office.writeEmployees([joiner, ...employees(20, chain)]);

    const report = await office.apply();

    expect(report.run).toMatchObject({ outcome: 'succeeded', counts: { create: 1, update: 3, applied: 4 } });
    expect(mailsOf(office, 'E0', 'E1', 'E2', 'E3')).toEqual([mail(1), mail(2), mail(3), 'new@example.com']);
    expect(office.sandbox.state.log.map(({ identification }) => identification)).toEqual(['E3', 'E2', 'E1', 'E0']);
    expect((await office.apply()).run.outcome).toBe('nothing-to-do');
  });

  it.each([
    ['a swap', swap, [mail(2), mail(1), mail(3)], 'E1 → E2 → E1'],
    ['a circle of three', circle, [mail(2), mail(3), mail(1)], 'E1 → E2 → E3 → E1'],
  ])('%s names its people, and goes once one address was changed on the platform', async (_, rows, mails, names) => {
    const office = await strictOffice({ sync: { delivery } });
    await office.writeEmployees(employees(20, rows));

    const { run, findings } = await office.apply();

    expect(run).toMatchObject({ outcome: 'nothing-to-do', counts: { update: 0 } });
    expect(findings.map(({ code, identification }) => [code, identification])).toEqual(
      Object.keys(rows).map((name) => ['email-cycle', name]),
    );
    expect(findings[0]?.message).toBe(
      `each of these people needs the e-mail of the next: ${names}. Change one address on the platform; the next run changes the others`,
    );
    office.sandbox.state.patchUser('E1', { fields: { email: 'ana@interim.example' } });
    const next = await office.apply();
    expect(next.run).toMatchObject({ outcome: 'succeeded', counts: { applied: Object.keys(rows).length } });
    expect(mailsOf(office, 'E1', 'E2', 'E3')).toEqual(mails);
    expect((await office.apply()).run.outcome).toBe('nothing-to-do');
  });
});

it('why tells what the whole run does, and a run about one person takes nobody’s e-mail', async () => {
  const office = await strictOffice();
  const why = async (name: string) =>
    (await tracePerson(office.app, 'people', name, AbortSignal.timeout(60_000))).decision;
  await office.writeEmployees(employees(20, chain));
  expect((await why('E1'))?.change).toMatchObject({ kind: 'update', waitsFor: 'E2' });
  expect((await why('E3'))?.change).not.toHaveProperty('waitsFor');
  await office.writeEmployees(employees(20, { E1: { mail: mail(2) }, E2: { mail: mail(3) }, E3: { mail: '' } }));
  const named = await office.apply({ users: ['E1'] });
  expect(named.run).toMatchObject({ counts: { update: 0 } });
  expect(named.findings.map(({ identification }) => identification)).toContain('E1');
  expect((await why('E1'))?.change).toBeUndefined();
});
