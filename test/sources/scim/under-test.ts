import { type Crowd, pagesOf, type SourceCase, type SourceUnderTest } from '../../contracts/source.ts';
import type { FaultName } from '../../contracts/source-faults.ts';
import { longId } from '../../fakes/hris/roster.ts';
import { type FakeScim, type FakeScimOptions, fakeUsers, startScim } from '../../fakes/hris/scim.ts';
import { startVendor } from '../../fakes/hris/vendor-server.ts';
import { changeSome, impossibleOverHttp, overHttp, patient } from '../over-http.ts';

type Settings = Readonly<Record<string, unknown>>;

const byNumber = 'a page begins at a number, which does not expire and always increases';
const notFrozen = 'each page shows the moment of its request: see `person slipped`';

/** Every SCIM server: totals are not trusted, an empty page ends the read. */
export const scimByIndex: SourceCase = {
  name: 'scim (index)',
  statusInputs: ['active'],
  prepare: (fault, crowd) => prepare(fault, crowd, {}, { paging: 'index' }),
  impossible: impossibleOverHttp(notFrozen, {
    'total too small': 'many servers do this, so the total counts only with `total: exact`',
    'total nonsense': 'totals are not trusted, and the list is read twice where they prove nothing',
    'cursor again': byNumber,
    'cursor expired': byNumber,
  }),
};

export const scimByExactTotal: SourceCase = {
  name: 'scim (index, exact total)',
  statusInputs: ['active'],
  prepare: (fault, crowd) => prepare(fault, crowd, {}, { paging: 'index', total: 'exact' }),
  impossible: impossibleOverHttp(notFrozen, {
    'cursor again': byNumber,
    'cursor expired': byNumber,
  }),
};

export const scimByCursor: SourceCase = {
  name: 'scim (cursor)',
  statusInputs: ['active'],
  prepare: (fault, crowd) => prepare(fault, crowd, { cursors: true }, { total: 'exact' }),
  impossible: impossibleOverHttp(notFrozen),
};

async function prepare(
  fault: FaultName | undefined,
  crowd: Crowd | undefined,
  server: Partial<FakeScimOptions>,
  settings: Settings,
): Promise<SourceUnderTest> {
  const { count, pageSize } = pagesOf(crowd);
  const users = fakeUsers(count).map((user, index) =>
    fault === 'long ids' ? { ...user, externalId: longId(index) } : user,
  );
  const other = await startVendor({ isData: () => true, answer: () => ({ status: 200, body: '{"totalResults":0}' }) });
  const scim = await startScim({ users, fault, otherHost: `${other.url}/Users`, ...server });
  return {
    ...overHttp(scimConfig(scim, { ...settings, pageSize, limits: patient }), scim, other),
    field: 'externalId',
    identifications: users.map(({ externalId }) => externalId),
    change: changeSome(
      scim.users,
      { family: 'Schmidt', changedAt: '2026-11-21T11:00:00Z' },
      ({ externalId }) => externalId,
    ),
  };
}

/** The section `source` for a fake. */
export function scimConfig({ baseUrl, tokenUrl }: FakeScim, settings: Settings = {}): Settings {
  const auth = { kind: 'client-credentials', tokenUrl, clientId: 'rollcall', clientSecret: 'geheim' };
  return { kind: 'scim', baseUrl, auth, limits: { requestsPerSecond: 1000 }, ...settings };
}
