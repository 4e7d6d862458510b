import type { OperationId } from '../platform/table/index.ts';
import type { FaultSpec } from './faults/parse-fault.ts';
import type { FeedbackRequest } from './growth/records.ts';
import { seedGrowth } from './growth/seed-growth.ts';
import { buildServer } from './http/build-server.ts';
import { editUser } from './http/control.ts';
import type { SandboxOptions } from './options.ts';
import type { Account, AccountPatch } from './people/account.ts';
import type { WriteLogEntry } from './people/write-log.ts';
import type { ProvisioningFile } from './provisioning/file-desk.ts';
import type { RefreshPresentation, TokenPairSecrets } from './token-issuer.ts';
import { createWorld, type World } from './world.ts';

/** A sandbox that listens. */
export interface RunningSandbox {
  /** `http://127.0.0.1:<port>`, without a trailing slash. */
  readonly url: string;
  readonly applicationToken: string;
  /** The first pair. A refresh replaces it. */
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly state: SandboxState;
  /** Replaces all faults and restarts their counts. */
  setFaults(faults: readonly FaultSpec[]): void;
  /** Returns a new token pair, independent of former ones, as after a new authorization. Tokens that are not given are random. */
  authorize(known?: Partial<TokenPairSecrets>): TokenPairSecrets;
  /** Ends every connection and waits until the port is free. May be called twice. */
  close(): Promise<void>;
}

/** The internal state, for tests in the same process. Each access processes due files. */
export interface SandboxState {
  /** By identification, with write-only fields, also before they become visible. */
  readonly users: ReadonlyMap<string, Account>;
  readonly blacklist: ReadonlySet<string>;
  readonly files: ReadonlyMap<number, ProvisioningFile>;
  readonly log: readonly WriteLogEntry[];
  /** Requests by operation, including rejected ones. */
  readonly requests: Readonly<Record<OperationId, number>>;
  readonly refreshes: readonly RefreshPresentation[];
  readonly feedbackRequests: readonly FeedbackRequest[];
  /** Changes or creates a user as another system would. Logged as `outside`. */
  editUser(identification: string, patch: AccountPatch): Account;
  /** Defines the CSV of the import job; undefined removes it. */
  defineImportSource(csv: string | undefined): void;
}

/** Starts the platform of the contract on a port of this machine. */
export async function startSandbox(options: SandboxOptions): Promise<RunningSandbox> {
  const world = createWorld(options);
  if (options.hasGrowth === true) seedGrowth(world);
  const { accessToken, refreshToken } = world.tokens.authorize(options);
  const closing = new AbortController();
  const app = await buildServer(world, closing.signal);
  const url = await app.listen({ host: options.host ?? '127.0.0.1', port: options.port ?? 0 });
  return {
    url,
    applicationToken: world.applicationToken,
    accessToken,
    refreshToken,
    state: lookInto(world),
    setFaults: (faults) => world.faults.set(faults),
    authorize: (known) => world.tokens.authorize(known),
    close: async () => {
      closing.abort();
      await app.close();
    },
  };
}

function lookInto(world: World): SandboxState {
  const settled = <T>(value: () => T): T => {
    world.files.settle();
    return value();
  };
  return {
    get users() {
      return settled(() => world.directory.all);
    },
    get blacklist() {
      return settled(() => world.directory.blacklist);
    },
    get files() {
      return settled(() => world.files.all);
    },
    get log() {
      return settled(() => world.log.entries);
    },
    get requests() {
      return world.requests;
    },
    get refreshes() {
      return world.tokens.presentations;
    },
    get feedbackRequests() {
      return world.feedback.requests;
    },
    editUser: (identification, patch) => settled(() => editUser(world, identification, patch)),
    defineImportSource: (csv) => world.defineImportSource(csv),
  };
}
