/** What bringing a store to a version's tables came to. Migrations have names in order, such as `001-first`. */
export interface StoreMigration {
  /** The store as messages name it: without its password. */
  readonly place: string;
  /** The newest migration that it had before; undefined for a store that was new. */
  readonly from: string | undefined;
  /** The newest one that it has now. */
  readonly to: string;
  /** What was done, in order: empty when there was nothing to do. */
  readonly applied: readonly string[];
}
