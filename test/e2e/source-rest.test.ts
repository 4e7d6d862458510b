import { expect, it } from 'vitest';
import { startRestFake } from '../fakes/hris/rest.ts';
import { ripplingWorkers, startRippling } from '../fakes/hris/rippling.ts';
import { openOffice } from '../support/office.ts';

it('people of a JSON API come, change and leave on the platform', async () => {
  const { humans, source } = await startRestFake('cursor', undefined, 30);
  const map = { active: 'active', left: 'terminated' };
  const office = await openOffice({
    sync: {
      source: { ...source, status: { from: 'state', map } },
      mapping: { identification: 'id', firstName: 'first', lastName: 'last', email: 'mail' },
      lifecycle: { status: 'rollcallStatus', active: ['active', 'leave', 'suspended'], leaver: ['terminated'] },
    },
  });
  const replace = (index: number, change: object): void => {
    const human = humans[index];
    if (human !== undefined) (humans as (typeof human)[])[index] = { ...human, ...change };
  };
  const [, second, third] = humans.map(({ id }) => id);

  expect((await office.applyAll()).run).toMatchObject({ outcome: 'succeeded', counts: { create: 30, applied: 30 } });
  expect(office.sandbox.state.users.get(third ?? '')).toMatchObject({ enabled: true, fields: { lastName: 'Díaz' } });

  replace(1, { last: 'Núñez' });
  replace(2, { state: 'left' });
  replace(3, { state: 'on the moon' });
  expect((await office.applyAll()).run).toMatchObject({ outcome: 'succeeded', counts: { update: 1, disable: 1 } });
  expect(office.sandbox.state.users.get(second ?? '')).toMatchObject({ fields: { lastName: 'Núñez' } });
  expect(office.sandbox.state.users.get(third ?? '')).toMatchObject({ enabled: false });

  expect((await office.plan()).counts).toMatchObject({ create: 0, update: 0, disable: 0, held: 0 });
});

it('Rippling workers come, change and leave; those who have not begun are left alone', async () => {
  const { server, workers } = await startRippling(
    ripplingWorkers(25).map((worker, index) => (index === 24 ? { ...worker, status: 'ACCEPTED' } : worker)),
  );
  const office = await openOffice({
    sync: {
      source: { kind: 'rest', preset: 'rippling', baseUrl: server.url, auth: { kind: 'bearer', token: 'r1ppling' } },
      mapping: {
        identification: 'user.number',
        firstName: 'user.name.given_name',
        lastName: 'user.name.family_name',
        email: 'work_email',
        area: 'department.name',
        orgEntryDate: 'start_date',
      },
      lifecycle: {
        status: 'rollcallStatus',
        active: ['active', 'leave', 'suspended'],
        leaver: ['terminated'],
        leaveDate: 'end_date',
      },
    },
  });

  expect((await office.applyAll()).run).toMatchObject({ outcome: 'succeeded', counts: { create: 24, applied: 24 } });
  expect(office.sandbox.state.users.get('7')).toMatchObject({ enabled: true, fields: { area: 'Sales' } });

  const [, one, two] = workers;
  if (one === undefined || two === undefined) return expect.unreachable();
  workers[1] = { ...one, department: { id: 'd2', name: 'Support' } };
  workers[2] = { ...two, status: 'TERMINATED', end_date: '2026-11-20' };
  expect((await office.applyAll()).run).toMatchObject({ outcome: 'succeeded', counts: { update: 1, disable: 1 } });
  expect(office.sandbox.state.users.get('1')).toMatchObject({ fields: { area: 'Support' } });
  expect(office.sandbox.state.users.get('2')).toMatchObject({ enabled: false });

  expect((await office.plan()).counts).toMatchObject({ create: 0, update: 0, disable: 0, held: 0 });
});
