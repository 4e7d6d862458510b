import { expect, it } from 'vitest';
import { advanceRun } from '../../jobs/advance-run.ts';
import type { JobContext } from '../../src/run/work.ts';
import { sampleChange } from '../contracts/store-samples.ts';
import { failOnLeaks } from '../support/leak-check.ts';
import { openScene, trouble } from './run-in-store.ts';

failOnLeaks();

async function failedStep(error: Error) {
  const scene = await openScene({ changes: [sampleChange('ana')] });
  scene.script.find = () => {
    throw error;
  };
  const context: Pick<JobContext, 'withRun' | 'engine'> = {
    engine: { ...scene.io, countRequests: (_count, work) => work() },
    withRun: async (_id, work) => work(await scene.context()),
  };
  await expect(advanceRun.run(context, { run: 'run_1' })).rejects.toBe(error);
  return { scene, facts: (await scene.run()).facts };
}

it('a temporary problem is stored with the run, so that every process can show it', async () => {
  const { scene, facts } = await failedStep(trouble('PLATFORM_FAILED'));
  expect(facts.problem).toEqual({ at: scene.clock.now(), reason: 'the platform is in trouble' });
});

it('a problem that ends the run is its reason, and no temporary one', async () => {
  const { facts } = await failedStep(new Error('a bug'));
  expect(facts.problem).toBeUndefined();
});
