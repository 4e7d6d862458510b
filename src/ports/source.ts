import type { SourceRecord } from '../core/person.ts';
import type { ReadEnd } from '../core/snapshot.ts';
import type { Clock, Logger } from './runtime.ts';

/**
 * Where employees come from. One adapter kind per folder of `src/sources`. An adapter yields records as the HR system
 * tells them and says at the end whether it saw everything; it knows nothing of mapping, plans or the platform.
 */
export interface Source {
  readonly kind: string;
  readonly capabilities: SourceCapabilities;
  /**
   * Streams the employees of one read, a bounded number of records at a time. The generator's return value is the only
   * place where a read can be called complete. Trouble that another try may mend throws `SOURCE_UNAVAILABLE`;
   * a read that merely cannot be trusted ends `complete: false` with its reasons. Stops at once when `signal` aborts.
   */
  read(request: ReadRequest, io: SourceIo): AsyncGenerator<SourcePage, ReadEnd>;
  /** The field names that a mapping may use, if they can be known without reading everyone (CSV: the header). */
  fields(io: SourceIo): Promise<readonly string[] | undefined>;
}

export interface SourceCapabilities {
  readonly delta: boolean;
  /** Can look up named people; without it a point read is a filtered full read. */
  readonly point: boolean;
}

export type ReadRequest =
  | { readonly kind: 'full' }
  | { readonly kind: 'delta'; readonly since: string }
  | { readonly kind: 'point'; readonly identifications: readonly string[]; readonly field: string };

export interface SourceIo {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  /** The last complete full read of this sync, to compare against; undefined at first. */
  readonly previous: { readonly rows: number } | undefined;
}

export interface SourcePage {
  readonly records: readonly SourceRecord[];
  /** Records so broken that not even their fields can be told apart: wrong number of columns, bad quotes. */
  readonly broken: readonly BrokenRecord[];
}

export interface BrokenRecord {
  readonly at: string;
  readonly column?: string;
  readonly reason: string;
}

/** What `sources/registry.ts` holds per kind: parses its own part of the configuration and opens a source. */
export interface SourceKind {
  readonly kind: string;
  /** Checks the configuration of `syncs.*.source`; problems carry the path below it. */
  parse(config: unknown): { readonly ok: true; readonly open: (base: SourceBase) => Source } | SourceConfigRefusal;
}

export interface SourceConfigRefusal {
  readonly ok: false;
  readonly problems: readonly { readonly path: readonly (string | number)[]; readonly message: string }[];
}

export interface SourceBase {
  /** Folder of the configuration file: relative paths are meant from there. */
  readonly folder: string;
}
