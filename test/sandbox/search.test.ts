import { request } from 'undici';
import { describe, expect, it } from 'vitest';
import { admin, sandboxes } from './open-sandbox.ts';

const open = sandboxes();
const users = `${admin}/users`;

const person = (identification: string, firstName: string, lastName: string, enabled = true) => ({
  identification,
  enabled,
  fields: { firstName, lastName, email: `${identification}@example.com` },
});

const people = [
  person('C', 'ana', 'Zorrilla'),
  person('A', 'Beto', 'Yáñez'),
  person('B', 'Ana', 'Xu', false),
  person('D', 'Carla', 'Ana-Paz'),
];

async function found(sandbox: Awaited<ReturnType<typeof open>>, query: string): Promise<string[]> {
  const { body } = await sandbox.call('GET', `${users}?${query}`);
  return body.result.map((user) => user.identification);
}

describe('search', () => {
  it('shows the first ten enabled users by first name, with the organization', async () => {
    const sandbox = await open({ users: 40 });

    const { status, body } = await sandbox.call('GET', users);

    const enabled = [...sandbox.state.users.values()].filter((user) => user.enabled).length;
    expect(enabled).toBeLessThan(40);
    expect([status, body.page]).toEqual([200, { totalElements: enabled }]);
    expect(body.result).toHaveLength(10);
    expect(body.result[0]).toHaveProperty('organizationName');
    const names = body.result.map((user) => user.firstName.toLowerCase());
    expect(names).toEqual(names.toSorted());
  });

  it.each([
    ['', ['C', 'A', 'D']],
    ['enabled=true', ['C', 'A', 'D']],
    ['enabled=false', ['C', 'B', 'A', 'D']],
    ['enabled=false&orderBy=id', ['C', 'A', 'B', 'D']],
    ['enabled=false&orderBy=id&direction=DESC', ['D', 'B', 'A', 'C']],
    ['enabled=false&orderBy=lastname', ['D', 'B', 'A', 'C']],
    ['enabled=false&orderBy=email', ['A', 'B', 'C', 'D']],
    ['enabled=false&orderBy=id&size=3', ['C', 'A', 'B']],
    ['enabled=false&orderBy=id&size=3&page=1', ['D']],
    ['page=9', []],
    ['searchString=ANA', ['C', 'D']],
    ['searchString=ana%20zor', ['C']],
    ['searchString=b%40example&enabled=false', ['B']],
    ['searchString=ya%CC%81n%CC%83ez', ['A']],
  ])('with "%s" finds %j', async (query, expected) => {
    expect(await found(await open({ people }), query)).toEqual(expected);
  });

  it('cuts the page size to what the platform can', async () => {
    const sandbox = await open({ users: 30, quirks: { maxPageSize: 12 } });

    expect(await found(sandbox, 'size=500&enabled=false')).toHaveLength(12);
    expect(await found(sandbox, 'size=500&enabled=false&page=2')).toHaveLength(6);
  });

  it('takes its parameters from the body where that is the dialect, and from there only', async () => {
    const sandbox = await open({ people, quirks: { parameters: 'body' } });

    const answer = await request(`${sandbox.url}${users}?size=1`, {
      method: 'GET',
      headers: { authorization: `Bearer ${sandbox.accessToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ enabled: false, orderBy: 'id', direction: 'DESC', page: 0, size: 2 }),
      reset: true,
    });

    const body = (await answer.body.json()) as { result: { identification: string }[] };
    expect(body.result.map(({ identification }) => identification)).toEqual(['D', 'B']);
    expect(await found(sandbox, 'size=1')).toHaveLength(3);
  });

  it('ignores a body where parameters travel in the query', async () => {
    const sandbox = await open({ people });

    const answer = await request(`${sandbox.url}${users}?size=1`, {
      method: 'GET',
      headers: { authorization: `Bearer ${sandbox.accessToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ size: 2 }),
      reset: true,
    });

    expect(((await answer.body.json()) as { result: unknown[] }).result).toHaveLength(1);
  });

  it('stays in order through creates, renames, changes and removals', async () => {
    const sandbox = await open({ people });
    await found(sandbox, 'orderBy=firstName');

    sandbox.state.patchUser('E', { fields: { firstName: 'Aaron', lastName: 'W' } });
    sandbox.state.patchUser('C', { fields: { firstName: 'Zoe' } });
    await sandbox.call('DELETE', `${users}/A/`);

    expect(await found(sandbox, 'enabled=false&orderBy=firstName')).toEqual(['E', 'B', 'D', 'C']);
    expect(await found(sandbox, 'enabled=false&orderBy=id')).toEqual(['C', 'B', 'D', 'E']);
  });

  it('reads 20 000 users page by page without sorting for every page', async () => {
    const seen = new Set<string>();
    const readPages = async (count: number): Promise<number> => {
      const sandbox = await open({ users: count });
      await found(sandbox, 'enabled=false&orderBy=id');
      const before = process.cpuUsage();
      for (let page = 0; page < 200; page += 1) {
        const at = page % (count / 100);
        for (const one of await found(sandbox, `enabled=false&orderBy=id&size=100&page=${at}`)) seen.add(one);
      }
      const { user, system } = process.cpuUsage(before);
      return user + system;
    };
    const few = await readPages(200);
    // A page costs the same. To sort 20 000 users takes several times as long as to answer with 100 of them.
    expect(await readPages(20_000)).toBeLessThan(2 * few);
    expect(seen.size).toBe(20_000);
  });
});

describe('writes that show late', () => {
  it('are true at once and shown after their time, in order', async () => {
    const sandbox = await open({ people });
    sandbox.fault('late=2000');

    await sandbox.call('DELETE', `${users}/A/`);
    sandbox.state.patchUser('E', { fields: { firstName: 'Eva', lastName: 'V' } });

    expect(sandbox.state.users.has('A')).toBe(false);
    expect(await found(sandbox, 'enabled=false&orderBy=id')).toEqual(['C', 'A', 'B', 'D']);
    expect((await sandbox.call('GET', `${users}/A`)).status).toBe(200);
    sandbox.advance(2000);
    expect(await found(sandbox, 'enabled=false&orderBy=id')).toEqual(['C', 'B', 'D', 'E']);
    expect((await sandbox.call('GET', `${users}/A`)).status).toBe(400);
  });
});
