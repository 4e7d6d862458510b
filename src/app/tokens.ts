import { RollcallError } from '../core/errors.ts';
import type { TokenReport } from './app.ts';
import type { AppIo, ConnectionAccess } from './app-io.ts';
import { note } from './audit.ts';
import { findConnection } from './find-named.ts';

/**
 * Does something to the tokens of a connection and writes it into the audit: also when it failed, because the platform or
 * the store may have changed all the same.
 */
export async function changeTokens(
  verb: 'refresh' | 'revoke',
  { connection, by, signal }: { readonly connection: string; readonly by: string; readonly signal: AbortSignal },
  { connections, engine }: AppIo,
): Promise<TokenReport> {
  const { tokens }: ConnectionAccess = findConnection(connection, connections);
  const act = { action: `token-${verb}`, by, connection } as const;
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
