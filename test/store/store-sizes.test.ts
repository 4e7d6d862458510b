import { expect, it, onTestFinished } from 'vitest';
import type { Store } from '../../src/ports/store.ts';
import { openStore } from '../../src/store/index.ts';
import { dayMs } from '../contracts/store-samples.ts';
import { someInstant } from '../support/fake-clock.ts';
import { startPostgres } from '../support/services.ts';

const postgres = await startPostgres();
const openers: readonly (readonly [string, (() => Promise<Store>) | undefined])[] = [
  ['SQLite', () => openStore('sqlite::memory:', { folder: '.' })],
  ['PostgreSQL', postgres && (async () => openStore(await postgres.newStore(), { folder: '.' }))],
];

it.each(openers)('%s keeps one size a day, and says what is left of its limit', async (_, open) => {
  if (open === undefined) return;
  const store = await open();
  onTestFinished(() => store.close());
  const limit = 2 ** 40;

  for (let day = 0; day < 3; day += 1) {
    await store.noteSize(someInstant + day * dayMs);
    await store.noteSize(someInstant + day * dayMs + 1000);
  }
  const outlook = await store.outlook(limit);

  const { bytes } = await store.size();
  expect(outlook.bytes).toBe(bytes);
  expect(outlook.room).toBeGreaterThan(0);
  expect(outlook.room).toBeLessThanOrEqual(limit - bytes);
});
