import { expect } from 'vitest';
import { openSource } from '../../../src/sources/registry.ts';
import { pagesOf, type SourceCase } from '../../contracts/source.ts';
import { noFile, noTextRows } from '../../contracts/source-faults.ts';
import { bobPeople, bobUser, startBob } from '../../fakes/hris/hibob.ts';
import { withdraw } from '../../fakes/hris/vendor-server.ts';
import { watchSockets } from '../../support/open-sockets.ts';
import { sourceBase } from '../../support/source-base.ts';
import { bytesOverHttp } from '../../support/taken-bytes.ts';

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
        // The clock of the suite runs a thousand times as fast as the server.
        limits: { requestsPerSecond: 1000, deadline: '48h', timeout: '48h' },
        ...(isInBatches ? { batchSize: pageSize } : {}),
      };
      return {
        source: openSource(config, sourceBase('/')),
        field: 'id',
        identifications: bobPeople(count).map(({ id }) => id),
        openResources: watchSockets(server.port),
        bytesTaken: bytesOverHttp(server.port),
        withdraw: (name) => withdraw(server.port, [name]),
        verify: () => expect(elsewhere.requests).toEqual([]),
      };
    },
    statusInputs: ['lifecycleStatus', 'status', 'startDate', 'terminationDate'],
    impossible: {
      'total too small': 'the API reports no total; ids that are not listed are not requested',
      'total nonsense': 'the API reports no total',
      'cursor again': 'there is no cursor',
      'page emptied': 'there are no pages, or batches of requested ids',
      'cursor expired': 'there is no cursor',
      'token ends': 'the token of a service user has no expiry date, and cannot be renewed',
      'a pipe': noFile,
      'stray quotes': noTextRows,
      'still written': 'an answer shows one moment',
      ...impossible,
    },
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
