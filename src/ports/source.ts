import type { SourceRecord } from '../core/person.ts';
import type { ReadEnd } from '../core/snapshot.ts';
import type { Clock, Logger } from './runtime.ts';
import type { AccessTokens, TokenExchange } from './tokens.ts';

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

/** What a kind can do; the contract suite holds each kind to it. */
export interface SourceCapabilities {
  /** Can read only what changed since an instant. A delta never says who is absent. */
  readonly delta: boolean;
  /** Can look up named people; without it a point read is a filtered full read. */
  readonly point: boolean;
  /** Whether a full read holds people who left: `configurable` by the customer's export, `never`: they just vanish. */
  readonly terminated: Presence;
  /** Whether a full read holds people whose first day has not come. */
  readonly future: Presence;
}

export type Presence = 'always' | 'configurable' | 'unknown' | 'never';

export type ReadRequest =
  | { readonly kind: 'full' }
  | { readonly kind: 'delta'; readonly since: string }
  | { readonly kind: 'point'; readonly identifications: readonly string[]; readonly field: string };

export interface SourceIo {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  /** The last complete full read of this sync, to compare against; undefined at first. `stamp` is what it ended with. */
  readonly previous: { readonly rows: number; readonly stamp?: string } | undefined;
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

/** What `sources/registry.ts` holds per kind: says what it is, parses its part of the configuration, opens a source. */
export interface SourceKind {
  readonly kind: string;
  /** What it reads, in a line: `BambooHR employees, by API key`. */
  readonly title: string;
  readonly capabilities: SourceCapabilities;
  /** JSON Schema (2020-12) of `syncs.*.source`, for the configuration reference and editors. */
  readonly schema: Readonly<Record<string, unknown>>;
  /** Starting points for `rollcall init --source NAME`: the kind's own, and one per preset. */
  readonly starters: readonly SourceStarter[];
  /** Checks the configuration of `syncs.*.source`; problems carry the path below it. */
  parse(config: unknown): ParsedSource | SourceConfigRefusal;
}

export interface ParsedSource {
  readonly ok: true;
  readonly open: (base: SourceBase) => Source;
  /** What it can do as it is configured, where that is not what its kind can do. */
  readonly capabilities?: SourceCapabilities;
}

/** The parts of a sync that depend on its source, as commented YAML: each begins in column 0, `init` indents it. */
export interface SourceStarter {
  /** What a person types: `csv`, `bamboohr`, `rippling`. Unique over all kinds. */
  readonly name: string;
  /** The section `source:`, complete. */
  readonly source: string;
  /** The sections `mapping:` and `lifecycle:` that fit it. */
  readonly mapping: string;
  /** Files to lie beside the configuration; paths are relative to its folder. */
  readonly samples: readonly { readonly path: string; readonly text: string }[];
  /** Environment variables that it names, with what each holds. */
  readonly secrets: Readonly<Record<string, string>>;
  /** What to do in the HR system before it works: where to get credentials, which rights. A line each. */
  readonly steps: readonly string[];
}

export interface SourceConfigRefusal {
  readonly ok: false;
  readonly problems: readonly { readonly path: readonly (string | number)[]; readonly message: string }[];
}

export interface SourceBase {
  /** Folder of the configuration file: relative paths are meant from there. */
  readonly folder: string;
  /** A folder of this process for files on their way, readable by it alone. Who writes there deletes it again. */
  readonly scratchFolder: string;
  /**
   * A token manager that rotate: each refresh token is presented once over all workers, and its successor is stored,
   * sealed, before it is used. Opened by who needs it; throws `CONFIG_INVALID` without an `encryptionKey`.
   */
  openTokens(grant: RefreshGrant): AccessTokens;
}

/** A refresh token from the configuration, and how to present one. */
export interface RefreshGrant {
  readonly refreshToken: string;
  readonly exchange: TokenExchange;
  /** No answer of the exchange within this time is a lost answer. */
  readonly timeoutMs: number;
}
