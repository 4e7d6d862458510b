import type { FaultName } from '../../contracts/source-faults.ts';

export type Member = Readonly<Record<string, unknown>>;

/** The people of an HR system, and what a fault does to the pages that it gives of them. */
export interface Roster<M extends Member = Member> {
  readonly members: M[];
  /** A page that is asked for by its place in the order. `number` counts the pages asked for, from 1. */
  page(start: number, size: number, number: number): readonly M[];
  /** A page that goes on after somebody, found by `isLast`; nobody slips between such pages. */
  after(isLast: ((member: M) => boolean) | undefined, size: number, number: number): readonly M[];
  /** Whether somebody follows the last one of a page. */
  hasMore(page: readonly M[]): boolean;
  /** Text, where the fault makes nonsense of it. */
  total(): number | string;
  /** The people of a page as the answer shows them: nobody, where the fault empties the page. */
  shown(page: readonly M[]): readonly M[];
}

/** How many records a server gives that is asked for a page of a size. */
export function givenSize(asked: number, fault: FaultName | undefined): number {
  return fault === 'pages shrink' ? Math.min(asked, 3) : asked;
}

export function openRoster<M extends Member>(members: readonly M[], fault?: FaultName): Roster<M> {
  const roster = fault === 'empty' ? [] : [...members];
  const middle = roster[Math.floor(roster.length / 2)];
  let isSlipped = false;
  const cut = (start: number, size: number, number: number): readonly M[] => {
    if (fault === 'person slipped' && number >= 3 && !isSlipped) {
      isSlipped = true;
      roster.shift();
    }
    const from = fault === 'page again' && number === 2 ? 0 : start;
    const page = roster.slice(from, from + givenSize(size, fault));
    const [first] = roster;
    return fault === 'person twice' && number === 3 && first !== undefined ? [first, ...page] : page;
  };
  return {
    members: roster,
    page: cut,
    after: (isLast, size, number) => cut(isLast === undefined ? 0 : roster.findIndex(isLast) + 1, size, number),
    hasMore: (page) => page.length > 0 && page.at(-1) !== roster.at(-1),
    shown: (page) => (fault === 'page emptied' && middle !== undefined && page.includes(middle) ? [] : page),
    total() {
      if (fault === 'total nonsense') return 'many';
      const promised = { 'total too large': 1, 'total too small': -1 }[fault as string] ?? 0;
      return roster.length + promised;
    },
  };
}

/** JSON text, with every text `#123` as the bare number 123, however long. */
export function jsonWithLongNumbers(value: unknown): string {
  return JSON.stringify(value).replaceAll(/"#(\d+)"/g, '$1');
}

/** An id that JSON numbers cannot hold, as text. */
export function longId(index: number): string {
  return String(18_446_744_073_709_500_000n + BigInt(index));
}
