import { expect } from 'vitest';
import { openSource } from '../../../src/sources/registry.ts';
import { pagesOf, type SourceCase, type SourceUnderTest } from '../../contracts/source.ts';
import { noFile, noTextRows } from '../../contracts/source-faults.ts';
import { personioClient, personioPeople, startPersonio } from '../../fakes/hris/personio.ts';
import { withdraw } from '../../fakes/hris/vendor-server.ts';
import { watchSockets } from '../../support/open-sockets.ts';
import { sourceBase } from '../../support/source-base.ts';
import { bytesOverHttp } from '../../support/taken-bytes.ts';

function personioCase(
  settings: { readonly api: 'v1' | 'v2'; readonly employments?: boolean },
  impossible: SourceCase['impossible'],
  statusInputs: readonly string[],
): SourceCase {
  return {
    name: `personio (${settings.api})`,
    async prepare(fault, crowd): Promise<SourceUnderTest> {
      // The largest pages that the APIs allow.
      const most = settings.api === 'v1' ? 100 : 50;
      const { count, pageSize } = crowd === 'many' ? { count: 6 * most, pageSize: most } : pagesOf(crowd);
      const { server, elsewhere, people } = await startPersonio(personioPeople(count, fault), { fault });
      const config = {
        kind: 'personio',
        url: server.url,
        ...personioClient,
        pageSize,
        // The clock of the suite runs a thousand times as fast as the server.
        limits: { requestsPerSecond: 1000, deadline: '48h', timeout: '48h' },
        ...settings,
      };
      const source = openSource(config, sourceBase('/'));
      return {
        source,
        field: 'id',
        identifications: personioPeople(count, fault).map(({ id }) => id.replace('#', '')),
        openResources: watchSockets(server.port),
        bytesTaken: bytesOverHttp(server.port),
        withdraw: (field) => withdraw(server.port, [field]),
        verify: () => expect(elsewhere.requests).toEqual([]),
        ...(source.capabilities.delta ? { change: async () => change(people, [3, 4, 33]) } : {}),
      };
    },
    statusInputs,
    impossible: {
      'a pipe': noFile,
      'stray quotes': noTextRows,
      'still written': 'an answer shows one moment; see `person slipped`',
      ...impossible,
    },
  };
}

/** Three people change, an hour before noon of the contract's day. */
function change(people: Awaited<ReturnType<typeof startPersonio>>['people'], chosen: readonly number[]) {
  for (const index of chosen) {
    const person = people[index];
    if (person !== undefined) people[index] = { ...person, last: 'Schmidt', updatedAt: '2026-11-21T11:00:00Z' };
  }
  return { since: '2026-11-21T10:00:00Z', changed: chosen.map((index) => people[index]?.id.replace('#', '') ?? '') };
}

export const personioV1 = personioCase(
  { api: 'v1' },
  {
    'cursor again': 'pages begin at a number of employees, so there is no cursor',
    'page emptied': 'the total shows it: see `total too large`',
  },
  ['status', 'hire_date', 'termination_date'],
);

const noTotal = 'the API reports no total';

export const personioV2 = personioCase(
  { api: 'v2', employments: true },
  {
    'total too large': noTotal,
    'total too small': noTotal,
    'total nonsense': noTotal,
    'person slipped': 'a page continues after a person, so a deletion hides no person',
  },
  ['status', 'employment_start_date', 'employment_end_date', 'termination', 'termination_date'],
);
