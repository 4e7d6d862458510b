import { pagesOf, type SourceCase } from '../../contracts/source.ts';
import { bobPeople, bobUser, startBob } from '../../fakes/hris/hibob.ts';
import { impossibleOverHttp, overHttp } from '../over-http.ts';

export const bobFields = [
  'root.id',
  'root.firstName',
  'root.surname',
  'root.email',
  'work.startDate',
  'work.department',
  'work.siteId',
  'work.reportsTo',
  'internal.status',
  'internal.lifecycleStatus',
  'internal.terminationDate',
];

interface HibobCase extends Pick<SourceCase, 'name' | 'impossible'> {
  readonly isInBatches: boolean;
  readonly ahead: string;
}

function hibobCase({ name, isInBatches, ahead, impossible }: HibobCase): SourceCase {
  const strikeAt = isInBatches ? 2 : 1;
  return {
    name,
    ahead: { kind: 'buffers', why: ahead },
    async prepare(fault, crowd) {
      const { count, pageSize } = crowd === 'many' ? { count: 2_600, pageSize: 500 } : pagesOf(crowd);
      const { server, elsewhere, url } = await startBob(bobPeople(count, fault), { fault, strikeAt });
      const config = {
        kind: 'hibob',
        url,
        serviceUser: bobUser.id,
        token: bobUser.token,
        fields: bobFields,
        ...(isInBatches ? { batchSize: pageSize } : {}),
      };
      return {
        ...overHttp(config, server, elsewhere),
        field: 'id',
        identifications: bobPeople(count).map(({ id }) => id),
      };
    },
    statusInputs: ['lifecycleStatus', 'status', 'startDate', 'terminationDate'],
    impossible: impossibleOverHttp('an answer shows one moment', {
      'total too small': 'the API reports no total; ids that are not listed are not requested',
      'total nonsense': 'the API reports no total',
      'cursor again': 'there is no cursor',
      'page emptied': 'there are no pages, or batches of requested ids',
      'cursor expired': 'there is no cursor',
      'token ends': 'the token of a service user has no expiry date, and cannot be renewed',
      ...impossible,
    }),
  };
}

const oneAnswer = 'one answer holds all employees, without pages';

export const hibobWhole = hibobCase({
  name: 'hibob',
  isInBatches: false,
  ahead: 'all employees are in one answer, which is read from the socket in pieces',
  impossible: {
    'cut body': 'the answer is streamed: a cut one ends the read, and the engine reads again: see `cut for good`',
    'total too large': 'the API reports no total',
    'page again': oneAnswer,
    'person slipped': oneAnswer,
    'pages shrink': oneAnswer,
  },
});

export const hibobBatches = hibobCase({
  name: 'hibob (batches)',
  isInBatches: true,
  ahead: 'the ids of all employees are read first, and held',
  impossible: {
    'pages shrink': 'a batch is requested by its ids, so a smaller one is `person slipped`',
  },
});
