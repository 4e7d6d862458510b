import type { FieldValues } from './fields.ts';

/** One account on the platform, as read or search show it. `identification` is its key. */
export interface User {
  /** The platform's own number, as text: it may be longer than a double can hold. */
  readonly id: string;
  readonly uid?: string;
  /** NFC and trimmed. */
  readonly identification: string;
  /** The identification as the platform writes it, where that is not NFC and trimmed: paths and rows must carry this one. */
  readonly rawIdentification?: string;
  readonly enabled: boolean;
  /**
   * The readable fields, text NFC and trimmed, dates `YYYY-MM-DD`; an absent key is an empty field.
   * A date that cannot be understood is left out here and named in `unreadable`.
   */
  readonly fields: FieldValues;
  /** Readable fields whose value could not be understood: unobservable, never a difference. */
  readonly unreadable: readonly string[];
  /** As the platform writes it (`YYYY-MM-DDThh:mm:ss`, zone not shown): only compared for having moved. */
  readonly lastUpdate?: string;
}

/** What create and update carry. `fields` holds only what is to be written; `''` clears. */
export interface UserWrite {
  readonly identification: string;
  readonly fields: FieldValues;
}
