import { openSource } from '../../../src/sources/registry.ts';
import { type Crowd, pagesOf, type SourceCase, type SourceUnderTest } from '../../contracts/source.ts';
import { type FaultName, noFile, noTextRows } from '../../contracts/source-faults.ts';
import { type FakeScim, type FakeScimOptions, fakeUsers, startScim } from '../../fakes/hris/scim.ts';
import { startVendor, withdraw } from '../../fakes/hris/vendor-server.ts';
import { watchSockets } from '../../support/open-sockets.ts';
import { sourceBase } from '../../support/source-base.ts';
import { bytesOverHttp } from '../../support/taken-bytes.ts';

type Settings = Readonly<Record<string, unknown>>;

/** The clock of the suite runs a thousand times as fast as the server. */
const patient = { requestsPerSecond: 1000, deadline: '48h' };

const byNumber = 'a page begins at a number, which does not expire and always increases';
const notFrozen = 'each page shows the moment of its request: see `person slipped`';

/** Every SCIM server: totals are not trusted, an empty page ends the read. */
export const scimByIndex: SourceCase = {
  name: 'scim (index)',
  statusInputs: ['active'],
  prepare: (fault, crowd) => prepare(fault, crowd, {}, { paging: 'index' }),
  impossible: {
    'total too small': 'many servers do this, so the total counts only with `total: exact`',
    'total nonsense': 'totals are not trusted, and the list is read twice where they prove nothing',
    'cursor again': byNumber,
    'cursor expired': byNumber,
    'a pipe': noFile,
    'stray quotes': noTextRows,
    'still written': notFrozen,
  },
};

export const scimByExactTotal: SourceCase = {
  name: 'scim (index, exact total)',
  statusInputs: ['active'],
  prepare: (fault, crowd) => prepare(fault, crowd, {}, { paging: 'index', total: 'exact' }),
  impossible: {
    'cursor again': byNumber,
    'cursor expired': byNumber,
    'a pipe': noFile,
    'stray quotes': noTextRows,
    'still written': notFrozen,
  },
};

export const scimByCursor: SourceCase = {
  name: 'scim (cursor)',
  statusInputs: ['active'],
  prepare: (fault, crowd) => prepare(fault, crowd, { cursors: true }, { total: 'exact' }),
  impossible: { 'a pipe': noFile, 'stray quotes': noTextRows, 'still written': notFrozen },
};

async function prepare(
  fault: FaultName | undefined,
  crowd: Crowd | undefined,
  server: Partial<FakeScimOptions>,
  settings: Settings,
): Promise<SourceUnderTest> {
  const { count, pageSize } = pagesOf(crowd);
  const users = fakeUsers(count).map((user, index) =>
    fault === 'long ids' ? { ...user, externalId: `90071992547409${String(index).padStart(5, '0')}` } : user,
  );
  const other = await startVendor({ isData: () => true, answer: () => ({ status: 200, body: '{"totalResults":0}' }) });
  const scim = await startScim({ users, fault, otherHost: `${other.url}/Users`, ...server });
  const source = openSource(scimConfig(scim, { ...settings, pageSize, limits: patient }), sourceBase('/'));
  return {
    source,
    field: 'externalId',
    identifications: users.map(({ externalId }) => externalId),
    openResources: watchSockets(scim.port),
    bytesTaken: bytesOverHttp(scim.port),
    withdraw: (name) => withdraw(scim.port, [name]),
    change: async () => change(scim),
    verify() {
      if (other.requests.length > 0) throw new Error('another host was asked');
    },
  };
}

function change({ users }: FakeScim): { readonly since: string; readonly changed: readonly string[] } {
  const changed = [5, 9, 11];
  for (const index of changed) {
    const user = users[index];
    if (user !== undefined) users[index] = { ...user, family: 'Schmidt', changedAt: '2026-11-21T11:00:00Z' };
  }
  return { since: '2026-11-21T09:00:00Z', changed: changed.map((index) => users[index]?.externalId ?? '') };
}

/** The section `source` for a fake. */
export function scimConfig({ baseUrl, tokenUrl }: FakeScim, settings: Settings = {}): Settings {
  const auth = { kind: 'client-credentials', tokenUrl, clientId: 'rollcall', clientSecret: 'geheim' };
  return { kind: 'scim', baseUrl, auth, limits: { requestsPerSecond: 1000 }, ...settings };
}
