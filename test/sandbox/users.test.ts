import { describe, expect, it } from 'vitest';
import { admin, sandboxes } from './open-sandbox.ts';

const open = sandboxes();
const users = `${admin}/users`;
const ana = { identification: 'E1', firstName: 'Ana', lastName: 'Núñez' };
const full = {
  ...ana,
  email: 'ana@example.com',
  birthDate: '1990-02-28',
  orgEntryDate: '2021-01-05',
  area: 'Sales',
  account: 'Acme',
  job: 'Analyst',
  phoneNumber: '+598 91',
  project: 'Aurora',
  seniority: 'Senior',
  customFields: { customField1: 'one', customField30: 'thirty' },
};

describe('creating', () => {
  it('answers 201 with the userId, and read shows the user without the write-only fields', async () => {
    const sandbox = await open();

    const created = await sandbox.call('POST', `${users}/`, { body: full });

    expect([created.status, created.body]).toEqual([201, { userId: expect.stringMatching(/^\d+$/) }]);
    const { result } = (await sandbox.call('GET', `${users}/E1`)).body;
    expect(result).toMatchObject({
      id: Number(created.body.userId),
      identification: 'E1',
      firstName: 'Ana',
      lastName: 'Núñez',
      email: 'ana@example.com',
      birthDate: '1990-02-28',
      orgEntryDate: 'Jan 5, 2021 12:00:00 AM',
      enabled: true,
      office: {},
      customFields: { customField1: 'one', customField30: 'thirty' },
      createdDate: '2026-05-20T12:00:00',
      lastUpdate: '2026-05-20T12:00:00',
    });
    for (const hidden of ['job', 'phoneNumber', 'seniority']) expect(result).not.toHaveProperty(hidden);
    expect(sandbox.state.users.get('E1')?.fields).toMatchObject({ job: 'Analyst', phoneNumber: '+598 91' });
    expect(sandbox.state.log).toMatchObject([{ n: 1, identification: 'E1', kind: 'created', via: 'create' }]);
  });

  it('leaves out of a read what the user does not have', async () => {
    const sandbox = await open();
    await sandbox.call('POST', `${users}/`, { body: ana });

    const { result } = (await sandbox.call('GET', `${users}/E1`)).body;

    for (const absent of ['area', 'account', 'project', 'birthDate', 'orgEntryDate']) {
      expect(result).not.toHaveProperty(absent);
    }
    expect(result.customFields).toEqual({});
  });

  it.each([
    ['without identification', { identification: undefined }],
    ['with a blank identification', { identification: ' ' }],
    ['without first name', { firstName: undefined }],
    ['with a blank last name', { lastName: ' ' }],
    ['with a day that does not exist', { birthDate: '2021-02-30' }],
    ['with a date in another format', { orgEntryDate: '05/01/2021' }],
    ['with customField31', { customFields: { customField31: 'x' } }],
    ['with a custom field that is none', { customFields: { favouriteColour: 'x' } }],
    ['with a number for a text', { email: 5 }],
  ])('is refused %s, without effect', async (_name, change) => {
    const sandbox = await open();

    const answer = await sandbox.call('POST', `${users}/`, { body: { ...ana, ...change } });

    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ title: 'Bad Request', type: `uri=${users}/` });
    expect(sandbox.state.users.size).toBe(0);
    expect(sandbox.state.log).toEqual([]);
  });

  it('is refused when the user is there already, and when the body is no JSON', async () => {
    const sandbox = await open();
    await sandbox.call('POST', `${users}/`, { body: ana });

    expect((await sandbox.call('POST', `${users}/`, { body: ana })).status).toBe(400);
    expect((await sandbox.call('POST', `${users}/`, { body: '{"a":' })).status).toBe(400);
    expect(sandbox.state.log).toHaveLength(1);
  });
});

