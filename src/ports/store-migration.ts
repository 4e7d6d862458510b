/** The result of a migration of a store to a version's tables. Migrations have names in order, such as `001-tables`. */
export interface StoreMigration {
  /** The location of the store for messages, without its password. */
  readonly place: string;
  /** The newest migration before; undefined for a new store. */
  readonly from: string | undefined;
  /** The newest migration now. */
  readonly to: string;
  /** The applied migrations, in order. Empty when none was needed. */
  readonly applied: readonly string[];
}
