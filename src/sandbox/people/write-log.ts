export type EffectKind = 'created' | 'updated' | 'enabled' | 'disabled' | 'removed';

/** One accepted effect on a user. */
export interface WriteLogEntry {
  /** From 1, without gaps. */
  readonly n: number;
  /** Epoch ms. */
  readonly at: number;
  readonly identification: string;
  readonly kind: EffectKind;
  /** `file:<id>`, the operation (`create`, `update`, `delete`), or `outside` for a manual change. */
  readonly via: string;
  /** Names of the changed fields; empty when the write changed nothing. */
  readonly fields: readonly string[];
}

/** All accepted effects in order. Tests compare them with the product's own report. */
export class WriteLog {
  readonly #entries: WriteLogEntry[] = [];

  get entries(): readonly WriteLogEntry[] {
    return this.#entries;
  }

  add(entry: Omit<WriteLogEntry, 'n'>): void {
    this.#entries.push({ n: this.#entries.length + 1, ...entry });
  }
}
