import { expect, test } from 'vitest';
import { Interruption } from '../../src/cli/cli-io.ts';
import { openWatch, stoppingNote } from '../../src/cli/progress.ts';
import type { ProgressEvent } from '../../src/ports/runtime.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { failOnLeaks } from '../support/leak-check.ts';
import { captured } from './test-shell.ts';

failOnLeaks();

const sentAt = Date.UTC(2026, 10, 25, 2, 41);

function waitUntilPoll(afterSeconds: number) {
  return { sinceMs: sentAt, nextPollMs: sentAt + afterSeconds * 1000, untilMs: sentAt + 30 * 60_000 };
}

const story: readonly ProgressEvent[] = [
  { step: 'reading', rows: 100 },
  { step: 'reading', rows: 1520 },
  { step: 'scanning', users: 500, total: undefined },
  { step: 'scanning', users: 1512, total: 1512 },
  { step: 'planning', decided: 20, total: 20 },
  { step: 'looking-up', users: 0, total: 1000 },
  { step: 'looking-up', users: 600, total: 1000 },
  { step: 'delivering', batch: 1, batches: 2, changes: 1000 },
  { step: 'proving', batch: 1, batches: 0, status: 'Processing', wait: waitUntilPoll(5) },
  { step: 'proving', batch: 1, batches: 0, status: 'Processing', wait: waitUntilPoll(9) },
  { step: 'proving', batch: 1, batches: 0, status: 'Processed\u001b[2J', wait: undefined },
  { step: 'reading-back', users: 400, total: 1000 },
  { step: 'reading-back', users: 1000, total: 1000 },
  { step: 'delivering', batch: 2, batches: 2, changes: 12 },
];

function watched(steps: 'bars' | 'lines' | 'none', signal = new AbortController().signal) {
  const stream = captured(steps === 'bars');
  const watch = openWatch({ output: stream.output, signal, clock: new FakeClock(), steps });
  return { stream, watch };
}

test('without a terminal there is one line per step', () => {
  const { stream, watch } = watched('lines');
  for (const event of story) watch.progress(event);
  watch.end();

  expect(stream.text()).toMatchInlineSnapshot(`
    "read 1,520 rows from the source
    scanned 1,512 users on the platform
    compared 20 people in detail
    looking up 1,000 users before sending
    delivering batch 1 of 2: 1,000 changes
    status of batch 1: Processing, sent at 2026-11-25 02:41:00 UTC; polled until 2026-11-25 03:11:00 UTC, then its users are read back (settle.deadline)
    status of batch 1: Processed\\u001b[2J
    read back 1,000 users
    delivering batch 2 of 2: 12 changes
    "
  `);
});

test.each(['lines', 'bars'] as const)('what is tried again says why and when, as %s', (steps) => {
  const { stream, watch } = watched(steps);
  const reason = 'the platform answered 429';
  watch.progress({ step: 'retrying', afterMs: 5000, atMs: sentAt + 5000, untilMs: undefined, reason });
  watch.progress({ step: 'retrying', afterMs: 60_000, atMs: sentAt + 60_000, untilMs: sentAt + 1_800_000, reason });
  watch.end();

  const text = stream.plain();
  if (steps === 'lines')
    expect(text).toContain('retrying at 2026-11-25 02:41:05 UTC (in 5 s): the platform answered 429');
  expect(text).toContain(
    'retrying at 2026-11-25 02:42:00 UTC (in 1 min, until 2026-11-25 03:11:00 UTC at the latest; Ctrl-C is safe, the run continues later): the platform answered 429',
  );
});

test.each([
  ['lines', 'read 305 rows from the source'],
  ['bars', 'scanning   waits for the platform'],
] as const)('a platform that does not answer is not taken for the source, as %s', (steps, told) => {
  const { stream, watch } = watched(steps);
  watch.progress({ step: 'reading', rows: 305 });
  watch.progress({ step: 'scanning', users: 0, total: undefined });

  expect(stream.plain()).toContain(told);
  watch.end();
});

