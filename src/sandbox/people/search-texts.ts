import type { Account } from './account.ts';

interface Chunk {
  readonly members: Map<number, Account>;
  /** The joined texts of all members. Undefined after a change. */
  joined: string | undefined;
}

const chunkSize = 512;

/**
 * Finds users by a part of their name, identification or e-mail (contract, GET users: `searchString`). Users are kept in
 * chunks whose joined text is searched first: one pass over few long texts instead of one per user.
 */
export class SearchTexts {
  readonly #chunks = new Map<number, Chunk>();

  replace(before: Account | undefined, after: Account | undefined): void {
    if (before !== undefined) this.#change(before.id, (members) => members.delete(before.id));
    if (after !== undefined) this.#change(after.id, (members) => members.set(after.id, after));
  }

  /** Returns all users whose text contains the needle, ignoring case and Unicode form. */
  find(searchString: string): Account[] {
    const needle = normalize(searchString);
    const found: Account[] = [];
    for (const chunk of this.#chunks.values()) {
      chunk.joined ??= [...chunk.members.values()].map(textOf).join('\0');
      if (!chunk.joined.includes(needle)) continue;
      for (const account of chunk.members.values()) if (textOf(account).includes(needle)) found.push(account);
    }
    return found;
  }

  #change(id: number, change: (members: Map<number, Account>) => void): void {
    const number = Math.floor(id / chunkSize);
    const chunk = this.#chunks.get(number) ?? { members: new Map(), joined: undefined };
    this.#chunks.set(number, chunk);
    change(chunk.members);
    chunk.joined = undefined;
  }
}

function textOf({ identification, fields }: Account): string {
  const { firstName = '', lastName = '', email = '' } = fields;
  return normalize(`${firstName} ${lastName}\n${identification}\n${email}`);
}

function normalize(text: string): string {
  return text.normalize('NFC').toLowerCase();
}
