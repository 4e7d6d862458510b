import type { UserSortKey } from '../../platform/table/index.ts';
import type { Account } from './account.ts';
import { SearchTexts } from './search-texts.ts';
import { SortedIndex } from './sorted-index.ts';

export interface UserQuery {
  /** Empty: all users. */
  readonly searchString: string;
  readonly enabledOnly: boolean;
  readonly orderBy: UserSortKey;
  readonly direction: 'ASC' | 'DESC';
}

/** Number of cached query results, which serve the next pages of their listing. */
const keptAnswers = 8;

/** Users as reads and searches see them, with an index per sort key. */
export class ShownUsers {
  readonly #byIdentification = new Map<string, Account>();
  readonly #texts = new SearchTexts();
  readonly #indexes: Readonly<Record<UserSortKey, SortedIndex<Account>>>;
  /** Results of the latest queries, until a write. Pages of one listing share them. */
  readonly #answers = new Map<string, readonly Account[]>();

  constructor() {
    const index = (keyOf: (account: Account) => string | number) =>
      new SortedIndex(keyOf, () => this.#byIdentification.values());
    this.#indexes = {
      id: index((account) => account.id),
      firstName: index((account) => (account.fields.firstName ?? '').toLowerCase()),
      lastname: index((account) => (account.fields.lastName ?? '').toLowerCase()),
      email: index((account) => (account.fields.email ?? '').toLowerCase()),
    };
  }

  get(identification: string): Account | undefined {
    return this.#byIdentification.get(identification);
  }

  /** Shows `after` under the identification; undefined removes it. */
  show(identification: string, after: Account | undefined): void {
    const before = this.#byIdentification.get(identification);
    if (after === undefined) this.#byIdentification.delete(identification);
    else this.#byIdentification.set(identification, after);
    this.#texts.replace(before, after);
    for (const index of Object.values(this.#indexes)) index.replace(before, after);
    this.#answers.clear();
  }

  /** Returns all matching users in order. The array is shared and must not be changed. */
  find(query: UserQuery): readonly Account[] {
    const key = JSON.stringify(query);
    const known = this.#answers.get(key);
    if (known !== undefined) return known;
    const found = this.#ordered(query).filter(({ enabled }) => enabled || !query.enabledOnly);
    if (query.direction === 'DESC') found.reverse();
    if (this.#answers.size >= keptAnswers) this.#answers.clear();
    this.#answers.set(key, found);
    return found;
  }

  #ordered({ searchString, orderBy }: UserQuery): Account[] {
    const index = this.#indexes[orderBy];
    return searchString === '' ? index.items() : index.sort(this.#texts.find(searchString));
  }
}
