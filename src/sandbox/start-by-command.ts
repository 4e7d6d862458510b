import { getHeapStatistics } from 'node:v8';
import { listenFailure } from '../core/run/addresses.ts';
import { RollcallError } from '../core/run/errors.ts';
import { parseFault } from './faults/parse-fault.ts';
import type { SandboxOptions } from './options.ts';
import { seedUsers } from './people/seed-users.ts';
import { parseQuirk } from './quirks.ts';
import { type RunningSandbox, startSandbox } from './start-sandbox.ts';

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

/** Heap that one synthetic user takes, with its place in every sorted index. Measured: 3.3 KB. */
const bytesPerUser = 3500;

/** Refuses at once what would end the process after a minute, out of memory. */
function refuseCrowd(users: number): void {
  const heap = getHeapStatistics().heap_size_limit;
  if (users * bytesPerUser < heap) return;
  const most = Math.floor(heap / bytesPerUser / 10_000) * 10_000;
  const message = `${users} users need more memory than this process may use (about ${most} users): npm run sandbox -- --users ${users}`;
  throw new RollcallError(message, { code: 'USAGE' });
}