describe('updating', () => {
  it('answers 202 with the payload, keeps what is not named, and moves lastUpdate', async () => {
    const sandbox = await open();
    const { userId } = (await sandbox.call('POST', `${users}/`, { body: full })).body;
    const payload = { ...ana, userId, area: 'Legal', project: '', account: null };

    const answer = await sandbox.call('PUT', `${users}/`, { body: payload });

    expect([answer.status, answer.body]).toEqual([202, { result: payload }]);
    const { result } = (await sandbox.call('GET', `${users}/E1`)).body;
    expect(result).toMatchObject({ area: 'Legal', email: 'ana@example.com', lastUpdate: '2026-05-20T12:00:01' });
    expect(result).not.toHaveProperty('project');
    expect(result).not.toHaveProperty('account');
    expect(sandbox.state.users.get('E1')?.fields.job).toBe('Analyst');
    expect(sandbox.state.log.at(-1)).toMatchObject({ kind: 'updated', via: 'update' });
    expect(sandbox.state.log.at(-1)?.fields.toSorted()).toEqual(['account', 'area', 'project']);
  });

  it('clears what is not named where PUT replaces, but never what PUT cannot carry', async () => {
    const person = { identification: 'E1', enabled: true };
    const fields = { firstName: 'Ana', lastName: 'Núñez', job: 'Analyst', office: 'Montevideo', customField31: 'x' };
    const sandbox = await open({ quirks: { put: 'replaces' }, people: [{ ...person, fields }] });
    const userId = String(sandbox.state.users.get('E1')?.id);

    await sandbox.call('PUT', `${users}/`, { body: { ...ana, userId, area: 'Legal' } });

    const { job: _job, ...kept } = fields;
    expect(sandbox.state.users.get('E1')?.fields).toEqual({ ...kept, area: 'Legal' });
  });

  it.each([
    ['id', 'E1', 400],
    ['uid', '1001', 400],
    ['uid', 'uid-1001', 202],
    ['identification', 'E1', 202],
    ['id', '1001', 202],
    ['id', '01001', 400],
  ] as const)('with userId as %s takes %s with %i', async (userId, sent, status) => {
    const sandbox = await open({ quirks: { userId } });
    await sandbox.call('POST', `${users}/`, { body: ana });

    expect((await sandbox.call('PUT', `${users}/`, { body: { ...ana, userId: sent } })).status).toBe(status);
  });

  it('gives the user another identification, unless somebody has it', async () => {
    const sandbox = await open();
    const { userId } = (await sandbox.call('POST', `${users}/`, { body: ana })).body;
    await sandbox.call('POST', `${users}/`, { body: { ...ana, identification: 'E2' } });

    const taken = await sandbox.call('PUT', `${users}/`, { body: { ...ana, identification: 'E2', userId } });
    const free = await sandbox.call('PUT', `${users}/`, { body: { ...ana, identification: 'E3', userId } });

    expect([taken.status, free.status]).toEqual([400, 202]);
    expect((await sandbox.call('GET', `${users}/E1`)).status).toBe(400);
    expect((await sandbox.call('GET', `${users}/E3`)).body.result.id).toBe(Number(userId));
  });

  it('that changes nothing moves lastUpdate or not, as the platform is', async () => {
    for (const [touch, lastUpdate] of [
      ['always', '2026-05-20T12:00:01'],
      ['changes', '2026-05-20T12:00:00'],
    ] as const) {
      const sandbox = await open({ quirks: { touch } });
      const { userId } = (await sandbox.call('POST', `${users}/`, { body: full })).body;

      await sandbox.call('PUT', `${users}/`, { body: { ...full, userId } });

      expect((await sandbox.call('GET', `${users}/E1`)).body.result.lastUpdate).toBe(lastUpdate);
      expect(sandbox.state.log.at(-1)).toMatchObject({ kind: 'updated', fields: [] });
    }
  });
});

describe('removing', () => {
  it('takes the user away; without blacklist they may come back', async () => {
    const sandbox = await open();
    await sandbox.call('POST', `${users}/`, { body: ana });

    const answer = await sandbox.call('DELETE', `${users}/E1/`);

    expect([answer.status, answer.text]).toEqual([200, '']);
    expect((await sandbox.call('GET', `${users}/E1`)).status).toBe(400);
    expect((await sandbox.call('POST', `${users}/`, { body: ana })).status).toBe(201);
    expect(sandbox.state.log.map(({ kind }) => kind)).toEqual(['created', 'removed', 'created']);
  });

  it('with blacklist is for good', async () => {
    const sandbox = await open();
    await sandbox.call('POST', `${users}/`, { body: ana });

    await sandbox.call('DELETE', `${users}/E1/?blacklist=true`);

    expect(sandbox.state.blacklist).toEqual(new Set(['E1']));
    expect((await sandbox.call('POST', `${users}/`, { body: ana })).status).toBe(400);
  });
});

describe('paths', () => {
  it.each([
    ['POST', '/users'],
    ['PUT', '/users'],
    ['GET', '/users/'],
    ['GET', '/users/E1/'],
    ['DELETE', '/users/E1'],
    ['POST', '/admin/userFiles'],
    ['POST', '/leaders/'],
    ['PATCH', '/admin/import-users-job/'],
  ])('%s %s is no endpoint: slashes are those of the contract', async (method, path) => {
    const sandbox = await open();

    const answer = await sandbox.call(method, `${admin}${path}`, method === 'GET' ? {} : { body: {} });

    expect(answer.status).toBe(404);
    expect(answer.body.detail).toBe('There is no such endpoint');
  });

  it('that are no percent-encoded text are refused', async () => {
    const sandbox = await open();

    expect((await sandbox.call('GET', `${users}/%zz`)).status).toBe(400);
    expect((await sandbox.call('GET', `${users}/%ff`)).status).toBe(400);
  });
});

describe('dialects of users', () => {
  it.each([400, 404, 500] as const)('a missing user is %i', async (missingUser) => {
    const sandbox = await open({ quirks: { missingUser } });

    expect((await sandbox.call('GET', `${users}/nobody`)).status).toBe(missingUser);
  });

  it('texts are trimmed and cut', async () => {
    const sandbox = await open({ quirks: { trims: 4 } });

    await sandbox.call('POST', `${users}/`, { body: { ...ana, area: '  Sales  ', project: '👩‍💻🌟12345' } });

    expect(sandbox.state.users.get('E1')?.fields).toMatchObject({ area: 'Sale', lastName: 'Núñe' });
  });

  it('a field is ignored, a date is hidden', async () => {
    const sandbox = await open({ quirks: { ignoresField: ['area'], hideDateField: 'orgEntryDate' } });

    await sandbox.call('POST', `${users}/`, { body: full });

    const { result } = (await sandbox.call('GET', `${users}/E1`)).body;
    expect(result).not.toHaveProperty('area');
    expect(result).not.toHaveProperty('orgEntryDate');
    expect(result).toHaveProperty('birthDate');
    expect(sandbox.state.users.get('E1')?.fields.orgEntryDate).toBe('2021-01-05');
  });
});
