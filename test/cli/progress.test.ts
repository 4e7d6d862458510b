import { expect, test } from 'vitest';
import { Interruption } from '../../src/cli/cli-io.ts';
import { openWatch, stoppingNote } from '../../src/cli/progress.ts';
import { waitFor } from '../../src/core/run/waiting.ts';
import type { ProgressEvent } from '../../src/ports/runtime.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { failOnLeaks } from '../support/leak-check.ts';
import { captured } from './test-shell.ts';

failOnLeaks();

const sentAt = Date.UTC(2026, 10, 25, 2, 41);

const fileWait = waitFor('file', 'its users are read back', {
  about: 'batch 1',
  since: sentAt,
  until: sentAt + 30 * 60_000,
  setting: 'settle.deadline',
});
const fileWords =
  'waiting for the platform to process a file (batch 1) since 2026-11-25 02:41:00 UTC until 2026-11-25 03:11:00 UTC at the latest (settle.deadline); then its users are read back';

const story: readonly ProgressEvent[] = [
  { step: 'reading', rows: 100 },
  { step: 'reading', rows: 1520 },
  { step: 'scanning', users: 500, total: undefined },
  { step: 'scanning', users: 1512, total: 1512 },
  { step: 'planning', decided: 20, total: 20 },
  { step: 'looking-up', users: 0, total: 1000 },
  { step: 'looking-up', users: 600, total: 1000 },
  { step: 'delivering', batch: 1, batches: 2, changes: 1000 },
  { step: 'proving', batch: 1, batches: 0, status: 'Processing' },
  { step: 'waiting', waiting: fileWait },
  { step: 'proving', batch: 1, batches: 0, status: 'Processing' },
  { step: 'proving', batch: 1, batches: 0, status: 'Processed\u001b[2J' },
  { step: 'reading-back', users: 400, total: 1000 },
  { step: 'reading-back', users: 1000, total: 1000 },
  { step: 'delivering', batch: 2, batches: 2, changes: 12 },
];

function watched(steps: 'bars' | 'lines' | 'waits' | 'none', signal = new AbortController().signal) {
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
    status of batch 1: Processing
    waiting for the platform to process a file (batch 1) since 2026-11-25 02:41:00 UTC until 2026-11-25 03:11:00 UTC at the latest (settle.deadline); then its users are read back. Ctrl-C is safe: the run continues later
    status of batch 1: Processed\\u001b[2J
    read back 1,000 users
    delivering batch 2 of 2: 12 changes
    "
  `);
});

test.each(['lines', 'bars', 'waits'] as const)('a wait says for what, until when and what follows, as %s', (steps) => {
  const { stream, watch } = watched(steps);
  for (let look = 1; look < 4; look += 1) watch.progress({ step: 'waiting', waiting: fileWait, nextAt: sentAt + look });
  watch.end();

  expect(stream.plain()).toContain(fileWords.replace('waiting ', ''));
  if (steps !== 'bars') expect(stream.text().split('\n')).toHaveLength(2);
});

test('beside JSON only waits are told', () => {
  const { stream, watch } = watched('waits');
  for (const event of story) watch.progress(event);
  watch.end();

  expect(stream.text()).toBe(`${fileWords}. Ctrl-C is safe: the run continues later\n`);
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
  expect(lengths).toEqual([0, 2, 2, 2, 2, 8, 12, 12]);
});

test('where logs tell the story there is no progress, but the word on stopping stays', () => {
  const stopping = new AbortController();
  const { stream, watch } = watched('none', stopping.signal);
  for (const event of story) watch.progress(event);
  stopping.abort(new Interruption('SIGTERM'));
  watch.end();

  expect(stream.text()).toBe(`${stoppingNote}\n`);
});
