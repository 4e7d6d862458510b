import { expect, test } from 'vitest';
import { judgeRun } from '../../src/alerts/judge-run.ts';
import type { UnknownState } from '../../src/ports/unknown-state.ts';
import { openStore } from '../../src/store/index.ts';
import { sampleRun } from '../cli/samples.ts';

test('an outcome of a newer version says nothing about the sync', async () => {
  const store = await openStore('sqlite::memory:', { folder: '.' });

  expect(await judgeRun(sampleRun({ outcome: 'superseded' as UnknownState }), store)).toBeUndefined();
  expect(await judgeRun(sampleRun({ outcome: 'succeeded' }), store)).toBe('well');
  expect(await judgeRun(sampleRun({ outcome: 'cancelled' }), store)).toBeUndefined();

  await store.close();
});
