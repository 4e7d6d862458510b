import { digestOf, wordAt } from '../../source-kit/digest.ts';
import { compileKey } from './join.ts';
import type { Fields } from './read-list.ts';

/** Tells whether two readings gave the same people, in whatever order. Holds 32 bytes, however many they are. */
export interface KeySum {
  /** Adds the people of a page, and gives the page back. */
  note<P extends { readonly people: readonly Fields[] }>(page: P): P;
  sum(): string;
}

export function openKeySum(key: readonly string[]): KeySum {
  const keyOf = compileKey(key);
  const words = new Uint32Array(8);
  let people = 0;
  return {
    note(page) {
      for (const fields of page.people) {
        people += 1;
        const digest = digestOf(keyOf(fields) ?? '');
        for (let i = 0; i < words.length; i++) words[i] = (words[i] ?? 0) + wordAt(digest, i * 4);
      }
      return page;
    },
    sum: () => `${people} ${words.join(' ')}`,
  };
}
