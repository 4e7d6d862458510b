import { join } from 'node:path';

/** The three plans that are measured. */
export const benchCases = ['mixed', 'quiet', 'first'] as const;
export type BenchCase = (typeof benchCases)[number];

export const caseMeaning: Readonly<Record<BenchCase, string>> = {
  mixed: '1 % new, 2 % changed, 1 % left; the ledger knows everybody',
  quiet: 'nothing to change; the ledger knows everybody',
  first: 'nothing in the ledger: write-only fields of everybody are written at first sight',
};

/** Where the files of one measurement lie. */
export interface BenchFolder {
  readonly folder: string;
  /** Answers of the platform's search, one after the other. */
  readonly pages: string;
  /** Where each of them begins. */
  readonly offsets: string;
}

export const pageSize = 500;

export function benchFolder(folder: string): BenchFolder {
  return { folder, pages: join(folder, 'pages.bin'), offsets: join(folder, 'offsets.json') };
}

export interface PageOffsets {
  /** Users in all. */
  readonly total: number;
  /** Page `i` is the bytes from `starts[i]` to `starts[i + 1]`. */
  readonly starts: readonly number[];
}

/** Synthetic HR files: changes or none. */
export function hrFile(name: BenchCase): string {
  return name === 'mixed' ? 'employees-mixed.csv' : 'employees-quiet.csv';
}

export function storeFile(name: BenchCase): string {
  return name === 'first' ? 'first.db' : 'known.db';
}
