import { expect, it } from 'vitest';
import { loadPeople } from '../../bench/load-people.ts';
import { parseFault, startSandbox } from '../../src/sandbox/index.ts';
import { closeLater } from './closing.ts';
import { neverAborted, openTestClient } from './test-client.ts';

/** A platform with 120 users, a scan that returns how many searches it took, and faults. */
async function openScanned(limits: { readonly pageSize?: number }) {
  const sandbox = await startSandbox({
    now: () => Date.UTC(2026, 10, 21, 12),
    accessToken: 'secret-1',
    people: loadPeople(120),
    quirks: { maxPageSize: 40 },
  });
  closeLater(() => sandbox.close());
  const dialect = { search: { parameters: 'query', pageSize: 10 } } as const;
  const { platform } = openTestClient(sandbox.url, { limits, dialect });
  const searches = async (): Promise<number> => {
    const before = sandbox.state.requests.search;
    let users = 0;
    for await (const page of platform.scan(neverAborted)) users += page.users.length;
    expect(users).toBe(120);
    return sandbox.state.requests.search - before;
  };
  return { searches, setFaults: (...faults: string[]) => sandbox.setFaults(faults.map(parseFault)) };
}

/** One search counts the enabled users, and a full last page is followed by an empty one. */
const scanOf = (pageSize: number): number => 120 / pageSize + 2;

it('pages grow from scan to scan up to limits.pageSize', async () => {
  const { searches } = await openScanned({ pageSize: 30 });
  const made = [await searches(), await searches(), await searches(), await searches()];
  expect(made).toEqual([10, 20, 30, 30].map(scanOf));
});

it('pages do not grow without limits.pageSize', async () => {
  const { searches } = await openScanned({});
  expect([await searches(), await searches()]).toEqual([10, 10].map(scanOf));
});

it('a grown page that the platform refuses costs one more search, and the size before stays', async () => {
  const { searches, setFaults } = await openScanned({ pageSize: 30 });
  await searches();
  setFaults('search:status=400@2');
  expect(await searches()).toBe(scanOf(10) + 1);
  expect(await searches()).toBe(scanOf(10));
});

it('a page that is too large for a gateway makes the next scan ask for half', async () => {
  const { searches, setFaults } = await openScanned({ pageSize: 40 });
  await searches();
  await searches();
  // The first page of 40 users is answered, and the ones after it are not.
  setFaults('search:status=504@3-');
  await expect(searches()).rejects.toMatchObject({ status: 504 });
  setFaults();
  expect(await searches()).toBe(scanOf(20));
});
