import type { SourceKind } from '../ports/source.ts';
import type { SourceSettings } from './config.ts';
import type { Expressions } from './expressions.ts';
import type { KeyPath } from './key-path.ts';
import type { ConnectionDraft } from './read-connection.ts';
import type { Report } from './report.ts';
import type { SyncInput } from './sections/sync.ts';

export interface SyncReading {
  readonly folder: string;
  readonly sourceKinds: readonly SourceKind[];
  readonly expressions: Expressions;
  /** The valid keys of each connection, by name. */
  readonly connections: ReadonlyMap<string, ConnectionDraft>;
  readonly report: Report;
}

/** The valid keys of a sync, and the section as written: some problems exist only when a key is written. */
export interface SyncDraft {
  readonly name: string;
  readonly path: KeyPath;
  readonly written: ReadonlySet<string>;
  readonly found: { readonly [Key in keyof SyncInput]?: SyncInput[Key] | undefined };
  readonly source: SourceSettings | undefined;
  /** Absolute. Undefined unless the sync delivers to an outbox. */
  readonly outboxFolder: string | undefined;
}
