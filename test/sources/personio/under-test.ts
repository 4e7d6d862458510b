import { pagesOf, type SourceCase, type SourceUnderTest } from '../../contracts/source.ts';
import { personioClient, personioPeople, startPersonio } from '../../fakes/hris/personio.ts';
import { changeSome, impossibleOverHttp, overHttp } from '../over-http.ts';

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
        ...settings,
      };
      const idOf = ({ id }: { readonly id: string }) => id.replace('#', '');
      const changed = { last: 'Schmidt', updatedAt: '2026-11-21T11:00:00Z' };
      return {
        ...overHttp(config, server, elsewhere),
        field: 'id',
        identifications: personioPeople(count, fault).map(idOf),
        ...(settings.api === 'v2' ? { change: changeSome(people, changed, idOf) } : {}),
      };
    },
    statusInputs,
    impossible: impossibleOverHttp('an answer shows one moment; see `person slipped`', impossible),
  };
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
