import { getHeapStatistics } from 'node:v8';
import { listenFailure } from '../core/run/addresses.ts';
import { usageError } from '../core/run/errors.ts';
import { type FaultSpec, parseFault } from './faults/parse-fault.ts';
import { seedEvaluations, seedGrowth } from './growth/catalog.ts';
import { append, type StoredEvaluation, type StoredFeedback } from './growth/records.ts';
import { buildServer } from './http/build-server.ts';
import { patchUser } from './http/control.ts';
import type { AccountPatch } from './people/account.ts';
import { seedUsers } from './people/seed-users.ts';
import { parseQuirk } from './quirks.ts';
import type { TokenPairSecrets } from './token-issuer.ts';
import { createWorld, type SandboxOptions, type World } from './world.ts';

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
export type SandboxState = ReturnType<typeof lookInto>;

/** Starts the platform of the contract on a port of this machine. */
export async function startSandbox(options: SandboxOptions): Promise<RunningSandbox> {
  const world = createWorld(options);
  seedEvaluations(world);
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

function lookInto(world: World) {
  const settled = <T>(value: () => T): T => {
    world.files.settle();
    return value();
  };
  return {
    /** By identification, with write-only fields, also before they become visible. */
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
    /** Requests by operation, including rejected ones. */
    get requests() {
      return world.requests;
    },
    get refreshes() {
      return world.tokens.presentations;
    },
    get feedbackRequests() {
      return world.feedbackRequests;
    },
    /** Returns the leaders of a user, also before they become visible. */
    leadersOf: (identification: string) => settled(() => world.leadership.leadersOf(identification)),
    /** Changes or creates a user as another system would. Logged as `outside`. */
    patchUser: (identification: string, patch: AccountPatch) => settled(() => patchUser(world, identification, patch)),
    /** Adds feedback, of any time: also of one that was shown before. */
    addFeedback: (feedback: Omit<StoredFeedback, 'id'>) => append(world.feedback, feedback),
    /** Adds an evaluation, or replaces the one with its id. */
    putEvaluation: (evaluation: StoredEvaluation) => {
      const at = world.evaluations.findIndex(({ id }) => id === evaluation.id);
      world.evaluations.splice(at === -1 ? world.evaluations.length : at, at === -1 ? 0 : 1, evaluation);
    },
    /** Defines the CSV of the import job; undefined removes it. */
    defineImportSource: (csv: string | undefined) => world.defineImportSource(csv),
  };
}

/** What a command line says of a sandbox: faults and quirks are text. */
export interface SandboxCommand
  extends Pick<SandboxOptions, 'seed' | 'processingMs' | 'applicationToken' | 'accessToken' | 'now'> {
  readonly host: string;
  readonly port: number;
  readonly users: number;
  readonly tokenLifeMs: number;
  readonly faults: readonly string[];
  readonly quirks: readonly string[];
  /** Each begins a pair of its own. Empty: a random one. */
  readonly refreshTokens: readonly string[];
}

/** Throws `USAGE` for an unknown fault or quirk, for more users than memory holds, and for an address in use. */
export async function startByCommand(command: SandboxCommand): Promise<RunningSandbox> {
  const { faults, quirks, refreshTokens, tokenLifeMs, ...options } = command;
  const [refreshToken, ...furtherTokens] = refreshTokens;
  const { host, port, users } = options;
  refuseCrowd(users);
  const parsed = { faults: faults.map(parseFault), quirks: Object.fromEntries(quirks.map(parseQuirk)) };
  try {
    const importSource = sampleImport(users);
    const sandbox = await startSandbox({
      ...options,
      ...parsed,
      ...(refreshToken === undefined ? {} : { refreshToken }),
      accessTokenLifeMs: tokenLifeMs,
      hasGrowth: true,
      importSource,
    });
    for (const further of furtherTokens) sandbox.authorize({ refreshToken: further });
    return sandbox;
  } catch (error) {
    const otherPort = 'give another one with --port, or --port 0 for any free one';
    throw listenFailure(error, { host, port, otherPort, otherHost: 'give another one with --host' }) ?? error;
  }
}

/** The source of the import job: one new user, and for the first user another job. */
function sampleImport(users: number): string {
  const [first] = seedUsers(users === 0 ? 0 : 1);
  const { firstName = '', lastName = '' } = first?.fields ?? {};
  const update = first === undefined ? [] : [`U,${first.identification},${firstName},${lastName},Team lead`];
  const rows = ['command,identification,firstName,lastName,job', 'I,IMPORT-1,Irene,Importada,Analyst', ...update];
  return rows.map((row) => `${row}\n`).join('');
}

/** Heap that one synthetic user takes. Measured: 3.3 KB. */
const bytesPerUser = 3500;

/** Refuses at once what would end the process after a minute, out of memory. */
function refuseCrowd(users: number): void {
  const heap = getHeapStatistics().heap_size_limit;
  if (users * bytesPerUser < heap) return;
  const most = Math.floor(heap / bytesPerUser / 10_000) * 10_000;
  const message = `${users} users need more memory than this process may use (about ${most} users): npm run sandbox -- --users ${users}`;
  throw usageError(message);
}
