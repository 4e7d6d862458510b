import type { FieldValues } from './fields.ts';

/** One account on the platform, as read or search returns it. `identification` is its key. */
export interface User {
  /** The platform's own number, as text, because it can exceed the precision of a double. */
  readonly id: string;
  readonly uid?: string;
  /** NFC and trimmed. */
  readonly identification: string;
  /**
   * The identification as the platform writes it, if that is not NFC and trimmed. Paths and rows must use this form.
   */
  readonly rawIdentification?: string;
  readonly enabled: boolean;
  /**
   * The readable fields: text in NFC and trimmed, dates as `YYYY-MM-DD`. An absent key is an empty field. A date in an
   * unknown format is left out here and listed in `unreadable`.
   */
  readonly fields: FieldValues;
  /** Readable fields with a value in an unknown format. They are unobservable and never a difference. */
  readonly unreadable: readonly string[];
  /** As the platform writes it (`YYYY-MM-DDThh:mm:ss`, zone not shown). Only compared to detect a modification. */
  readonly lastUpdate?: string;
}

/**
 * An account whose record cannot be read: `fault` continues "the account", such as "has no identification". With an
 * identification it is a person of whom nothing else is known; without one it is no person's.
 */
export interface UnreadUser extends Pick<User, 'fields'>, Partial<Pick<User, 'id' | 'identification' | 'enabled'>> {
  readonly fault: string;
}

/** The payload of create and update. `fields` holds only the fields to write; `''` clears a field. */
export interface UserWrite {
  readonly identification: string;
  readonly fields: FieldValues;
}

/** The leaders of one user, as identifications in NFC and trimmed. */
export interface Leaders {
  readonly main: string | undefined;
  /** In order of text. The platform may list the main leader here too. */
  readonly secondary: readonly string[];
}
