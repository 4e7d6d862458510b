import { describe, expect, it } from 'vitest';
import type { ReadRequest } from '../../../src/ports/source.ts';
import { openSource } from '../../../src/sources/registry.ts';
import { readPeople, readWhole } from '../../contracts/source.ts';
import { type FakeWorker, fakeWorkers, startWorkday, workdayUser } from '../../fakes/hris/workday.ts';
import { sourceBase } from '../../support/source-base.ts';

async function openWorkers(workers: readonly FakeWorker[], more: Readonly<Record<string, unknown>> = {}) {
  const workday = await startWorkday({ workers });
  const auth = { kind: 'basic', ...workdayUser };
  const config = {
    kind: 'workday',
    api: 'soap',
    url: workday.soapUrl,
    auth,
    pageSize: 4,
    limits: { requestsPerSecond: 1000 },
  };
  return { workday, source: openSource({ ...config, ...more }, sourceBase('/')) };
}

const ids = ({ pages }: Awaited<ReturnType<typeof readWhole>>): readonly unknown[] =>
  pages.flatMap(({ records }) => records.map(({ fields }) => fields.employeeId ?? fields.contingentWorkerId));

const ended = { isContingent: true, active: false, terminated: true, left: '2024-01-31' };

describe('Get_Workers', () => {
  it('asks every page for one and the same instant, and says every exclusion', async () => {
    const { source, workday } = await openWorkers(fakeWorkers(10), { workers: 'employees' });
    await readWhole(source);
    const instants = workday.requests.map(({ body }) => /As_Of_Entry_DateTime>([^<]+)</.exec(body)?.[1]);
    expect(instants).toHaveLength(3);
    expect(new Set(instants).size).toBe(1);
    for (const { body } of workday.requests) {
      expect(body).toContain('<bsvc:Exclude_Inactive_Workers>false<');
      expect(body).toContain('<bsvc:Exclude_Contingent_Workers>true<');
      expect(body).not.toContain('Management_Chain');
    }
  });

  it('leaves out the ended contract of somebody who is an employee now, and says so', async () => {
    const twin = { ...fakeWorkers(1)[0], wid: 'contract', ...ended } as FakeWorker;
    const alone = { ...twin, id: '99', wid: 'other' };
    const { source } = await openWorkers([twin, alone, ...fakeWorkers(5)]);
    const read = await readWhole(source);
    expect(ids(read)).toEqual(['21001', '21002', '21003', '21004', '21005', '99']);
    expect(read.end).toMatchObject({
      complete: true,
      rows: 7,
      notes: [expect.stringContaining('1 ended contract omitted')],
    });
  });

  it('calls nobody terminated in a delta for an ended contract alone', async () => {
    const twin = {
      ...fakeWorkers(1)[0],
      wid: 'contract',
      ...ended,
      changedAt: '2026-11-21T11:00:00.000Z',
    } as FakeWorker;
    const { source } = await openWorkers([twin, ...fakeWorkers(5)]);
    const { pages } = await readWhole(source, { kind: 'delta', since: '2026-11-21T10:00:00Z' });
    expect(pages.flatMap(({ records }) => records.map(({ fields }) => fields.rollcallStatus))).toEqual(['unknown']);
  });

  it('a delta holds who changed and whose dates came due, each once', async () => {
    const changedAt = '2026-11-21T11:00:00.000Z';
    const { source } = await openWorkers(
      fakeWorkers(6, { 21002: { changedAt }, 21003: { left: '2026-11-21' }, 21004: { changedAt, left: '2026-11-21' } }),
    );
    const read = await readWhole(source, { kind: 'delta', since: '2026-11-21T10:00:00Z' });
    expect(ids(read)).toEqual(['21002', '21004', '21003']);
    expect(read.end).toMatchObject({ complete: true, rows: 3 });
  });

  it('looks named people up by their own request, and reads everybody only for a field that is no id of theirs', async () => {
    const { source, workday } = await openWorkers(fakeWorkers(10));
    const byId = { kind: 'point', identifications: ['21003', 'a<b>&"c"'], field: 'employeeId' } as const;
    expect(ids(await readWhole(source, byId))).toEqual(['21003']);
    expect(workday.requests).toHaveLength(1);
    const byMail = { kind: 'point', identifications: ['Ana4@example.com'], field: 'workEmail' } as const;
    expect(ids(await readWhole(source, byMail))).toEqual(['21004']);
    const nobody = { kind: 'point', identifications: [], field: 'employeeId' } as const;
    expect((await readWhole(source, nobody)).end).toMatchObject({ complete: true, rows: 0 });
  });

  it('an element that nobody has is not visible, and is named: only its right may be missing', async () => {
    const workers = fakeWorkers(6).map((worker): FakeWorker => ({ ...worker, mail: undefined }));
    const { source } = await openWorkers(workers, { workers: 'employees', include: ['managementChain'] });
    const { people, end } = await readPeople(source);
    const hidden = ['workEmail', 'workPhone', 'userId', 'terminationDate', 'contingentWorkerId'];
    expect(people.flatMap((person) => hidden.filter((name) => name in person))).toEqual([]);
    expect(people).toHaveLength(6);
    expect(end).toMatchObject({ complete: true, notReturned: expect.arrayContaining([...hidden, 'chainManagerId']) });
  });

  it('an element that somebody up to the page has is empty for whom it is missing', async () => {
    const mail = undefined;
    const nobodyOnPageOne = { 21001: { mail }, 21002: { mail }, 21003: { mail }, 21004: { mail } };
    const { source } = await openWorkers(fakeWorkers(10, { ...nobodyOnPageOne, 21006: { mail }, 21009: { mail } }));
    const { people, end } = await readPeople(source);
    expect(people.slice(0, 4).filter((person) => 'workEmail' in person)).toEqual([]);
    expect(people.slice(4).map(({ workEmail }) => workEmail)).toEqual([
      'ana5@example.com',
      null,
      'ana7@example.com',
      'ana8@example.com',
      null,
      'ana10@example.com',
    ]);
    expect(end).toHaveProperty('notReturned', expect.not.arrayContaining(['workEmail']));
  });

  it('one person who is looked up, or has changed, does not show what may be seen', async () => {
    const changedAt = '2026-11-21T11:00:00.000Z';
    const { source } = await openWorkers(fakeWorkers(3, { 21002: { mail: undefined, changedAt } }));
    const requests: readonly ReadRequest[] = [
      { kind: 'point', identifications: ['21002'], field: 'employeeId' },
      { kind: 'delta', since: '2026-11-21T10:00:00Z' },
    ];
    for (const request of requests) {
      const { pages, end } = await readWhole(source, request);
      expect(pages.flatMap(({ records }) => records.map(({ fields }) => fields))).toEqual([
        expect.not.objectContaining({ workEmail: null }),
      ]);
      expect(end).not.toHaveProperty('notReturned');
    }
  });

  it('stops at once when the password is wrong, and tells neither of the two', async () => {
    const auth = { kind: 'basic', username: 'ISU_Rollcall@acme', password: 'wrong-one' };
    const { source, workday } = await openWorkers(fakeWorkers(3), { auth });
    const failure = await readWhole(source).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'SOURCE_REFUSED', retry: 'never' });
    expect(String(failure)).toMatch(/Client\.authenticationError\. Check user .* neither locked/);
    expect(String(failure)).not.toMatch(/wrong-one|ISU_Rollcall/);
    expect(workday.requests).toHaveLength(1);
  });
});

it('a report that is not shared with the user is no reason to ask again', async () => {
  const { startVendor } = await import('../../fakes/hris/vendor-server.ts');
  const body = '{"error":"Processing error occurred. The task submitted is not authorized."}';
  const { url, requests } = await startVendor({ isData: () => true, answer: () => ({ status: 500, body }) });
  const auth = { kind: 'basic', ...workdayUser };
  const source = openSource({ kind: 'workday', api: 'raas', url, auth, columns: ['WID'] }, sourceBase('/'));
  await expect(readWhole(source)).rejects.toMatchObject({
    code: 'SOURCE_REFUSED',
    retry: 'never',
    message: expect.stringContaining('Share the report'),
  });
  expect(requests).toHaveLength(1);
});
