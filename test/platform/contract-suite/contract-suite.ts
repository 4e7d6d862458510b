import {
  openPlatformClient,
  type PlatformClient,
  type PlatformClientOptions,
} from '../../../src/platform/client/client.ts';
import { fixedToken } from '../../../src/platform/client/defaults.ts';
import { type ContractLine, checkSubject, type Witnesses } from './checks.ts';
import { type ContractAids, openFixture } from './fixture.ts';
import { contractSubjects } from './subjects.ts';

export interface ContractSuiteOptions {
  /** The connection to check. The suite opens and closes its own clients on it. */
  readonly connection: PlatformClientOptions;
  readonly aids: ContractAids;
}

/**
 * Compares a sandbox with the contract, operation by operation: status, body and headers of a success, on the wire and
 * through the client's method; defaults, paging, language; and every documented error. Continues after a difference.
 */
export async function runContractSuite({ connection, aids }: ContractSuiteOptions): Promise<readonly ContractLine[]> {
  const opened: PlatformClient[] = [];
  const open = (changes: Partial<PlatformClientOptions> = {}): PlatformClient => {
    const client = openPlatformClient({ ...connection, ...changes });
    opened.push(client);
    return client;
  };
  const witnesses: Witnesses = {
    client: open(),
    bearing: (secret) => open({ tokens: fixedToken(secret) }),
    // A blank makes the token malformed (RFC 6750, 2.1), so no user can own it.
    stranger: open({ tokens: fixedToken('no token'), applicationToken: 'no token' }),
    application: open({ tokens: fixedToken(connection.applicationToken ?? '') }),
    foreigner: open({ dialect: { ...connection.dialect, acceptLanguage: 'zz' } }),
  };
  const lines: ContractLine[] = [];
  try {
    const fixture = await openFixture(witnesses.client, aids);
    for (const subject of contractSubjects) {
      for await (const line of checkSubject(subject, fixture, witnesses)) lines.push(line);
    }
    return lines;
  } finally {
    for (const client of opened) await client.close();
  }
}
