/** One operation of the platform's public API that users can call by name. */
export interface ApiOperation {
  readonly id: string;
  readonly part: string;
  /** Its name within its part. */
  readonly verb: string;
  readonly method: string;
  /** Path template: `/os-api/public-api/v1/users/{identification}`. */
  readonly path: string;
  readonly summary: string;
  /** True for every method except GET. */
  readonly isWrite: boolean;
  readonly parameters: readonly ApiParameter[];
  readonly body: 'none' | 'json' | 'file';
  /** Whether the response is one page of a list that can be read to its end. */
  readonly isList: boolean;
}

/** What a write would change, for its confirmation. */
export interface ApiTarget {
  readonly connection: string;
  /** The platform's address. */
  readonly baseUrl: string;
  /** The user or goal that is addressed, as the platform shows it now. Absent: the call addresses none, or none was found. */
  readonly now?: string;
}

export interface ApiParameter {
  readonly name: string;
  /** Path parameters are required, query parameters are optional. */
  readonly place: 'path' | 'query';
  readonly description: string;
  /** The platform's default for an omitted parameter, where the contract defines one. */
  readonly otherwise: string | undefined;
}

export interface ApiRequest {
  /** Absent: the only connection of the configuration. */
  readonly connection?: string;
  readonly operation: string;
  /** By name, as text. The operation's schema converts numbers and flags. */
  readonly parameters: Readonly<Record<string, string>>;
  /** JSON text. Integers beyond 2^53 keep all their digits. */
  readonly body?: string;
  readonly file?: { readonly path: string; readonly name: string };
  /** Reads all pages of a list. */
  readonly all: boolean;
  /** `Accept-Language`. Absent: as the dialect says. */
  readonly acceptLanguage?: string;
}

export interface ApiAnswer {
  readonly connection: string;
  readonly operation: string;
  readonly status: number;
  /**
   * Decoded, with integers beyond 2^53 as text; undefined when the response has no body. For all pages of a list:
   * `{result: [every item]}`.
   */
  readonly body: unknown;
}

/** The setting that an experiment is about, as a path below `dialect`: `csv.emptyCell`. `settle.visibleWithin` is of the syncs. */
export const learnedSettings = [
  'search.parameters',
  'search.pageSize',
  'upload.encoding',
  'status.done',
  'status.failed',
  'status.pending',
  'expiresIn',
  'enableBy',
  'csv.header',
  'csv.emptyCell',
  'csv.dateFormat',
  'put',
  'rolesToken',
  'userId',
  'monthNames',
  'settle.visibleWithin',
] as const;
export type LearnedSetting = (typeof learnedSettings)[number];

/** The value of a setting, as the configuration writes it. */
export type LearnedValue = string | number | readonly string[];

/** What an experiment found out about a setting. */
export interface LearnLine {
  readonly setting: LearnedSetting;
  /** Absent: it could not be found out, and `evidence` says why. */
  readonly value?: LearnedValue;
  /** What was seen, as a sentence. Holds no value of a person. */
  readonly evidence: string;
}

export type LearnedValues = Readonly<Partial<Record<LearnedSetting, LearnedValue>>>;

/** What the store keeps before a write is sent, so that the next `learn` can clean up what a crash left. */
export interface LearnTrial {
  readonly user: string;
  readonly write: string;
  /** Epoch ms. */
  readonly writtenAt: number;
}

/** How the experiments write and speak. */
export interface LearnDesk {
  /**
   * Every write goes through it. Asks, takes the connection's file lease, stores what follows, and then does it. Returns
   * undefined when the operator declines. `send` includes the wait until the platform has processed the write.
   */
  write<T>(what: string, send: () => Promise<T>): Promise<T | undefined>;
  /** Stores that no test user of an earlier write is left. */
  cleaned(): Promise<void>;
  /** Says in one line what happens now. */
  say(text: string): void;
  /** Tells what an experiment found out, as soon as it has. */
  found(line: LearnLine): void;
}

/** How the experiments ended. */
export interface LearnEnd {
  /** Why the experiments stopped early, as sentences. Absent: all were made. */
  readonly stopped?: string;
  /** The test user that is still on the platform, and why. Absent: it was removed, or never created. */
  readonly left?: { readonly user: string; readonly state: 'disabled' | 'enabled' | 'unknown'; readonly why: string };
}

export interface LearnOrder {
  /** Identification of the test user. The store knows no such person. */
  readonly user: string;
  /** The test user that an earlier `learn` may have left. */
  readonly before: LearnTrial | undefined;
  readonly desk: LearnDesk;
  readonly signal: AbortSignal;
}
