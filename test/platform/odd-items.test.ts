import { expect, it } from 'vitest';
import { connectPlatform } from '../../src/platform/client/connect.ts';
import { examples } from '../../src/platform/table/examples.ts';
import { memoryLogger } from '../support/memory-logger.ts';
import { damaged, oddValues } from '../support/odd-values.ts';
import { closeAndFailOnLeaks, closeLater } from './closing.ts';
import { sendJson, startLocalServer } from './local-server.ts';
import { neverAborted, openTestClient } from './test-client.ts';

closeAndFailOnLeaks();

type Item = Readonly<Record<string, unknown>>;

/** One item of a list of the contract, and its answer around three of them. */
function listOf(name: string): { readonly item: Item; readonly around: (items: readonly unknown[]) => unknown } {
  const example = examples[name] as Item | readonly Item[];
  if (Array.isArray(example)) return { item: example[0] as Item, around: (items) => items };
  const { result, page } = example as { readonly result: readonly Item[]; readonly page: Item };
  const totals = Object.fromEntries(Object.entries(page).map(([member, value]) => [member, value === 1 ? 3 : value]));
  return { item: result[0] as Item, around: (items) => ({ result: items, page: totals }) };
}

/** The same item with another key. */
const numbered = (item: Item, number: number): Item => {
  const key = ['id', 'code', 'identification'].filter((name) => name in item);
  return { ...item, ...Object.fromEntries(key.map((name) => [name, name === 'id' ? number : `K${number}`])) };
};

const lists = {
  feedback: 'FeedbackListAnswer',
  evaluations: 'EvaluationListAnswer',
  goals: 'GoalListAnswer',
  leaders: 'LeaderListAnswer',
  users: 'UserSearchAnswer',
  roles: 'RoleList',
} as const;

it.each(Object.entries(lists))('odd items of %s change no other item, and are read or named', async (part, name) => {
  const { item, around } = listOf(name);
  const odd = damaged(numbered(item, 2));
  let between: readonly unknown[] = [];
  const { url: baseUrl } = await startLocalServer((_, response) =>
    sendJson(response, 200, around([numbered(item, 1), ...between, numbered(item, 3)])),
  );
  const logger = memoryLogger();
  const platform = connectPlatform({ baseUrl, accessToken: 'a', now: Date.now, insecure: true, logger });
  closeLater(() => platform.close());
  const read = async (): Promise<{ readonly items: readonly unknown[]; readonly unread: number }> => {
    if (part === 'roles') {
      const items = await platform.roles.list();
      return { items, unread: Number(logger.lines.at(-1)?.fields.unread ?? 0) };
    }
    const page = await (part === 'leaders' ? platform.leaders.page('E1') : platform[part as 'goals'].page());
    return { items: page.items, unread: page.unread.length };
  };
  const { items: whole } = await read();
  expect(whole).toHaveLength(2);
  between = odd;
  const { items, unread } = await read();
  expect([items[0], items.at(-1)]).toEqual(whole);
  expect(items.length + unread).toBe(odd.length + 2);
  expect(unread).toBeGreaterThan(oddValues.length - 3);
  expect(logger.lines).toMatchObject([{ level: 'warn', fields: { unread } }]);
});

it('a word that the contract does not name is read as it is, and an item without its person is named by id', async () => {
  const { item, around } = listOf('EvaluationListAnswer');
  const { evaluator } = item as { readonly evaluator: Item };
  const items = [
    { ...numbered(item, 1), type: 'SELF_EVALUATION' },
    { ...numbered(item, 2), evaluator: { ...evaluator, identification: null } },
    numbered(item, 3),
  ];
  const { url: baseUrl } = await startLocalServer((_, response) => sendJson(response, 200, around(items)));
  const platform = connectPlatform({ baseUrl, accessToken: 'a', now: Date.now, insecure: true });
  closeLater(() => platform.close());
  const page = await platform.evaluations.page();
  expect(page.items.map(({ id, type }) => [id, type])).toEqual([
    [1, 'SELF_EVALUATION'],
    [3, 'EVALUATION'],
  ]);
  expect(page.unread).toEqual([{ id: '2', fault: 'evaluator.identification: invalid_type' }]);
});

it('odd users of a scan change no other user, and are read or named', async () => {
  const { item } = listOf('UserSearchAnswer');
  // A number in another order is no odd record: the order proves the scan.
  const odd = damaged(numbered(item, 2)).filter((one) => (one as Item | undefined)?.id !== 7);
  const users = [
    numbered(item, 1),
    ...odd.map((one, i) => ((one as Item | null)?.id === 2 ? { ...(one as Item), id: i + 10 } : one)),
    numbered(item, 9999),
  ];
  const { url } = await startLocalServer(({ url: asked }, response) => {
    const isEnd = new URL(asked, 'http://x').searchParams.get('page') !== '0';
    sendJson(response, 200, { result: isEnd ? [] : users, page: { totalElements: users.length } });
  });
  const { platform } = openTestClient(url, { dialect: { search: { parameters: 'query', pageSize: 5000 } } });
  const read: string[] = [];
  let unread = 0;
  for await (const page of platform.scan(neverAborted)) {
    read.push(...page.users.map(({ identification }) => identification));
    unread += page.unread.length;
  }
  expect([read[0], read.at(-1)]).toEqual(['K1', 'K9999']);
  expect(read.length + unread).toBe(users.length);
});
