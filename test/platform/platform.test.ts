import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { defaultDialect } from '../../src/core/run/settings.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { closeAndFailOnLeaks } from './closing.ts';
import { type Responder, sendJson, startLocalServer } from './local-server.ts';
import { neverAborted, openTestClient } from './test-client.ts';
import { searchResponder, wireUsers } from './user-directory.ts';

closeAndFailOnLeaks();

const named = { firstName: 'Ana', lastName: 'Gómez' };

/** A platform that accepts every write. */
const accepting: Responder = (request, response) => {
  if (request.method === 'DELETE') return void response.writeHead(200).end();
  if (request.method === 'PUT') return sendJson(response, 202, { result: {} });
  if (request.url.includes('/admin/userFiles/'))
    return sendJson(response, 200, { result: { id: 5, fileStatus: 'Processing' } });
  sendJson(response, 201, { userId: 'u-1' });
};

describe('addresses of the contract', () => {
  it('are kept to the slash, below the path of the base URL', async () => {
    const server = await startLocalServer(accepting);
    const { platform } = openTestClient(`${server.url}/community/`, {
      dialect: { upload: { encoding: 'json', preprocessing: true } },
    });
    const path = join(await temporaryFolder(), 'b.csv');
    await writeFile(path, 'identification\n');
    await platform.create({ identification: 'a/b', fields: named }, neverAborted);
    await platform.update({ id: '9', identification: 'a/b' }, { identification: 'a/b', fields: named }, neverAborted);
    await platform.remove('a/b c?%', { blacklist: true }, neverAborted);
    await platform.remove('x', { blacklist: false }, neverAborted);
    await platform.upload({ path, name: 'b.csv' }, neverAborted);
    await platform.status('5', neverAborted);

    const prefix = '/community/os-api/public-api/v1';
    expect(server.seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
      `POST ${prefix}/users/`,
      `PUT ${prefix}/users/`,
      `DELETE ${prefix}/users/a%2Fb%20c%3F%25/?blacklist=true`,
      `DELETE ${prefix}/users/x/?blacklist=false`,
      `POST ${prefix}/admin/userFiles/?preprocessing=true`,
      `GET ${prefix}/admin/userFiles/5`,
    ]);
  });

  it('take the status path from the dialect', async () => {
    const server = await startLocalServer(accepting);
    const status = { ...defaultDialect.status, path: '/os-api/public-api/v2/admin/userFiles/{id}/state' };
    await openTestClient(server.url, { dialect: { status } }).platform.status('5', neverAborted);

    expect(server.seen[0]?.url).toBe('/os-api/public-api/v2/admin/userFiles/5/state');
  });
});