test('a file that is processed says on a terminal until when it is polled, since when, and when again', () => {
  const { stream, watch } = watched('bars');
  watch.progress({ step: 'proving', batch: 1, batches: 0, status: 'Processing', wait: waitUntilPoll(5) });
  watch.end();

  expect(stream.plain()).toContain(
    'status Processing until 03:11:00 UTC, then read back (settle.deadline); since 02:41:00 UTC, next poll 02:41:05 UTC',
  );
});

test('a run that waits for its turn says how many are ahead', () => {
  const { stream, watch } = watched('lines');
  watch.progress({ step: 'queued', ahead: 3 });
  watch.progress({ step: 'queued', ahead: 1 });
  watch.end();

  expect(stream.text()).toBe(
    'waiting for its turn: 3 other runs of this connection send a file first\nwaiting for its turn: 1 other run of this connection sends a file first\n',
  );
});

test.each(['lines', 'bars'] as const)(
  'changes that are not shown yet are counted, with the time of the last lookup, as %s',
  (steps) => {
    const { stream, watch } = watched(steps);
    const untilMs = Date.UTC(2026, 10, 25, 2, 19, 32);
    for (const changes of [2, 1, 1]) watch.progress({ step: 'not-shown', changes, untilMs });
    watch.end();

    const text = stream.plain();
    expect(text).toContain(
      'the platform does not show 1 change yet: reading back again until 2026-11-25 02:19:32 UTC at the latest',
    );
    if (steps === 'lines') expect(text.split('\n')).toHaveLength(3);
  },
);

test('a scan that never gets its first page does not claim to have scanned', () => {
  const { stream, watch } = watched('lines');
  watch.progress({ step: 'scanning', users: 0, total: undefined });
  watch.end();

  expect(stream.text()).toBe('');
});

test('a step that is stopped half-way says how far it came', () => {
  const stopping = new AbortController();
  const { stream, watch } = watched('lines', stopping.signal);
  watch.progress({ step: 'scanning', users: 500, total: 9000 });
  stopping.abort(new Interruption('SIGINT'));
  watch.progress({ step: 'scanning', users: 1000, total: 9000 });
  watch.end();

  expect(stream.text()).toBe(`scanned 500 of 9,000 users on the platform\n${stoppingNote}\n`);
});

test('a terminal gets a bar for each stage, and nothing is left running', () => {
  const { stream, watch } = watched('bars');
  for (const event of story) watch.progress(event);
  watch.end();

  const text = stream.plain();
  for (const stage of ['reading', 'scanning', 'planning', 'looking up', 'delivering']) expect(text).toContain(stage);
  expect(text).toContain('batch 2 of 2: 12 changes');
  expect(text).toContain('1,520 rows');
  expect(text.split('\n').filter((line) => line !== '')).toHaveLength(5);
});

test('the bar of the delivery only grows, over all batches', () => {
  const { stream, watch } = watched('bars');
  for (const event of story) {
    watch.progress(event);
    // Drawn at once, not at the next tick of its timer.
    watch.end();
  }

  const drawn = stream
    .plain()
    .split('\n')
    .filter((line) => line.includes('delivering'));
  const lengths = drawn.map((line) => (/█*/.exec(line.slice(line.lastIndexOf('delivering') + 11))?.[0] ?? '').length);
  expect(lengths).toEqual([0, 2, 2, 2, 8, 12, 12]);
});

test('where logs tell the story there is no progress, but the word on stopping stays', () => {
  const stopping = new AbortController();
  const { stream, watch } = watched('none', stopping.signal);
  for (const event of story) watch.progress(event);
  stopping.abort(new Interruption('SIGTERM'));
  watch.end();

  expect(stream.text()).toBe(`${stoppingNote}\n`);
});
