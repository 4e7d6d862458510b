import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openCommandPlace } from '../support/command-place.ts';

interface Checked {
  readonly ok: boolean;
  readonly lines: readonly { readonly message: string; readonly loosened?: object }[];
}

interface Audited {
  readonly entries: readonly {
    readonly action: string;
    readonly by: string;
    readonly sync: string;
    readonly detail: string;
  }[];
}

it('looser safeguards show in check until a command works with them, and then once in the audit', async () => {
  const { folder, rollcall, employ } = await openCommandPlace('sqlite:./store.db');
  const config = JSON.parse(await readFile(join(folder, 'rollcall.yaml'), 'utf8')) as {
    syncs: { people: Record<string, unknown> };
  };
  const edit = async (change: object): Promise<void> => {
    Object.assign(config.syncs.people, change);
    await writeFile(join(folder, 'rollcall.yaml'), JSON.stringify(config));
  };
  const looser = async () => {
    const { ok, lines } = (await rollcall('check', '--json')).json<Checked>();
    expect(ok).toBe(true);
    return lines.flatMap(({ loosened }) => loosened ?? []);
  };
  const audited = async () => {
    const { entries } = (await rollcall('audit', '--json')).json<Audited>();
    return entries
      .filter(({ action }) => action === 'loosen-safeguards')
      .map(({ by, sync, detail }) => [by, sync, detail]);
  };
  await employ(4);
  await edit({ protected: ['E3'] });
  expect((await rollcall('apply', 'people')).code).toBe(0);
  expect([await looser(), await audited()]).toEqual([[], []]);

  await edit({ guards: { creates: { absolute: 1000 }, disables: { percent: 50 } }, protected: [] });
  const loosened = [
    { key: 'guards.disables', before: '5 %', after: '50 %' },
    { key: 'protected', before: '1 user', after: '0 users (1 no longer)' },
  ];
  // Commands without effect are no first use.
  for (const command of [['plan', 'people'], ['status'], ['runs']]) await rollcall(...command);
  expect([await looser(), await audited()]).toEqual([loosened, []]);
  expect((await rollcall('check')).stdout).toContain(
    'sync people  guards.disables: 5 % → 50 % (looser than in the last run)\n',
  );

  for (let i = 0; i < 2; i += 1) {
    expect((await rollcall('apply', 'people')).code).toBe(0);
    const detail = 'guards.disables: 5 % → 50 %; protected: 1 user → 0 users (1 no longer)';
    expect([await looser(), await audited()]).toEqual([[], [['configuration', 'people', detail]]]);
  }

  // Tightening is no finding, and what was tightened is what the next edit is compared with.
  await edit({ guards: { creates: { absolute: 1 }, disables: { percent: 1 } } });
  expect(await looser()).toEqual([]);
  await rollcall('pause', 'people');
  expect(await audited()).toHaveLength(1);
  await edit({ guards: { creates: { absolute: 2 }, disables: { percent: 1 } } });
  expect(await looser()).toEqual([{ key: 'guards.creates', before: '1', after: '2' }]);
});
