import { describe, expect, it } from 'vitest';
import type { User } from '../../src/core/person/fields.ts';
import { RollcallError } from '../../src/core/run/errors.ts';
import type { Platform } from '../../src/ports/platform.ts';
import { closeAndFailOnLeaks } from './closing.ts';
import { type Responder, sendJson, startLocalServer } from './local-server.ts';
import { neverAborted, openTestClient, type TestClientOptions } from './test-client.ts';
import { searchOf, searchResponder, type WireUser, wireUsers } from './user-directory.ts';

closeAndFailOnLeaks();

async function scanAll(platform: Platform): Promise<User[]> {
  const users: User[] = [];
  for await (const page of platform.scan(neverAborted)) users.push(...page.users);
  return users;
}

const small: TestClientOptions = { dialect: { search: { parameters: 'query', pageSize: 10 } } };

async function scanOf(respond: Responder, options: TestClientOptions = small): Promise<User[]> {
  const server = await startLocalServer(respond);
  return scanAll(openTestClient(server.url, options).platform);
}

async function failureOf(respond: Responder, options: TestClientOptions = small): Promise<RollcallError> {
  const error = await scanOf(respond, options).then(
    () => undefined,
    (thrown) => thrown,
  );
  expect(error).toBeInstanceOf(RollcallError);
  return error;
}

/** Answers searches for everybody by `respond`, all else as the contract says. */
function onScan(users: () => readonly WireUser[], respond: Responder): Responder {
  const honest = searchResponder(users);
  return (request, response, index) =>
    searchOf(request).enabled ? honest(request, response, index) : respond(request, response, index);
}