describe('a direct write', () => {
  it('carries plain fields, custom fields beside them, and blanks that clear', async () => {
    const server = await startLocalServer(accepting);
    const { platform } = openTestClient(server.url);
    const fields = { ...named, area: '', birthDate: '1990-02-01', customField1: 'x', customField30: '' };
    expect(await platform.create({ identification: 'E1', fields }, neverAborted)).toEqual({ userId: 'u-1' });

    expect(JSON.parse(server.seen[0]?.body ?? '')).toEqual({
      identification: 'E1',
      ...named,
      area: '',
      birthDate: '1990-02-01',
      customFields: { customField1: 'x', customField30: '' },
    });
  });

  it.each([
    ['office', { ...named, office: 'Montevideo' }, 'office'],
    ['a custom field beyond the direct limit', { ...named, customField31: 'x' }, 'customField31'],
    ['no first name', { lastName: 'Gómez' }, 'firstName'],
    ['a blank last name', { firstName: 'Ana', lastName: '' }, 'lastName'],
  ])('with %s is refused before it is sent', async (_name, fields, word) => {
    const server = await startLocalServer(accepting);
    const { platform } = openTestClient(server.url);
    for (const refused of [
      platform.create({ identification: 'E1', fields }, neverAborted),
      platform.update({ id: '1', identification: 'E1' }, { identification: 'E1', fields }, neverAborted),
    ]) {
      await expect(refused).rejects.toMatchObject({
        code: 'PLATFORM_REFUSED',
        effect: 'none',
        message: expect.stringContaining(word),
      });
    }

    expect(server.seen).toHaveLength(0);
  });

  it('carries custom fields up to the limit that the dialect sets', async () => {
    const server = await startLocalServer(accepting);
    const { platform } = openTestClient(server.url, { dialect: { customFieldLimit: { direct: 60, csv: 60 } } });
    await platform.create({ identification: 'E1', fields: { ...named, customField60: 'x' } }, neverAborted);

    expect(server.seen).toHaveLength(1);
  });

  it.each([
    ['id', '12345678901234567890'],
    ['uid', 'uid-7'],
    ['identification', 'E1'],
  ] as const)('updates by %s', async (userId, expected) => {
    const server = await startLocalServer(accepting);
    const { platform } = openTestClient(server.url, { dialect: { userId } });
    const target = { id: '12345678901234567890', uid: 'uid-7', identification: 'E1' };
    await platform.update(target, { identification: 'E1', fields: named }, neverAborted);

    expect(JSON.parse(server.seen[0]?.body ?? '')).toMatchObject({ userId: expected, identification: 'E1' });
  });

  it.each([
    ['a uid that is not shown', 'uid', 'E1'],
    ['what create returned', 'created', 'E1'],
    ['the read of another user', 'id', 'E2'],
  ] as const)('does not update by %s', async (_name, userId, identification) => {
    const server = await startLocalServer(accepting);
    const { platform } = openTestClient(server.url, { dialect: { userId } });
    const refused = platform.update({ id: '1', identification }, { identification: 'E1', fields: named }, neverAborted);

    await expect(refused).rejects.toMatchObject({ code: 'PLATFORM_REFUSED', effect: 'none' });
    expect(server.seen).toHaveLength(0);
  });

  it('updates a user under the identification that the platform shows', async () => {
    const server = await startLocalServer(accepting);
    const { platform } = openTestClient(server.url, { dialect: { userId: 'identification' } });
    const target = { id: '1', identification: 'E1', rawIdentification: ' E1 ' };
    await platform.update(target, { identification: 'E1', fields: named }, neverAborted);

    expect(JSON.parse(server.seen[0]?.body.toString() ?? '')).toMatchObject({ userId: ' E1 ', identification: ' E1 ' });
  });

  it('that was taken but gives no user id may have had its effect', async () => {
    const server = await startLocalServer((_, response) => sendJson(response, 201, {}));
    const created = openTestClient(server.url).platform.create({ identification: 'E1', fields: named }, neverAborted);

    await expect(created).rejects.toMatchObject({ code: 'PLATFORM_ANSWER_INVALID', effect: 'unknown' });
  });
});

describe('finding one user', () => {
  /** Reads are answered by `read`, searches over `users`. */
  async function findWith(read: Responder, users = wireUsers(40), wanted = 'E4') {
    const search = searchResponder(() => users);
    const server = await startLocalServer((request, response, index) =>
      request.url.startsWith('/os-api/public-api/v1/users/')
        ? read(request, response, index)
        : search(request, response, index),
    );
    return openTestClient(server.url).platform.find(wanted, neverAborted);
  }

  it('believes a read that answers with the user', async () => {
    const found = await findWith((_, response) => sendJson(response, 200, { result: wireUsers(4)[3] }));

    expect(found).toMatchObject({ found: true, user: { id: '4', identification: 'E4' } });
  });

  it.each([400, 404, 500])('concludes from %i and an empty search that there is none', async (status) => {
    expect(await findWith((_, response) => sendJson(response, status, {}), [])).toEqual({ found: false });
  });

  it('takes only an exact match for the user: E4 is not E40, nor e4', async () => {
    const others = wireUsers(40)
      .filter(({ identification }) => identification !== 'E4')
      .map((user) => (user.id === 5 ? { ...user, identification: 'e4' } : user));

    expect(await findWith((_, response) => sendJson(response, 404, {}), others)).toEqual({ found: false });
  });

  it('compares after NFC and trim', async () => {
    const users = [{ ...wireUsers(1)[0], id: 1, enabled: true, identification: ' Jose\u0301 ' }];
    const found = await findWith((_, response) => sendJson(response, 200, { result: users[0] }), users, 'Jos\u00e9');

    expect(found).toMatchObject({ found: true, user: { identification: 'Jos\u00e9' } });
  });

  it.each([
    { name: 'in NFD', shown: 'Jose\u0301', wanted: 'Jos\u00e9' },
    { name: 'with spaces around it', shown: ' E4 ', wanted: 'E4' },
  ])('finds a user whose identification is shown $name, although a read of the plain one fails', async (given) => {
    const { shown, wanted } = given;
    const users = [{ id: 1, enabled: true, identification: shown }];
    const found = await findWith((_, response) => sendJson(response, 404, {}), users, wanted);

    expect(found).toMatchObject({ found: true, user: { identification: wanted, rawIdentification: shown } });
    expect(await findWith((_, response) => sendJson(response, 404, {}), users, shown)).toMatchObject({
      found: 'unclear',
    });
  });

  it.each<[string, Responder, ReturnType<typeof wireUsers>]>([
    ['the search finds whom the read does not', (_, response) => sendJson(response, 404, {}), wireUsers(40)],
    [
      'two users claim the identification',
      (_, response) => sendJson(response, 500, {}),
      [...wireUsers(10), { id: 11, identification: 'E4', enabled: true }],
    ],
    [
      'the read answers with somebody else',
      (_, response) => sendJson(response, 200, { result: wireUsers(5)[4] }),
      wireUsers(40),
    ],
  ])('is unclear when %s', async (_name, read, users) => {
    expect(await findWith(read, users)).toMatchObject({ found: 'unclear' });
  });

  it.each([403, 429])('does not take %i for an absence', async (status) => {
    await expect(findWith((_, response) => sendJson(response, status, {}), [])).rejects.toMatchObject({ status });
  });

  it('is unclear when the search repeats the same page for ever', async () => {
    const server = await startLocalServer((request, response) =>
      request.url.includes('/users/')
        ? sendJson(response, 404, {})
        : sendJson(response, 200, { result: wireUsers(3), page: { totalElements: 90 } }),
    );

    expect(await openTestClient(server.url).platform.find('nobody', neverAborted)).toMatchObject({ found: 'unclear' });
  });
});

