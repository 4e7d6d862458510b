import type { Migration } from 'kysely/migration';
import { tables } from './001-start-indexes.ts';

export interface SchemaMigration extends Migration {
  /** The first release that has it, such as `0.2.0`: messages ask for this release or a later one. */
  readonly since: string;
  /**
   * Why a version that does not know this migration must not use the store. Absent when the migration only adds:
   * tables, and columns that may be empty or have a default. Such a store stays usable for the version before.
   */
  readonly breaks?: string;
}

export type Migrations = Readonly<Record<string, SchemaMigration>>;

/**
 * Every migration by name; they run in order of their names. A released migration never changes, and neither does its
 * name: a test pins the list. A new phase, outcome or batch state needs no `breaks`, because older versions do not touch
 * such runs. A renamed state does, and so does a new batch state in which changes may have been sent.
 */
export const migrations: Migrations = {
  '001-start': { ...tables, since: '0.1.0' },
};