describe('a scan of the directory', () => {
  it.each([0, 1, 9, 10, 11, 20, 95, 100])('finds every one of %i users once, in order of id', async (count) => {
    const users = await scanOf(searchResponder(() => wireUsers(count)));

    expect(users.map(({ id }) => id)).toEqual(wireUsers(count).map(({ id }) => String(id)));
    expect(users.filter(({ enabled }) => !enabled)).toHaveLength(Math.floor(count / 10));
  });

  it.each([false, true])(
    'lists records that it cannot read beside the others; users disappear meanwhile: %s',
    async (doVanish) => {
      let users = wireUsers(35);
      const damages: Readonly<Record<number, object>> = {
        10: { id: null },
        11: { id: '', identification: null },
        20: { identification: ' ' },
        35: { enabled: 'yes' },
      };
      const server = await startLocalServer((request, response) => {
        if (doVanish && searchOf(request).page === 2) users = users.filter(({ id }) => id !== 3);
        const { enabled, page, size } = searchOf(request);
        const found = users.filter((user) => !enabled || user.enabled);
        const result = found.slice(page * size, (page + 1) * size).map((user) => ({ ...user, ...damages[user.id] }));
        sendJson(response, 200, { result, page: { totalElements: found.length } });
      });
      const read: string[] = [];
      const unread: object[] = [];
      for await (const page of openTestClient(server.url, small).platform.scan(neverAborted)) {
        read.push(...page.users.map(({ id }) => id));
        unread.push(...page.unread);
      }
      expect(new Set(read).size).toBe(31);
      expect(read).toHaveLength(31);
      expect(unread).toMatchObject([
        { identification: 'E10', fields: { email: 'ana.10@example.com' }, fault: 'has no id' },
        { fields: { email: 'ana.11@example.com' }, fault: 'has no identification' },
        { id: '20', fault: 'has no identification' },
        { id: '35', identification: 'E35', fault: 'has no enabled flag' },
      ]);
    },
  );

  it('a person with such a record is unclear, not missing', async () => {
    const damaged = { ...wireUsers(7)[6], enabled: null };
    const server = await startLocalServer((request, response) =>
      request.url.includes('/users/')
        ? sendJson(response, 400, {})
        : sendJson(response, 200, {
            result: [{ ...damaged, id: 8, identification: null }, damaged],
            page: { totalElements: 2 },
          }),
    );
    const { platform } = openTestClient(server.url, small);
    const reason = 'the account has no enabled flag that can be read';
    expect(await platform.find('E7', neverAborted)).toEqual({ found: 'unclear', reason });
    expect(await platform.find('E8', neverAborted)).toEqual({ found: false });
  });

  it('a person whose account appears between read and search is read again', async () => {
    const [user] = wireUsers(1);
    const reads: string[] = [];
    const server = await startLocalServer((request, response) => {
      if (!request.url.includes('/users/')) sendJson(response, 200, { result: [user], page: { totalElements: 1 } });
      else sendJson(response, reads.push(request.url) === 1 ? 400 : 200, { result: user });
    });
    const { platform } = openTestClient(server.url, small);
    expect(await platform.find('E1', neverAborted)).toMatchObject({ found: true, user: { identification: 'E1' } });
    expect(reads).toHaveLength(2);
  });

  it('sends the parameters in the body when the dialect says so', async () => {
    const server = await startLocalServer(searchResponder(() => wireUsers(25)));
    const { platform } = openTestClient(server.url, { dialect: { search: { parameters: 'body', pageSize: 10 } } });

    expect(await scanAll(platform)).toHaveLength(25);
    expect(server.seen.every(({ url }) => url === '/os-api/public-api/v1/users')).toBe(true);
    expect(JSON.parse(server.seen[1]?.body ?? '')).toEqual({
      enabled: false,
      page: 0,
      size: 10,
      orderBy: 'id',
      direction: 'ASC',
    });
  });

  it('learns the page size that the platform really applies', async () => {
    const options: TestClientOptions = { dialect: { search: { parameters: 'query', pageSize: 500 } } };
    const server = await startLocalServer(searchResponder(() => wireUsers(173), 50));

    expect(await scanAll(openTestClient(server.url, options).platform)).toHaveLength(173);
    expect(server.seen.slice(2).map((request) => searchOf(request).size)).toEqual([50, 50, 50]);
  });

  it('names dialect.search.parameters when the platform ignores them all', async () => {
    const byName = wireUsers(35).toReversed();
    const error = await failureOf((_request, response) =>
      sendJson(response, 200, { result: byName.slice(0, 10), page: { totalElements: 35 } }),
    );

    expect(error.code).toBe('SCAN_INCOMPLETE');
    expect(error.message).toContain('dialect.search.parameters');
  });

  it.each([15, 35])('names dialect.search.parameters when only page is ignored (%i users)', async (count) => {
    const users = wireUsers(count);
    const error = await failureOf((_request, response) =>
      sendJson(response, 200, { result: users.slice(0, 10), page: { totalElements: count } }),
    );

    expect(error.code).toBe('SCAN_INCOMPLETE');
    expect(error.message).toContain('page 1 repeats');
    expect(error.message).toContain('dialect.search.parameters');
  });

  it('names dialect.search.parameters when enabled=false finds fewer than enabled=true', async () => {
    const users = wireUsers(30);
    const disabled = users.filter(({ enabled }) => !enabled);
    const error = await failureOf(onScan(() => users, searchOnly(disabled)));

    expect(error.code).toBe('SCAN_INCOMPLETE');
    expect(error.message).toContain('dialect.search.parameters');
  });

  it('refuses a scan of disabled users alone even where they are the majority', async () => {
    const users = wireUsers(30).map((user) => ({ ...user, enabled: user.id <= 5 }));
    const disabled = users.filter(({ enabled }) => !enabled);
    const error = await failureOf(onScan(() => users, searchOnly(disabled)));

    expect(error.message).toContain('only disabled users were found, although 5 are enabled');
  });

  it('names dialect.search.parameters when the first page is refused', async () => {
    const error = await failureOf((_request, response) => sendJson(response, 400, { title: 'Bad Request' }));

    expect(error.code).toBe('SCAN_INCOMPLETE');
    expect(error.message).toContain('dialect.search.parameters');
  });

  it('misses nobody when a user vanishes between two pages', async () => {
    const users = wireUsers(60);
    const honest = searchResponder(() => users);
    const found = await scanOf((request, response, index) => {
      if (searchOf(request).page === 3 && users.some(({ id }) => id === 2)) users.splice(1, 1);
      honest(request, response, index);
    });

    const ids = new Set(found.map(({ id }) => id));
    expect(users.filter(({ id }) => !ids.has(String(id)))).toEqual([]);
    expect(ids.size).toBe(found.length);
  });

  it('misses nobody when more users vanish than a page holds', async () => {
    const users = wireUsers(80);
    const honest = searchResponder(() => users);
    const found = await scanOf(
      (request, response, index) => {
        if (searchOf(request).page === 5 && users[0]?.id === 1) users.splice(0, 25);
        honest(request, response, index);
      },
      { ...small, limits: { concurrency: 1 } },
    );

    const ids = new Set(found.map(({ id }) => id));
    expect(users.filter(({ id }) => !ids.has(String(id)))).toEqual([]);
  });

  it('takes users who appear while it reads, and shows nobody twice', async () => {
    const users = wireUsers(60);
    const honest = searchResponder(() => users);
    const found = await scanOf((request, response, index) => {
      const next = users.length + 1;
      if (users.length < 70) users.push({ ...(wireUsers(1)[0] as WireUser), id: next, identification: `E${next}` });
      honest(request, response, index);
    });

    expect(found.map(({ id }) => id)).toEqual(users.map(({ id }) => String(id)));
  });

  it.each<[string, (result: unknown[]) => unknown]>([
    ['is null items', (result) => result.map(() => null)],
    ['repeats a row', (result) => [result[0], ...result.slice(0, -1)]],
    ['is empty', () => []],
    ['lacks rows', (result) => result.slice(0, -3)],
    ['is out of order', (result) => result.toReversed()],
    ['has more rows than asked', (result) => [...result, { ...(result[0] as object), id: 999 }]],
  ])('reads a page again that %s once', async (_name, damage) => {
    const users = wireUsers(50);
    let isDamaged = false;
    const found = await scanOf((request, response) => {
      const { page, enabled, size } = searchOf(request);
      const all = users.filter((user) => !enabled || user.enabled);
      const result = all.slice(page * size, (page + 1) * size);
      const isHit = page === 2 && !isDamaged;
      if (isHit) isDamaged = true;
      sendJson(response, 200, { result: isHit ? damage(result) : result, page: { totalElements: all.length } });
    });

    expect(isDamaged).toBe(true);
    expect(found.map(({ id }) => id)).toEqual(users.map(({ id }) => String(id)));
  });

  it.each<[string, number]>([
    ['too many', 60],
    ['too few', 40],
  ])('is incomplete when the total promises %s users', async (_name, total) => {
    const users = wireUsers(50);
    const error = await failureOf(
      onScan(
        () => [],
        (request, response) => {
          const { page, size } = searchOf(request);
          const result = users.slice(page * size, (page + 1) * size);
          sendJson(response, 200, { result, page: { totalElements: total } });
        },
      ),
    );

    expect(error.code).toBe('SCAN_INCOMPLETE');
  });

  it('is incomplete without a total', async () => {
    const error = await failureOf((_request, response) => sendJson(response, 200, { result: wireUsers(3), page: {} }));

    expect(error.code).toBe('SCAN_INCOMPLETE');
  });

  it('ends when the directory never holds still', async () => {
    const users = wireUsers(200);
    const honest = searchResponder(() => users);
    const error = await failureOf((request, response, index) => {
      // Somebody at the far end leaves before every single answer.
      if (users.length > 60) users.pop();
      honest(request, response, index);
    });

    expect(error.code).toBe('SCAN_INCOMPLETE');
    expect(error.retry).toBe('backoff');
  });

  it('accepts a platform that answers a page beyond the last with an error', async () => {
    const users = wireUsers(20);
    const honest = searchResponder(() => users);
    const found = await scanOf((request, response, index) =>
      searchOf(request).page >= 2 ? sendJson(response, 404, {}) : honest(request, response, index),
    );

    expect(found).toHaveLength(20);
  });

  it('reads ahead no further than the concurrency allows, and stops reading when its reader stops', async () => {
    const server = await startLocalServer(searchResponder(() => wireUsers(500)));
    const { platform } = openTestClient(server.url, { ...small, limits: { concurrency: 3 } });
    for await (const page of platform.scan(neverAborted)) {
      expect(page).toMatchObject({ total: 500 });
      break;
    }

    expect(server.seen.length).toBeLessThanOrEqual(2 + 3);
  });

  it('ends with the code of what aborted it', async () => {
    const server = await startLocalServer(searchResponder(() => wireUsers(500)));
    const { platform } = openTestClient(server.url, small);
    const controller = new AbortController();
    const scan = async (): Promise<void> => {
      for await (const _page of platform.scan(controller.signal)) {
        controller.abort(new RollcallError('the lease is gone', { code: 'LEASE_LOST' }));
      }
    };

    await expect(scan()).rejects.toMatchObject({ code: 'LEASE_LOST' });
  });
});

