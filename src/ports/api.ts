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

/** The result of one comparison of the platform with the contract. */
export interface ContractLine {
  readonly operation: string;
  /** `success`, `client`, `defaults`, `paging`, `language`, `encoding`, or an error status: `404`. */
  readonly check: string;
  readonly result: 'conforms' | 'differs' | 'skipped';
  /** What was observed, or why the check was skipped. Holds no value of a person. */
  readonly detail: string;
}

/**
 * `read-only` sends GET requests only. `read-write` also creates people, goals and feedback, and removes them
 * afterwards. The API cannot remove feedback, so `read-write` is for a test community only.
 */
export type ContractMode = 'read-only' | 'read-write';
