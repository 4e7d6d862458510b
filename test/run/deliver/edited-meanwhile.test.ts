import { describe, expect, it } from 'vitest';
import type { CheckpointName } from '../../../src/ports/runtime.ts';
import { employees, type Office, type OfficeOptions, openOffice, usersOf } from '../../support/office.ts';
import { holdPromises } from '../../support/oracle.ts';

holdPromises();

/** `count` of three times as many users, all ours, whose last name has changed in the source; at a place of the next run, `act` is done once. */
async function officeWith(
  {
    count,
    at,
    sync = {},
  }: { readonly count: number; readonly at?: CheckpointName; readonly sync?: OfficeOptions['sync'] },
  act: (office: Office) => void = () => {},
): Promise<Office> {
  let isArmed = false;
  const staff = employees(3 * count);
  const office: Office = await openOffice({
    sandbox: { people: usersOf(staff) },
    sync: { delivery: 'csv', guards: { updates: { absolute: 1000 } }, ...sync },
    checkpoint(place) {
      if (!isArmed || place !== at) return;
      isArmed = false;
      act(office);
    },
  });
  expect((await office.applyRows(staff)).run.outcome).toBe('nothing-to-do');
  await office.writeEmployees(staff.map((row, i) => (i < count ? { ...row, last: 'Paz' } : row)));
  isArmed = true;
  return office;
}

describe('a user whom someone else edits while a run is under way', () => {
  it('and disables is not enabled again by an update', async () => {
    const disable = (office: Office) => office.sandbox.state.patchUser('E7', { enabled: false });
    const sync = { settle: { every: '2s', visibleWithin: '20s', lookWithin: '0s' } };
    const office = await officeWith({ count: 20, at: 'plan-stored', sync }, disable);
    const { run, findings } = await office.apply();
    expect(run).toMatchObject({ outcome: 'partial', counts: { applied: 19, failed: 1 } });
    expect(findings).toMatchObject([{ code: 'foreign-disable', identification: 'E7' }]);
    expect(office.sandbox.state.users.get('E7')).toMatchObject({ enabled: false, fields: { lastName: 'Díaz' } });
  });

  it('is not called applied, and is planned anew', async () => {
    const edit = (office: Office) => office.sandbox.state.patchUser('E7', { fields: { lastName: 'Elsewhere' } });
    const office = await officeWith({ count: 20, at: 'status-final' }, edit);
    const { run, findings } = await office.apply();
    expect(run).toMatchObject({ outcome: 'partial', counts: { applied: 19, failed: 1 } });
    expect(findings.filter(({ identification }) => identification === 'E7')).toMatchObject([
      { code: 'changed-elsewhere', message: 'lastName was changed by someone else; the next run plans again' },
    ]);
    expect((await office.apply()).run).toMatchObject({ outcome: 'succeeded', counts: { update: 1, applied: 1 } });
    expect(office.sandbox.state.users.get('E7')?.fields.lastName).toBe('Paz');
  });
});
