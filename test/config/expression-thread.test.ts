import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { openExpressionThread } from '../../src/config/expression-thread.ts';
import { compileExpression, createExpressions } from '../../src/config/expressions.ts';
import { openBudget } from '../../src/core/person/field-rule.ts';
import { compileMapping } from '../../src/core/person/mapping.ts';
import type { FieldRule } from '../../src/core/run/settings.ts';
import { slowly } from '../support/slowness.ts';

/** Needs a time exponential in the length of a name that ends with a character of another kind. */
const exponential = "$match(name, /^([A-Za-z]+)*$/) ? 'yes' : 'no'";
const hostile = { name: `${'a'.repeat(40)}1` };
const limits = { perRowMs: slowly(200), perRunMs: 60_000 };

describe('expressions in a thread', () => {
  // One for all tests: it is whole again after each evaluation that was stopped.
  const thread = openExpressionThread();
  afterAll(() => thread.close());

  it.each([
    ["$uppercase(name) & '-' & $string($length(name))", { name: 'ana' }],
    [
      'items[price > 2].name',
      {
        items: [
          { name: 'a', price: 1 },
          { name: 'b', price: 3 },
        ],
      },
    ],
    ['$', { name: 'ana', list: [1, [2, 3]], none: null }],
    ['nothing', {}],
    ['$$.a + 1', { a: 2 }],
    ['$map([1..3], function($n) { $n * 2 })', {}],
  ])('%s gives what it gives in this thread', async (text, record) => {
    const here = await compileExpression(text).evaluate(record);
    const there = await thread.evaluate({ text, record, limits });
    expect(there).toEqual(here === undefined ? undefined : JSON.parse(JSON.stringify(here)));
  });

  it('fails with the message that it fails with in this thread', async () => {
    const text = '$number($uppercase(name)) + 1';
    const request = { text, record: { name: 'Secret' }, limits };
    const message = 'the expression failed at character 8: a value cannot be read as a number (JSONata D3030)';
    await expect(thread.evaluate(request)).rejects.toThrow(message);
    await expect(async () => compileExpression(text).evaluate(request.record)).rejects.toThrow(message);
  });

  it('each record gets its own result, however many are asked for at once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string(), { maxLength: 1200 }), async (names) => {
        const text = "$join([name, '!'])";
        const results = await Promise.all(names.map((name) => thread.evaluate({ text, record: { name }, limits })));
        expect(results).toEqual(names.map((name) => `${name}!`));
      }),
      { numRuns: 10 },
    );
  });

  it('a record that takes too long fails alone, and this thread goes on meanwhile', async () => {
    const records = Array.from({ length: 600 }, (_, i) => (i === 300 ? hostile : { name: `Ana${i}x` }));
    let longestStopMs = 0;
    let last = performance.now();
    const ticks = setInterval(() => {
      longestStopMs = Math.max(longestStopMs, performance.now() - last);
      last = performance.now();
    }, 5);
    const results = await Promise.allSettled(
      records.map((record) => thread.evaluate({ text: exponential, record, limits })),
    );
    clearInterval(ticks);

    const failed = results.flatMap((result, i) => (result.status === 'rejected' ? [[i, result.reason.message]] : []));
    expect(failed).toEqual([[300, `the expression took longer than ${limits.perRowMs / 1000} s (expressions.perRow)`]]);
    expect(longestStopMs).toBeLessThan(slowly(1_000));
  });

  it('what a run has left is refused when its time is over, and other runs go on', async () => {
    const signal = new AbortController().signal;
    const spent = { ...openBudget(signal), spentMs: 60_000 };
    const request = { text: exponential, record: { name: 'Ana' }, limits };
    await expect(thread.evaluate({ ...request, budget: spent })).rejects.toThrow(
      'the expressions of this run took longer than 60 s (expressions.perRun)',
    );
    expect(await thread.evaluate({ ...request, budget: openBudget(signal) })).toBe('yes');
  });

  it('counts the time of evaluations that were stopped and of those that were not', async () => {
    const budget = openBudget(new AbortController().signal);
    await thread.evaluate({ text: exponential, record: { name: 'Ana' }, limits, budget });
    expect(budget.spentMs).toBeGreaterThan(0);
    await expect(thread.evaluate({ text: exponential, record: hostile, limits, budget })).rejects.toThrow(
      `${limits.perRowMs / 1000} s`,
    );
    expect(budget.spentMs).toBeGreaterThanOrEqual(limits.perRowMs);
  });

  it('an aborted run is stopped in the middle of an evaluation', async () => {
    const stop = new AbortController();
    const patient = { ...limits, perRowMs: 60_000 };
    const request = { text: exponential, record: hostile, limits: patient, budget: openBudget(stop.signal) };
    const results = Promise.allSettled([
      thread.evaluate(request),
      thread.evaluate({ ...request, record: { ...hostile } }),
    ]);
    await delay(100);
    const began = performance.now();
    stop.abort(new Error('stopped'));
    expect(await results).toMatchObject([{ reason: { message: 'stopped' } }, { reason: { message: 'stopped' } }]);
    expect(performance.now() - began).toBeLessThan(slowly(5_000));
  });

  it('closing ends an evaluation in progress', async () => {
    const closed = openExpressionThread();
    const running = closed.evaluate({ text: exponential, record: hostile, limits: { ...limits, perRowMs: 60_000 } });
    const ended = expect(running).rejects.toThrow('the evaluation was stopped');
    await delay(100);
    await closed.close();
    await ended;
    await expect(closed.evaluate({ text: 'a', record: {}, limits })).rejects.toThrow('the evaluation was stopped');
  });

  it('an expression that needs too much memory fails on its record, and the process lives', async () => {
    const text = '$reduce([1..23], function($text) { $text & $text }, name)';
    const wide = '$map([1..200000], function($n) { $pad($string($n), 5000) })';
    const request = { record: { name: 'abcdefgh' }, limits: { ...limits, perRowMs: 60_000 } };
    const results = await Promise.allSettled([
      thread.evaluate({ ...request, text }),
      thread.evaluate({ ...request, text: wide }),
      thread.evaluate({ ...request, text: "$join([name, '!'])" }),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
  });

  it('a record that cannot be sent fails alone with its batch', async () => {
    const record = { name: () => 'ana' };
    await expect(thread.evaluate({ text: exponential, record, limits })).rejects.toThrow('not data');
    expect(await thread.evaluate({ text: exponential, record: { name: 'Ana' }, limits })).toBe('yes');
  });

  it('a field is kept and a scope blocks its person when an expression takes too long', async () => {
    const plain = { transform: [], format: undefined, whenEmpty: 'keep' } as const;
    const rule = (path: string): FieldRule => ({ kind: 'from', path, ...plain });
    const expressions = createExpressions({ thread, limits });
    const fields = {
      firstName: rule('name'),
      lastName: rule('name'),
      job: { kind: 'expression', expression: exponential, ...plain } as const,
    };
    const mappingOf = (scope?: string) =>
      compileMapping({ identification: rule('id'), fields }, undefined, { scope }, { expressions });
    const record = { at: 'line 2', fields: { id: 'E1', ...hostile } };

    expect(await mappingOf().map(record, 0)).toMatchObject({
      kind: 'person',
      unreadable: ['job'],
      troubles: [
        {
          field: 'job',
          kind: 'expression-failed',
          reason: expect.stringContaining(`took longer than ${limits.perRowMs / 1000} s`),
        },
      ],
    });
    expect(await mappingOf(`(${exponential}) = 'yes'`).map(record, 0)).toMatchObject({
      kind: 'rejected',
      identification: 'E1',
      column: 'scope',
      reason: expect.stringContaining(`took longer than ${limits.perRowMs / 1000} s`),
    });
  });
});
