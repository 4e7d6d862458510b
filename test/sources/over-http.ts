import { expect } from 'vitest';
import type { SourceBase } from '../../src/ports/source.ts';
import { openSource } from '../../src/sources/registry.ts';
import type { SourceCase, SourceUnderTest } from '../contracts/source.ts';
import { noFile, noTextRows } from '../contracts/source-faults.ts';
import { spoil, type VendorServer, withdraw } from '../fakes/hris/vendor-server.ts';
import { watchSockets } from '../support/open-sockets.ts';
import { sourceBase } from '../support/source-base.ts';
import { bytesOverHttp } from '../support/taken-bytes.ts';

type Settings = Readonly<Record<string, unknown>>;
type Impossible = SourceCase['impossible'];

/** Limits that are never reached: the clock of the suite runs a thousand times as fast as the server. */
export const patient = { requestsPerSecond: 1000, deadline: '48h', timeout: '48h' };

/** What cannot happen to a kind that reads JSON or XML from a server; `stillWritten`: why no answer changes meanwhile. */
export function impossibleOverHttp(stillWritten: string, more: Impossible = {}): Impossible {
  return { 'a pipe': noFile, 'stray quotes': noTextRows, 'still written': stillWritten, ...more };
}

/** A source that reads from a server of this process, and a host that it must not ask. */
export function overHttp(
  config: Settings,
  { port }: Pick<VendorServer, 'port'>,
  elsewhere: Pick<VendorServer, 'requests'>,
  base: SourceBase = sourceBase('/'),
): Pick<SourceUnderTest, 'source' | 'openResources' | 'bytesTaken' | 'withdraw' | 'spoil'> & { verify(): void } {
  return {
    source: openSource({ limits: patient, ...config }, base),
    openResources: watchSockets(port),
    bytesTaken: bytesOverHttp(port),
    withdraw: (name) => withdraw(port, [name]),
    spoil: (owners, numbers) => spoil(port, owners, numbers),
    verify: () => expect(elsewhere.requests).toEqual([]),
  };
}

/** Lets three members change, an hour before noon of the contract's day. */
export function changeSome<M extends object>(members: M[], change: Partial<M>, idOf: (member: M) => unknown) {
  return async (): ReturnType<NonNullable<SourceUnderTest['change']>> => {
    const chosen = [3, 4, 33];
    for (const index of chosen) {
      const member = members[index];
      if (member !== undefined) members[index] = { ...member, ...change };
    }
    const changed = chosen.flatMap((index) => members[index] ?? []).map((member) => String(idOf(member)));
    return { since: '2026-11-21T10:00:00Z', changed };
  };
}
