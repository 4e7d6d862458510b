import { expect, it } from 'vitest';
import { drawFrom } from '../support/drawn.ts';
import { csvOf, employees, type Office, type OfficeOptions, openOffice, usersOf } from '../support/office.ts';
import { holdPromises } from '../support/oracle.ts';

holdPromises();

const missingAtOnce = { afterReads: 1, minAge: '0s' };

/** Twenty people, all ours since a first run. */
async function managedOffice(sync: OfficeOptions['sync'] = {}): Promise<Office> {
  const office = await openOffice({
    sandbox: { people: usersOf(employees(20)) },
    sync: { missing: missingAtOnce, ...sync },
  });
  expect((await office.applyRows(employees(20))).run.outcome).toBe('nothing-to-do');
  return office;
}

function enabledUsers(office: Office): number {
  return [...office.sandbox.state.users.values()].filter(({ enabled }) => enabled).length;
}

const whole = csvOf(employees(20, { E2: { last: 'Núñez' } }));
const lines = whole.trimEnd().split('\n');

const halfReads: readonly { readonly name: string; readonly text: string }[] = [
  { name: 'cut in the middle of its last row', text: whole.slice(0, -20) },
  { name: 'cut in the middle of row 12', text: whole.slice(0, whole.indexOf('E12,') + 9) },
  { name: 'cut at the end of row 12', text: `${lines.slice(0, 13).join('\n')}\n` },
  { name: 'empty', text: '' },
  { name: 'only a header', text: `${lines[0]}\n` },
  { name: 'left with an open quote', text: whole.replace('E12,', 'E12,"') },
  { name: 'short of a column in one row', text: whole.replace('E12,Ana12,', 'E12,') },
  { name: 'without a key in one row', text: whole.replace('E12,', ',') },
  { name: 'binary', text: '\u0000\u0001\u0002' },
];

const policies = ['sync', 'upsert-only', 'create-only'].flatMap((policy) =>
  halfReads.map((read) => ({ policy, ...read })),
);

it.each(drawFrom(policies, 3))(
  'a source disables nobody by the policy $policy, and is no success, when the file is $name',
  async ({ policy, text }) => {
    const office = await managedOffice({ policy });
    await office.writeText(text);
    const report = await office.apply();
    expect(['held', 'partial', 'failed']).toContain(report.run.outcome);
    expect(report.run.reason).toBeTruthy();
    expect(report.run.counts).toMatchObject({ disable: 0, remove: 0 });
    expect(enabledUsers(office)).toBe(20);
  },
);
