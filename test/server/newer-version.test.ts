import { expect, test } from 'vitest';
import type { UnknownState } from '../../src/ports/runs.ts';
import { runDetail, runDetailView } from '../../src/views/runs.ts';
import { sampleBatch, sampleReport } from '../cli/samples.ts';

test('states of a newer version are answered with their text', () => {
  const state = (text: string) => text as UnknownState;
  const patch = { phase: state('verifying'), outcome: state('superseded') };
  const view = runDetailView(sampleReport(patch, { batches: [sampleBatch({ state: state('uploading') })] }));

  expect(runDetail.parse(view)).toEqual(view);
  expect(view).toMatchObject({ phase: 'verifying', outcome: 'superseded', batches: [{ state: 'uploading' }] });
});
