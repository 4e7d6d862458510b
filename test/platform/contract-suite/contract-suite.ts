import type { ContractLine, ContractMode } from '../../ports/api.ts';
import { openPlatformClient, type PlatformClient, type PlatformClientOptions } from '../client/client.ts';
import { fixedToken } from '../client/defaults.ts';
import { operationOf } from '../table/operations.ts';
import { checkSubject, type Witnesses } from './checks.ts';
import { type ContractAids, type Fixture, openFixture } from './fixture.ts';
import { contractSubjects } from './subjects.ts';

export interface ContractSuiteOptions {
  /** The connection to check. The suite opens and closes its own clients on it. */
  readonly connection: PlatformClientOptions;
  readonly mode: ContractMode;
  readonly aids?: ContractAids;
  readonly signal: AbortSignal;
}

/**
 * Compares a platform with the contract, operation by operation: status, body and headers of a success, on the wire
 * and through the client's method; defaults, paging, language; and every documented error that can be provoked
 * without harm. Continues after a difference. Throws only when the signal aborts, or for a bug.
 */
export async function* runContractSuite(options: ContractSuiteOptions): AsyncGenerator<ContractLine, void> {
  const { connection, mode, aids = {}, signal } = options;
  const isWriting = mode === 'read-write';
  const opened: PlatformClient[] = [];
  const open = (changes: Partial<PlatformClientOptions> = {}): PlatformClient => {
    const client = openPlatformClient({ ...connection, ...changes });
    opened.push(client);
    return client;
  };
  const { applicationToken } = connection;
  const witnesses: Witnesses = {
    client: open(),
    bearing: (secret) => open({ tokens: fixedToken(secret) }),
    // A blank makes the token malformed (RFC 6750, 2.1), so no user can own it.
    stranger: open({ tokens: fixedToken('no token'), applicationToken: 'no token' }),
    application: applicationToken === undefined ? undefined : open({ tokens: fixedToken(applicationToken) }),
    foreigner: open({ dialect: { ...connection.dialect, acceptLanguage: 'zz' } }),
  };
  let fixture: Fixture | undefined;
  try {
    fixture = await openFixture({ client: witnesses.client, aids, signal, isWriting });
    for (const subject of contractSubjects) {
      if (!isWriting && operationOf(subject.id).method !== 'GET') {
        yield { operation: subject.id, check: 'success', result: 'skipped', detail: 'it writes: read-write mode only' };
        continue;
      }
      yield* checkSubject(subject, fixture, witnesses);
    }
  } finally {
    await fixture?.close();
    for (const client of opened) await client.close();
  }
}
