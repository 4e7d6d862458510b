export type EffectKind = 'created' | 'updated' | 'enabled' | 'disabled' | 'removed';

/** One accepted effect on a user. */
export interface WriteLogEntry {
  /** From 1, without gaps. */
  readonly n: number;
  /** Epoch ms. */
  readonly at: number;
  readonly identification: string;
  readonly kind: EffectKind;
  /** `file:<id>`, the operation (`create`, `update`, `delete`), or `outside` for a change made by hand. */
  readonly via: string;
  /** Names of what changed; empty when the write left everything as it was. */
  readonly fields: readonly string[];
}

/** Every accepted effect in order: what tests compare with what the product says that it did. */
export class WriteLog {
  readonly #entries: WriteLogEntry[] = [];

  get entries(): readonly WriteLogEntry[] {
    return this.#entries;
  }

  add(entry: Omit<WriteLogEntry, 'n'>): void {
    this.#entries.push({ n: this.#entries.length + 1, ...entry });
  }
}