describe('a provisioning file', () => {
  it('goes as multipart with the parts file and fileName, and a true content-length', async () => {
    const server = await startLocalServer(accepting);
    const { platform } = openTestClient(server.url);
    const path = join(await temporaryFolder(), 'b.csv');
    const csv = `command,identification\n${'I,Zoë\n'.repeat(50_000)}`;
    await writeFile(path, csv);
    const receipt = await platform.upload({ path, name: 'a "b".csv' }, neverAborted);

    const form = await new Response(server.seen[0]?.body ?? '', {
      headers: { 'content-type': server.seen[0]?.headers['content-type'] ?? '' },
    }).formData();
    const file = form.get('file');
    expect([...form.keys()].toSorted()).toEqual(['file', 'fileName']);
    expect(form.get('fileName')).toBe('a "b".csv');
    expect(typeof file === 'object' && file !== null ? await file.text() : file).toBe(csv);
    expect(server.seen[0]?.headers['transfer-encoding']).toBeUndefined();
    expect(Number(server.seen[0]?.headers['content-length'])).toBe(Buffer.byteLength(server.seen[0]?.body ?? ''));
    expect(receipt).toEqual({ fileId: '5', status: { kind: 'pending', text: 'Processing', isKnown: true } });
  });

  it('sends an empty file whole', async () => {
    const server = await startLocalServer(accepting);
    const path = join(await temporaryFolder(), 'b.csv');
    await writeFile(path, '');
    await openTestClient(server.url).platform.upload({ path, name: 'b.csv' }, neverAborted);

    expect(server.seen).toHaveLength(1);
  });

  it('keeps all digits of a long file id', async () => {
    const server = await startLocalServer(
      (_, response) =>
        void response
          .writeHead(200, { 'content-type': 'application/json' })
          .end('{"result":{"id":12345678901234567890,"fileStatus":"Processing"}}'),
    );
    const path = join(await temporaryFolder(), 'b.csv');
    await writeFile(path, 'x');

    expect(await openTestClient(server.url).platform.upload({ path, name: 'b' }, neverAborted)).toMatchObject({
      fileId: '12345678901234567890',
    });
  });

  it.each([404, 405])('has no status where asking is answered %i, asked once', async (status) => {
    const server = await startLocalServer((_, response) => sendJson(response, status, {}));

    expect(await openTestClient(server.url).platform.status('5', neverAborted)).toEqual({ kind: 'no-status' });
    expect(server.seen).toHaveLength(1);
  });

  it('does not believe the status of another file', async () => {
    const server = await startLocalServer((_, response) =>
      sendJson(response, 200, { result: { id: 6, fileStatus: 'Processed' } }),
    );

    await expect(openTestClient(server.url).platform.status('5', neverAborted)).rejects.toMatchObject({
      code: 'PLATFORM_ANSWER_INVALID',
    });
  });
});
