import { expect, test } from 'vitest';
import type { UnknownState } from '../../../src/ports/runs.ts';
import { openStore } from '../../../src/store/index.ts';
import { judgeRun } from '../../../src/watch/alerts/judge-run.ts';
import { sampleRun } from '../../cli/samples.ts';

test('an outcome of a newer version says nothing about the sync', async () => {
  const store = await openStore('sqlite::memory:', { folder: '.' });

  expect(await judgeRun(sampleRun({ outcome: 'superseded' as UnknownState }), store)).toBeUndefined();
  expect(await judgeRun(sampleRun({ outcome: 'succeeded' }), store)).toBe('well');
  expect(await judgeRun(sampleRun({ outcome: 'cancelled' }), store)).toBeUndefined();

  await store.close();
});

test('a canceled run is reported when the outcome of some of its changes is unknown', async () => {
  const store = await openStore('sqlite::memory:', { folder: '.' });
  const counts = { ...sampleRun().counts, applied: 0, failed: 0, unresolved: 25 };
  const reason = 'cancelled: 25 changes have an unknown outcome';

  expect(await judgeRun(sampleRun({ outcome: 'cancelled', reason, counts }), store)).toMatchObject({
    code: 'run-partial',
    title: '0 applied, 25 unresolved',
    summary: 'The run run_01 was cancelled: 25 changes have an unknown outcome',
    count: 25,
  });

  await store.close();
});
