import { getHeapStatistics } from 'node:v8';
import type { SandboxAccess, SandboxRequest, StartedSandbox } from '../cli/cli-io.ts';
import { RollcallError } from '../core/errors.ts';
import { renderOpenApi } from '../platform/schema/open-api.ts';
import { operationIds } from '../platform/schema/operations.ts';
import { faultKinds } from '../sandbox/faults/fault-kinds.ts';
import { faultGrammar, parseFault } from '../sandbox/faults/parse-fault.ts';
import { defaultQuirks, type SandboxQuirks } from '../sandbox/quirks.ts';
import { systemClock } from './system.ts';

/** The sandbox behind what the command line asks of it. */
export const sandboxAccess: SandboxAccess = {
  start,
  openApi: renderOpenApi,
  faults: () => ({
    grammar: faultGrammar,
    operations: operationIds,
    kinds: faultKinds,
    quirks: Object.entries(defaultQuirks).map(([name, value]) => ({ name, value: quirkText(value) })),
  }),
};

async function start(request: SandboxRequest): Promise<StartedSandbox> {
  const { faults, quirks, tokenLifeMs, host, port, users, seed, processingMs } = request;
  const { applicationToken, accessToken, refreshToken } = request;
  const options = {
    ...{ host, port, users, seed, processingMs },
    ...(applicationToken === undefined ? {} : { applicationToken }),
    ...(accessToken === undefined ? {} : { accessToken }),
    ...(refreshToken === undefined ? {} : { refreshToken }),
    accessTokenLifeMs: tokenLifeMs,
    faults: faults.map(parseFault),
    quirks: Object.fromEntries(quirks.map(parseQuirk)),
    now: () => systemClock.now(),
  };
  refuseCrowd(users);
  // Its web server is loaded only when it is wanted.
  const { startSandbox } = await import('../sandbox/start-sandbox.ts');
  try {
    return await startSandbox(options);
  } catch (error) {
    throw listenFailure(error, request) ?? error;
  }
}

/** What a synthetic user takes of the heap, with its place in every sorted index. Measured: 3.3 KB. */
const bytesPerUser = 3500;

/** Better a word at once than an end without one after a minute. */
function refuseCrowd(users: number): void {
  const heap = getHeapStatistics().heap_size_limit;
  if (users * bytesPerUser < heap) return;
  const most = Math.floor(heap / bytesPerUser / 10_000) * 10_000;
  const message = `${users} users need more memory than this process may take (about ${most} users): npm run sandbox -- --users ${users}`;
  throw new RollcallError(message, { code: 'USAGE' });
}

function listenFailure(error: unknown, { host, port }: SandboxRequest): RollcallError | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const why: Readonly<Record<string, string>> = {
    EADDRINUSE: 'is taken by another program: give another with --port, or --port 0 for any free one',
    EACCES: 'may not be used by you: give another with --port',
    EADDRNOTAVAIL: 'is not an address of this machine: give another with --host',
    ENOTFOUND: 'is not an address of this machine: give another with --host',
  };
  const reason = typeof code === 'string' ? why[code] : undefined;
  if (reason === undefined) return undefined;
  return new RollcallError(`${host} port ${port} ${reason}`, { code: 'USAGE', cause: error });
}

/** Reads `name=value`, the value by the kind of the quirk's default. */
export function parseQuirk(text: string): [string, unknown] {
  const [name = '', ...rest] = text.split('=');
  const value = rest.join('=');
  if (!Object.hasOwn(defaultQuirks, name) || rest.length === 0) {
    const known = Object.keys(defaultQuirks).join(', ');
    throw refusal(text, `it must be name=value, with a name of: ${known}`);
  }
  return [name, readQuirk(text, value, defaultQuirks[name as keyof SandboxQuirks])];
}

function readQuirk(text: string, value: string, like: SandboxQuirks[keyof SandboxQuirks]): unknown {
  if (typeof like === 'boolean') {
    if (value === 'true' || value === 'false') return value === 'true';
    throw refusal(text, 'its value must be true or false');
  }
  if (typeof like === 'number') {
    if (/^\d+$/.test(value)) return Number(value);
    throw refusal(text, 'its value must be a whole number');
  }
  if (Array.isArray(like)) {
    const parts = value === '' ? [] : value.split(',');
    if (like.every((part) => typeof part === 'string')) return parts;
    if (parts.every((part) => /^\d+$/.test(part))) return parts.map(Number);
    throw refusal(text, 'its value must be whole numbers with commas between');
  }
  if (typeof like === 'object') {
    const pairs = value === '' ? [] : value.split(',').map((pair) => pair.split(':'));
    if (pairs.every(({ length }) => length === 2)) return Object.fromEntries(pairs);
    throw refusal(text, 'its value must be pairs a:b with commas between');
  }
  return value;
}

function quirkText(value: SandboxQuirks[keyof SandboxQuirks]): string {
  if (Array.isArray(value)) return value.join(',');
  if (typeof value === 'object')
    return Object.entries(value)
      .map(([from, to]) => `${from}:${to}`)
      .join(',');
  return String(value);
}

function refusal(text: string, why: string): RollcallError {
  return new RollcallError(`the quirk "${text}" cannot be used: ${why}`, { code: 'USAGE' });
}
