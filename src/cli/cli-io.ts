import type { App } from '../app/app.ts';
import type { ApiOperation } from '../ports/api.ts';
import type { Clock } from '../ports/runtime.ts';
import type { SourceKind } from '../ports/source.ts';
import type { StoreMigration } from '../ports/store-migration.ts';

/** Where text goes. `process.stdout` and `process.stderr` are two. */
export type Output = NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };

/**
 * Everything that the command line needs from outside, so that it runs in a test as it does in a shell. Only
 * `src/main/cli.ts` makes one from a real process.
 */
export interface CliIo {
  /** Reports and JSON. Nothing else is ever written here. */
  readonly stdout: Output;
  /** Errors, progress, questions and logs. */
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Relative file names are meant from here. */
  readonly cwd: string;
  readonly clock: Clock;
  /** Aborts with an `Interruption` when a person or the system asks the process to stop. */
  readonly signal: AbortSignal;
  /** Asks a person and resolves to the answer without its line end. Absent when nobody is there to answer. */
  readonly ask?: (question: string) => Promise<string>;
  /** Who runs the command, for the audit: `shell:` and the person's name on this machine. */
  readonly operator: string;
  readonly version: string;
  /** Loads the configuration and opens what it names. Throws `CONFIG_INVALID` with all that is wrong. */
  readonly openApp: (configPath: string, options: OpenAppOptions) => Promise<App>;
  /** Loads the configuration and brings the store that it names to this version's tables. Throws as `openApp` does. */
  readonly migrateStore: (configPath: string) => Promise<StoreMigration>;
  /** Every kind of source. */
  readonly sourceKinds: () => Promise<readonly SourceKind[]>;
  /** What `init` writes for a starting point of `sourceKinds`. Throws `USAGE` for a name that none has. */
  readonly starterFiles: (name: string) => Promise<StarterFiles>;
  /** Operations of the platform's API, for `rollcall api`. */
  readonly apiOperations: readonly ApiOperation[];
  readonly sandbox: SandboxAccess;
  /** Starts a platform and writes a configuration and an HR file into the folder. Close the sandbox afterwards. */
  readonly openDemo: (folder: string) => Promise<DemoWorld>;
}

export interface OpenAppOptions {
  /** Whether the configured first refresh token may be presented (design, section 4, "Tokens"). */
  readonly mayPresentSeed: boolean;
  /** `off` unless the command lives long or the person asked for it; then on stderr, at the configured level. */
  readonly logs: 'off' | 'on';
}

export interface StarterFiles {
  readonly config: string;
  /** Paths are relative to the configuration's folder. */
  readonly samples: readonly { readonly path: string; readonly text: string }[];
  readonly instructions: string;
}

/** A platform with users, and a configuration that syncs an HR file to it. */
export interface DemoWorld {
  readonly sandbox: Pick<StartedSandbox, 'close'>;
  readonly configPath: string;
  readonly users: number;
  readonly employees: number;
  /** Identification of one of the leavers. */
  readonly leaver: string;
  /** The differences between HR file and platform, one per line. */
  readonly story: readonly string[];
}

/** The embedded platform, as far as a shell needs it. */
export interface SandboxAccess {
  /** Starts it. Throws `USAGE` for a fault or quirk that does not exist and for a port that is taken. */
  start(request: SandboxRequest): Promise<StartedSandbox>;
  faults(): FaultList;
  /** The platform's API as an OpenAPI document. */
  openApi(): unknown;
}

export interface SandboxRequest {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly users: number;
  readonly seed: number;
  readonly processingMs: number;
  readonly tokenLifeMs: number;
  /** In the grammar of `FaultList`. */
  readonly faults: readonly string[];
  /** `name=value`. */
  readonly quirks: readonly string[];
  readonly applicationToken?: string;
  readonly accessToken?: string;
  readonly refreshToken?: string;
}

export interface StartedSandbox {
  readonly url: string;
  readonly applicationToken: string;
  readonly accessToken: string;
  readonly refreshToken: string;
  close(): Promise<void>;
}

export interface FaultList {
  readonly grammar: string;
  readonly operations: readonly string[];
  readonly kinds: readonly { readonly kind: string; readonly argument: string; readonly summary: string }[];
  /** Quirks with their defaults, as text. */
  readonly quirks: readonly { readonly name: string; readonly value: string }[];
}
