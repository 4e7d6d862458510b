import { expect, it } from 'vitest';
import { traceIdsOf } from '../../src/core/run/run.ts';

it('every process derives the same ids from a run, in the form of W3C Trace Context, and others from another run', () => {
  const { trace, span } = traceIdsOf('run_01');
  expect(trace).toMatch(/^(?!0{32})[\da-f]{32}$/);
  expect(span).toMatch(/^(?!0{16})[\da-f]{16}$/);
  // Fixed: two versions of the product work on one run.
  expect({ trace, span }).toEqual({ trace: '6a468893cd784e77ce4211da55b5382d', span: '88285fc81ac7e751' });
  expect(new Set(['run_01', 'run_02', 'run_03'].map((run) => traceIdsOf(run).trace)).size).toBe(3);
});
