/** One operation of the platform's public API, as people may call it by name. */
export interface ApiOperation {
  readonly id: string;
  readonly part: string;
  readonly method: string;
  /** Path template: `/os-api/public-api/v1/users/{identification}`. */
  readonly path: string;
  readonly summary: string;
  /** Anything but a GET. */
  readonly isWrite: boolean;
  readonly parameters: readonly ApiParameter[];
  readonly body: 'none' | 'json' | 'file';
  /** Whether its answer is a page of a list that can be walked to its end. */
  readonly isList: boolean;
}

export interface ApiParameter {
  readonly name: string;
  /** Those in the path are required, those in the query are not. */
  readonly place: 'path' | 'query';
  readonly description: string;
  /** What the platform takes when it is left out, where the contract says so. */
  readonly otherwise: string | undefined;
}

export interface ApiRequest {
  /** Absent: the only connection of the configuration. */
  readonly connection?: string;
  readonly operation: string;
  /** By name, as text: numbers and flags are read by the operation's schema. */
  readonly parameters: Readonly<Record<string, string>>;
  /** JSON text; integers beyond 2^53 are sent with all their digits. */
  readonly body?: string;
  readonly file?: { readonly path: string; readonly name: string };
  /** Walks a list to its end. */
  readonly all: boolean;
}

export interface ApiAnswer {
  readonly connection: string;
  readonly operation: string;
  readonly status: number;
  /** Decoded, integers beyond 2^53 as text; undefined when none came. Of a walked list: `{result: [every item]}`. */
  readonly body: unknown;
}

/** One thing of a platform that was compared with the contract. */
export interface ContractLine {
  readonly operation: string;
  /** `success`, `client`, `defaults`, `paging`, `language`, `encoding`, or an error status: `404`. */
  readonly check: string;
  readonly result: 'conforms' | 'differs' | 'skipped';
  /** What was seen, or why it was not tried. Holds no value of a person. */
  readonly detail: string;
}

/**
 * `read-only` sends GET requests only. `read-write` also creates people, goals and feedback, and removes all of them but
 * the feedback, which the API cannot remove: for a test community only.
 */
export type ContractMode = 'read-only' | 'read-write';
