import type { AnswerProfile } from '../core/guard/answer.ts';
import type { SourceRecord } from '../core/person/person.ts';
import type { ReadEnd } from '../core/plan/snapshot.ts';
import type { Clock, Egress, Logger } from './runtime.ts';
import type { AccessTokens, TokenExchange } from './tokens.ts';

/**
 * Provides the employees. One adapter kind per folder of `src/sources`. An adapter yields records as the HR system
 * returns them. At the end it reports whether the read was complete. It does not use mapping, plans or the platform.
 */
export interface Source {
  readonly kind: string;
  readonly capabilities: SourceCapabilities;
  /**
   * Streams the employees of one read, a bounded number of records at a time. Only the generator's return value can
   * declare a read complete. Throws `SOURCE_UNAVAILABLE` for problems that a retry can solve. A read that is only
   * untrusted ends with `complete: false` and its reasons. Stops at once when `signal` aborts.
   */
  read(request: ReadRequest, io: SourceIo): AsyncGenerator<SourcePage, ReadEnd>;
  /** Returns the field names that a mapping can use, if they are known without a full read (CSV: the header). */
  fields(io: SourceIo): Promise<readonly string[] | undefined>;
  /**
   * Returns whether a point read by this field asks for the people themselves, instead of reading everyone again. Absent:
   * as `capabilities.point`.
   */
  looksUp?(field: string): boolean;
  /**
   * The fields that the source derives from others, each with the fields of its records that it reads. When no record
   * shows one of them any longer, every sync that reads the derived field is held.
   */
  readonly derives?: Derivations;
}

/** Derived field → paths of the record that it is derived from. */
export type Derivations = Readonly<Record<string, readonly string[]>>;

/** The capabilities of a kind. The contract suite tests each kind against them. */
export interface SourceCapabilities {
  /** Can read only the changes since an instant. A delta never shows an absence. */
  readonly delta: boolean;
  /** Can look up named people. Without it, a point read is a filtered full read. */
  readonly point: boolean;
  /**
   * Whether a full read contains people who left. `configurable`: depends on the customer's export. `never`: they are
   * absent.
   */
  readonly terminated: Presence;
  /** Whether a full read contains people whose hire date is in the future. */
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
  /** The last complete full read of this sync, for comparison; undefined at first. `stamp` is the stamp of its end. */
  readonly previous: { readonly rows: number; readonly stamp?: string } | undefined;
  /** What the answers of the last accepted full read held beside their lists. */
  readonly answers?: AnswerProfile;
  /** The proxies of this source. `kit/kind.ts` sets it; a caller leaves it out. */
  readonly egress?: Egress;
}

export interface SourcePage {
  readonly records: readonly SourceRecord[];
  /** Records whose fields cannot be separated: wrong number of columns, invalid quotes. */
  readonly broken: readonly BrokenRecord[];
}

export interface BrokenRecord {
  readonly at: string;
  readonly column?: string;
  readonly reason: string;
  /** The filled cells of a row without the columns of the header, if they are few: it may be a total. */
  readonly cells?: readonly string[];
}

/** The kinds of source. One is loaded only where it is used, because it may bring a client for HTTP or a database. */
export interface SourceKinds {
  readonly names: readonly string[];
  /** Loads the kinds whose names are `wanted`. */
  load(wanted: (name: string) => boolean): Promise<readonly SourceKind[]>;
}

/** A kind of source: describes itself, parses its part of the configuration, opens a source. */
export interface SourceKind {
  readonly kind: string;
  /** Short description: `BambooHR employees, by API key`. */
  readonly title: string;
  readonly capabilities: SourceCapabilities;
  /** JSON Schema (2020-12) of `syncs.*.source`, for the configuration reference and editors. */
  readonly schema: Readonly<Record<string, unknown>>;
  /** Templates for `rollcall init --source NAME`: the kind's own, and one per preset. */
  readonly starters: readonly SourceStarter[];
  /** Validates the configuration of `syncs.*.source`. Problems carry the path relative to it. */
  parse(config: unknown): ParsedSource | SourceConfigRefusal;
}

export interface ParsedSource {
  readonly ok: true;
  readonly open: (base: SourceBase) => Source;
  /** The capabilities of this configuration, where they differ from those of the kind. */
  readonly capabilities?: SourceCapabilities;
}

/** The sections of a sync that depend on its source, as commented YAML. Each begins in column 0; `init` indents it. */
export interface SourceStarter {
  /** The name on the command line: `csv`, `bamboohr`, `rippling`. Unique over all kinds. */
  readonly name: string;
  /** The complete section `source:`. */
  readonly source: string;
  /** The matching sections `mapping:` and `lifecycle:`. */
  readonly mapping: string;
  /** Files to place beside the configuration. Paths are relative to its folder. */
  readonly samples?: readonly { readonly path: string; readonly text: string }[];
  /** The environment variables that it names, with the content of each. */
  readonly secrets: Readonly<Record<string, string>>;
  /** Setup steps in the HR system: where to get credentials, which permissions. One line each. */
  readonly steps: readonly string[];
}

export interface SourceConfigRefusal {
  readonly ok: false;
  readonly problems: readonly { readonly path: readonly (string | number)[]; readonly message: string }[];
}

export interface SourceBase {
  /** Folder of the configuration file. Relative paths are resolved from it. */
  readonly folder: string;
  /** A folder of this process for temporary files, readable only by this process. The writer of a file deletes it. */
  readonly scratchFolder: string;
  /** The proxies of the environment, or of the source where it names one. */
  readonly egress?: Egress;
  /**
   * Opens a token manager for tokens that rotate. All workers together present each refresh token once. Its successor
   * is stored, sealed, before it is used. Throws `CONFIG_INVALID` without an `encryptionKey`.
   */
  openTokens(grant: RefreshGrant): AccessTokens;
}

/** A refresh token from the configuration, and the function that presents it. */
export interface RefreshGrant {
  readonly refreshToken: string;
  readonly exchange: TokenExchange;
  /** A response of the exchange that takes longer than this counts as lost. */
  readonly timeoutMs: number;
}

/** How a file is written, as its bytes show: a section `syncs.*.source` without the file itself, each key with its reason. */
export interface GuessedFile {
  readonly kind: string;
  readonly settings: readonly { readonly key: string; readonly value: string | number; readonly evidence: string }[];
}

/** What `init --from` has found out. Sections are YAML in column 0. */
export interface ProposedSections {
  readonly source: string;
  /** `mapping`, `lifecycle` and the like. */
  readonly mapping: string;
  readonly sync: string;
  readonly policy: string;
  /** Absent: the address of the platform is not known. */
  readonly baseUrl?: string;
  /** The environment variable with the access token. */
  readonly tokenVariable: string;
}
