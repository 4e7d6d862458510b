import type { AppIo, WaitForStore } from '../app/app-io.ts';
import type { SignedCaller } from '../app/audit.ts';
import type { Access } from '../core/guard/access.ts';
import { RollcallError } from '../core/run/errors.ts';
import type { ApiOperation } from '../ports/api.ts';
import type { Clock } from '../ports/runtime.ts';
import type { GuessedFile, ProposedSections, SourceKind } from '../ports/source.ts';
import type {
  BackupSummary,
  MoveReport,
  RestorePreview,
  RestoreReport,
  StoreMigration,
} from '../ports/store-operations.ts';

/** A text stream, such as `process.stdout` and `process.stderr`. */
export type Output = NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };

/**
 * Everything that the command line needs from outside, so that it runs the same in a test and in a shell. Only
 * `src/main/cli.ts` creates one from a real process.
 */
export interface CliIo {
  /** Reports and JSON only. */
  readonly stdout: Output;
  /** Errors, progress, questions and logs. */
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Relative file names are resolved from here. */
  readonly cwd: string;
  readonly clock: Clock;
  /** Aborts with an `Interruption` when the operator or the system asks the process to stop. */
  readonly signal: AbortSignal;
  /**
   * Calls the listener at each SIGHUP, until the returned function is called. Absent on a terminal, which sends SIGHUP when
   * it is closed: the process then ends.
   */
  readonly onHangup?: (listener: () => void) => () => void;
  /** Asks the operator and resolves to the answer without its line end. Absent when standard input is not a terminal. */
  readonly ask?: (question: string) => Promise<string>;
  /** The operator's login on this machine, for the audit: `shell:LOGIN`. */
  readonly operator: string;
  /** Returns the one of `server.tokens` with this text, with what it may do. Throws what `openApp` throws. */
  readonly identify: (configPath: string, token: string) => Promise<KnownIdentity | undefined>;
  readonly version: string;
  /** Loads the configuration and opens what it names. Throws `CONFIG_INVALID` with every problem. */
  readonly openApp: (configPath: string, options: OpenAppOptions) => Promise<AppIo>;
  /** Loads the configuration, opens nothing, and returns what it leaves in plain text. Throws what `openApp` throws for it. */
  readonly checkConfig: (configPath: string) => Promise<readonly string[]>;
  /** Returns the names below a key of the file, for completion. Empty when the file cannot be read. Never rejects. */
  readonly namesIn: (configPath: string, key: 'connections' | 'syncs') => Promise<readonly string[]>;
  /** Loads the configuration and brings its store to this version's tables. Throws what `openApp` throws. */
  readonly migrateStore: (configPath: string) => Promise<StoreMigration>;
  readonly backups: Backups;
  readonly sourceKinds: () => Promise<readonly SourceKind[]>;
  /** Returns what `init` writes for a starter of `sourceKinds`. Throws `USAGE` for an unknown name. */
  readonly starterFiles: (name: string) => Promise<StarterFiles>;
  /** Finds how the file of an export is written. Throws `USAGE` or `SOURCE_UNAVAILABLE` for one that is no export. */
  readonly guessFile: (path: string) => Promise<GuessedFile>;
  /** Returns a whole configuration with proposed sections. */
  readonly proposedConfig: (sections: ProposedSections) => Promise<string>;
  /** Operations of the platform's API, for `rollcall api`. */
  readonly apiOperations: () => Promise<readonly ApiOperation[]>;
  readonly sandbox: SandboxAccess;
  /** Starts a platform and writes a configuration and an HR file into the folder. Close the sandbox afterwards. */
  readonly openDemo: (folder: string) => Promise<DemoWorld>;
}

/** An identity of `server.tokens`. */
export interface KnownIdentity {
  readonly name: string;
  readonly access: Access;
}

/** Backups of the store that a configuration names. Opens no connection and sends nothing. */
export interface Backups {
  /** Writes a new file. Other processes may continue to work on the store. */
  create(configPath: string, file: string, signed: SignedCaller): Promise<BackupSummary>;
  /** Checks the file and returns what a restore would replace. Changes nothing. */
  preview(configPath: string, file: string): Promise<RestorePreview>;
  /** Replaces the store. Throws `CONFLICT` while a process works on it. */
  restore(configPath: string, file: string, signed: SignedCaller): Promise<RestoreReport>;
  /** Takes all that another store has over into the configured one. `from`: as `store` is written. */
  move(configPath: string, from: string, signed: SignedCaller): Promise<MoveReport>;
}

export interface OpenAppOptions {
  /** Whether the configured first refresh token may be presented (design, section 4, "Tokens"). */
  readonly mayPresentSeed: boolean;
  /** Whether tokens that were restored from a backup are confirmed. */
  readonly mayPresentRestored?: boolean;
  /** The command works with the configuration: opening moves former names of syncs, and safeguards count as used. */
  readonly hasEffect?: boolean;
  /** `off` unless the command is long-lived or logs were requested. `on` writes to stderr, at the configured level. */
  readonly logs: 'off' | 'on';
  /** Waits for a store that takes no write, and serves its health meanwhile. Absent: such a store is an error. */
  readonly waits?: WaitForStore;
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
  /** Writes an HR file in which an accident marks so many people as terminated that a guard holds them. */
  readonly makeAccident: () => Promise<void>;
}

/** Starts the embedded platform. */
export interface SandboxAccess {
  /** Starts it. Throws `USAGE` for an unknown fault or quirk and for a port that is in use. */
  start(request: SandboxRequest): Promise<StartedSandbox>;
  faults(): Promise<FaultList>;
  /** The platform's API as an OpenAPI document. */
  openApi(): Promise<unknown>;
}

export interface SandboxRequest {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly users: number;
  readonly seed: number;
  readonly processingMs: number;
  readonly tokenLifeMs: number;
  /** Each in the grammar of `FaultList`. */
  readonly faults: readonly string[];
  /** Each as `name=value`. */
  readonly quirks: readonly string[];
  readonly applicationToken?: string;
  readonly accessToken?: string;
  /** Each is valid once and begins a pair of its own, like one that an administrator creates. Empty: a random one. */
  readonly refreshTokens: readonly string[];
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

/** Exit codes of a process that a signal ended: 128 plus the signal's number. */
const exitCodes = { SIGINT: 130, SIGTERM: 143 } as const;

export type StopSignal = keyof typeof exitCodes;

export const stopSignals = Object.keys(exitCodes) as readonly StopSignal[];

/** The process was asked to stop. The next run continues the work in progress. */
export class Interruption extends RollcallError {
  override readonly name = 'Interruption';
  readonly exitCode: number;

  constructor(signal: StopSignal) {
    super(`stopped by ${signal} before the command had finished`, { code: 'CANCELLED' });
    this.exitCode = exitCodes[signal];
  }
}
