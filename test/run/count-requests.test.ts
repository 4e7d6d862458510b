import { describe, expect, it } from 'vitest';
import type { RequestPurpose } from '../../src/core/run/requests.ts';
import { countingRequests } from '../../src/run/run-notes.ts';
import { sampleChange } from '../contracts/store-samples.ts';
import { failOnLeaks } from '../support/leak-check.ts';
import { openScene, type Scene } from './run-in-store.ts';

failOnLeaks();

/** Runs a step that makes requests, and returns how many were stored with the run after each write. */
async function counted(scene: Scene, purposes: readonly RequestPurpose[], end = async (): Promise<unknown> => 'done') {
  const stored: unknown[] = [];
  const { runs } = scene.store;
  const io = {
    ...scene.io,
    store: {
      ...scene.store,
      runs: {
        ...runs,
        update: async (...args: Parameters<typeof runs.update>) => {
          stored.push(args[1].requests);
          return runs.update(...args);
        },
      },
    },
    countRequests: async <T>(count: (purpose: RequestPurpose) => void, work: () => Promise<T>) => {
      for (const purpose of purposes) count(purpose);
      return work();
    },
  };
  const result = countingRequests(await scene.context(), io, end);
  return { result, stored };
}

const scans = (count: number): RequestPurpose[] => Array.from({ length: count }, () => 'scan');

describe('the requests of a step', () => {
  it('are added to those of the steps before, by purpose', async () => {
    const scene = await openScene({ changes: [sampleChange('ana')] });
    for (const [purposes, sum] of [
      [['scan', 'scan', 'upload'], { scan: 2, upload: 1 }],
      [['poll', 'scan'], { scan: 3, upload: 1, poll: 1 }],
    ] as const) {
      const { result } = await counted(scene, purposes);
      expect(await result).toBe('done');
      expect((await scene.run()).requests).toEqual(sum);
    }
  });

  it('are stored after each hundred, so that a killed worker loses few, and once more at the end', async () => {
    const scene = await openScene({ changes: [sampleChange('ana')] });
    const { result, stored } = await counted(scene, scans(201));
    await result;
    expect(stored).toHaveLength(3);
    expect((await scene.run()).requests).toEqual({ scan: 201 });
  });

  it('are stored though the step fails, and its error is passed on', async () => {
    const scene = await openScene({ changes: [sampleChange('ana')] });
    const error = new Error('no answer');
    const { result } = await counted(scene, scans(3), () => Promise.reject(error));
    await expect(result).rejects.toBe(error);
    expect((await scene.run()).requests).toEqual({ scan: 3 });
  });

  it('that cannot be stored are logged, and do not end a step that succeeded', async () => {
    const scene = await openScene({ changes: [sampleChange('ana')] });
    const context = await scene.context();
    const update = () => Promise.reject(new TypeError('gone'));
    const io = {
      ...scene.io,
      store: { ...scene.store, runs: { ...scene.store.runs, update } },
      countRequests: async <T>(count: (purpose: RequestPurpose) => void, work: () => Promise<T>) => {
        count('scan');
        return work();
      },
    };
    expect(await countingRequests(context, io, async () => 7)).toBe(7);
    expect(scene.log.lines.at(-1)).toMatchObject({
      message: 'requests not stored',
      fields: { run: 'run_1', error: expect.stringContaining('TypeError') },
    });
  });
});