function searchOnly(users: readonly WireUser[]): Responder {
  return (request, response) => {
    const { page, size } = searchOf(request);
    sendJson(response, 200, {
      result: users.slice(page * size, (page + 1) * size),
      page: { totalElements: users.length },
    });
  };
}

describe('an account that the platform counts and never lists', () => {
  const users = wireUsers(25);
  /** Pages as the platform cuts them, without the hidden account. */
  const hiding: Responder = (request, response) => {
    const { page = 0, size = 10 } = searchOf(request);
    const cut = users.slice(Number(page) * Number(size), (Number(page) + 1) * Number(size));
    sendJson(response, 200, { result: cut.filter(({ id }) => id !== users[12]?.id), page: { totalElements: 25 } });
  };
  const withHidden = (hidden: number): TestClientOptions => ({
    dialect: { search: { parameters: 'query', pageSize: 10, hidden } },
  });

  it('has a setting of its own in the error, and is no reason against the scan once it is set', async () => {
    const error = await failureOf(
      onScan(() => users, hiding),
      withHidden(0),
    );
    expect(error).toMatchObject({
      code: 'SCAN_INCOMPLETE',
      message: expect.stringContaining('set dialect.search.hidden'),
    });
    expect(
      await scanOf(
        onScan(() => users, hiding),
        withHidden(1),
      ),
    ).toHaveLength(24);
  });

  it('excuses no other one that is missing', async () => {
    const two = users.filter(({ id }) => id !== users[3]?.id);
    const missing: Responder = (request, response) => {
      const { page = 0, size = 10 } = searchOf(request);
      const cut = users.slice(Number(page) * Number(size), (Number(page) + 1) * Number(size));
      const listed = cut.filter(({ id }) => id !== users[12]?.id && two.some((one) => one.id === id));
      sendJson(response, 200, { result: listed, page: { totalElements: 25 } });
    };
    expect(
      (
        await failureOf(
          onScan(() => users, missing),
          withHidden(1),
        )
      ).code,
    ).toBe('SCAN_INCOMPLETE');
  });
});
