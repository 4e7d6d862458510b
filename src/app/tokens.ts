import { RollcallError } from '../core/run/errors.ts';
import type { TokenStatus } from '../ports/tokens.ts';
import type { AppIo } from './app-io.ts';
import { note, type SignedCaller, signature } from './audit.ts';
import { findConnection } from './find-named.ts';

/** Refreshes or revokes tokens. The audit also keeps a failure, because the platform or the store may have changed. */
export async function changeTokens(
  { connections, engine }: AppIo,
  verb: 'refresh' | 'revoke',
  connection: string,
  { by, signal, ...order }: SignedCaller & { readonly signal: AbortSignal },
): Promise<TokenStatus> {
  const { tokens } = findConnection(connection, connections);
  const act = { action: `token-${verb}`, by, connection, ...signature(order) } as const;
  try {
    const report = await tokens[verb](signal);
    await note({ ...act, detail: `now ${report.state}` }, engine);
    return report;
  } catch (error) {
    const code = error instanceof RollcallError ? error.code : 'UNEXPECTED';
    await note({ ...act, detail: `failed: ${code}` }, engine).catch(() => {});
    throw error;
  }
}

export async function readTokens({ connections }: AppIo, connection: string): Promise<TokenStatus> {
  return findConnection(connection, connections).tokens.status();
}
