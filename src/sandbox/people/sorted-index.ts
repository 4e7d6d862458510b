interface Entry<T> {
  readonly key: string | number;
  readonly item: T;
}

/** With more changes than this between two reads, sorting again is cheaper than moving entries. */
const changesWorthResorting = 2000;

/**
 * Items in order of a key, then of id. The first read sorts them; later changes keep the order, so that a page read
 * never sorts.
 */
export class SortedIndex<T extends { readonly id: number }> {
  readonly #keyOf: (item: T) => string | number;
  readonly #all: () => Iterable<T>;
  #entries: Entry<T>[] | undefined;
  #changes = 0;

  /** `all` returns every item whenever the index must be sorted again. */
  constructor(keyOf: (item: T) => string | number, all: () => Iterable<T>) {
    this.#keyOf = keyOf;
    this.#all = all;
  }

  /** Returns every item in order. The caller owns the array. */
  items(): T[] {
    this.#changes = 0;
    this.#entries ??= this.#entriesOf(this.#all());
    return this.#entries.map(({ item }) => item);
  }

  /** Sorts these items in the order of the index. */
  sort(items: readonly T[]): T[] {
    return this.#entriesOf(items).map(({ item }) => item);
  }

  replace(before: T | undefined, after: T | undefined): void {
    if (this.#entries === undefined) return;
    this.#changes += 1;
    if (this.#changes > changesWorthResorting) {
      this.#entries = undefined;
      return;
    }
    if (before !== undefined) {
      const entry = { key: this.#keyOf(before), item: before };
      this.#entries.splice(this.#find(this.#entries, entry), 1);
    }
    if (after !== undefined) {
      const entry = { key: this.#keyOf(after), item: after };
      this.#entries.splice(this.#find(this.#entries, entry), 0, entry);
    }
  }

  #entriesOf(items: Iterable<T>): Entry<T>[] {
    return [...items].map((item) => ({ key: this.#keyOf(item), item })).sort(compareEntries);
  }

  #find(entries: readonly Entry<T>[], wanted: Entry<T>): number {
    let low = 0;
    let high = entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const entry = entries[middle];
      if (entry !== undefined && compareEntries(entry, wanted) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function compareEntries<T extends { readonly id: number }>(a: Entry<T>, b: Entry<T>): number {
  if (a.key < b.key) return -1;
  if (a.key > b.key) return 1;
  return a.item.id - b.item.id;
}
