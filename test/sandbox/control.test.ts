import { describe, expect, it } from 'vitest';
import { admin, sandboxes } from './open-sandbox.ts';

const open = sandboxes();
const header = 'command,identification,firstName,lastName';

describe('the control paths', () => {
  it('tell everything about the state, without a token', async () => {
    const sandbox = await open({ users: 3 });
    await sandbox.call('GET', `${admin}/users`);
    await sandbox.call('GET', `${admin}/users`, { token: null });
    await sandbox.provision(header, 'I,N1,Ana,Núñez');

    const look = async (path: string) => (await sandbox.call('GET', `/_sandbox/${path}`, { token: null })).body;

    expect(await look('state')).toMatchObject({ users: 4, files: 1, writes: 1, isBusy: false, faults: [] });
    expect(await look('requests')).toMatchObject({ search: 2, upload: 1, status: 1, create: 0 });
    expect(await look('log')).toMatchObject([{ n: 1, identification: 'N1', kind: 'created', via: 'file:1' }]);
    expect(await look('log?after=1')).toEqual([]);
    expect(await look('files')).toMatchObject([{ id: 1, name: 'users.csv', status: 'Processed', isProcessed: true }]);
    expect(await look('files/1')).toMatchObject({ text: `${header}\nI,N1,Ana,Núñez\n`, rows: [{ result: 'applied' }] });
    expect(await look('users/E000001')).toMatchObject({ fields: { job: expect.any(String) } });
    expect(await look('refreshes')).toEqual([]);
    expect(await look('feedback-requests')).toEqual([]);
  });

  it('process the files that are due before they tell', async () => {
    const sandbox = await open();
    await sandbox.upload(header, 'I,N1,Ana,Núñez');
    sandbox.advance(1000);

    expect((await sandbox.call('GET', '/_sandbox/users/N1')).status).toBe(200);
  });

  it('set faults, or say what is wrong with them and leave the old ones', async () => {
    const sandbox = await open();

    const set = await sandbox.call('PUT', '/_sandbox/faults', { body: ['search:status=500@1'] });
    const refused = await sandbox.call('PUT', '/_sandbox/faults', { body: ['serach:status=500'] });
    const shapeless = await sandbox.call('PUT', '/_sandbox/faults', { body: { fault: 'x' } });

    expect([set.status, refused.status, shapeless.status]).toEqual([200, 400, 400]);
    expect(refused.body.message).toContain('"serach" is not an operation');
    expect((await sandbox.call('GET', '/_sandbox/faults')).body).toEqual(['search:status=500@1']);
    expect((await sandbox.call('GET', `${admin}/users`)).status).toBe(500);
  });

  it('change, create and remove users behind everybody', async () => {
    const sandbox = await open({ users: 1 });
    const edit = (identification: string, body: object) =>
      sandbox.call('PUT', `/_sandbox/users/${identification}`, { body });

    await edit('E000001', { enabled: false, fields: { area: 'Legal' } });
    await edit('X/1'.replace('/', '%2F'), { fields: { firstName: 'Xi', lastName: 'Yu' } });
    await sandbox.call('DELETE', '/_sandbox/users/E000001');

    expect((await edit('E000002', { fields: { nickname: 'x' } })).status).toBe(400);
    expect([...sandbox.state.users.keys()]).toEqual(['X/1']);
    expect(sandbox.state.log.map(({ kind, via }) => [kind, via])).toEqual([
      ['disabled', 'outside'],
      ['created', 'outside'],
      ['updated', 'outside'],
      ['removed', 'outside'],
    ]);
  });

  it('define the source of the import job', async () => {
    const sandbox = await open();
    const job = `${admin}/admin/import-users-job`;

    await sandbox.call('PUT', '/_sandbox/import-source', { body: { csv: `${header}\nI,N1,Ana,Núñez\n` } });

    expect((await sandbox.call('PATCH', job)).status).toBe(202);
  });
});
