import type { ReadEnd } from '../core/snapshot.ts';
import type { SourcePage } from '../ports/source.ts';
import { digestOf, wordAt } from './digest.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Compares two reads of the same list, in any order. Holds 32 bytes, whatever the number of people. */
export interface KeySum {
  /** Adds the people of a page and returns the page. */
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
 * Reads a list of pages without a total a second time and compares. A person who moved between two pages in
 * the first read would have to move again to be missed. The second read is not stored.
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
  'nothing proves that the list is complete, so it was read twice, and the second read returned other people: one may be ' +
  'missing between two pages. The next run reads again; an exact total avoids the second read';
