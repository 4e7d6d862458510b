import type { ReadEnd } from '../core/snapshot.ts';
import type { SourcePage } from '../ports/source.ts';
import { digestOf, wordAt } from './digest.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Tells whether two readings gave the same people, in whatever order. Holds 32 bytes, however many they are. */
export interface KeySum {
  /** Adds the people of a page, and gives the page back. */
  note<P extends { readonly people: readonly Fields[] }>(page: P): P;
  sum(): string;
}

export function openKeySum(keyOf: (fields: Fields) => unknown): KeySum {
  const words = new Uint32Array(8);
  let people = 0;
  return {
    note(page) {
      for (const fields of page.people) {
        people += 1;
        const digest = digestOf(String(keyOf(fields) ?? ''));
        for (let i = 0; i < words.length; i++) words[i] = (words[i] ?? 0) + wordAt(digest, i * 4);
      }
      return page;
    },
    sum: () => `${people} ${words.join(' ')}`,
  };
}

/**
 * What is proven when a list of counted pages, of which nothing says how many people it holds, is read once more: whoever
 * slipped between two pages the first time would have to slip again. The second reading is not kept.
 */
export async function confirmEnd(
  end: Extract<ReadEnd, { complete: true }>,
  seen: KeySum,
  again: KeySum,
  reading: AsyncGenerator<SourcePage, ReadEnd>,
): Promise<ReadEnd> {
  let next = await reading.next();
  while (next.done !== true) next = await reading.next();
  if (next.value.complete && again.sum() === seen.sum()) return { ...end, evidence: `${end.evidence}, read twice` };
  const { rows, notReturned } = end;
  return { complete: false, rows, reasons: [othersCame], ...(notReturned === undefined ? {} : { notReturned }) };
}

const othersCame =
  'the pages are counted and no total tells how many people there are, so the list was read twice, and the second time ' +
  'others came: people came or went meanwhile, and somebody may have slipped between two pages (an exact total proves it in one reading)';
