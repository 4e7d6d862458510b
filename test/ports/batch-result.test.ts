import { expect, it } from 'vitest';
import type { Batch } from '../../src/ports/store.ts';
import { batchResult } from '../../src/ports/store.ts';

const sent = { kind: 'csv', state: 'sent', sentAt: 1, fileId: 'f' } as const;
const settled = { ...sent, state: 'settled', finalAt: 2 } as const;

it.each<[string, Partial<Batch>, string | undefined]>([
  ['planned', { kind: 'csv', state: 'planned' }, undefined],
  ['with its file in progress', sent, undefined],
  ['with a final status and no proof yet', { ...sent, final: 'done', finalAt: 2 }, undefined],
  ['proven', { ...settled, final: 'done' }, 'done'],
  ['whose file failed, as soon as it did', { ...sent, final: 'failed', finalAt: 2 }, 'failed'],
  ['whose file failed, after its split', { ...settled, final: 'failed' }, 'failed'],
  ['refused at its upload', { kind: 'csv', state: 'settled', sentAt: 1 }, 'refused'],
  ['with a lost answer', { kind: 'csv', state: 'unresolved', sentAt: 1 }, 'unresolved'],
  ['with a lost answer that was found applied', { kind: 'csv', state: 'settled', sentAt: 1, finalAt: 2 }, 'done'],
  ['with nothing left to send', { kind: 'csv', state: 'settled' }, 'unsent'],
  ['of direct calls', { kind: 'direct', state: 'settled', sentAt: 1, finalAt: 2 }, 'done'],
  ['of the outbox', { kind: 'outbox', state: 'settled', sentAt: 1 }, 'done'],
])('a batch %s', (_, batch, result) => {
  expect(batchResult(batch as Batch)).toBe(result);
});
