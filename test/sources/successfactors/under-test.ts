import { openSource } from '../../../src/sources/registry.ts';
import { pagesOf, type SourceCase } from '../../contracts/source.ts';
import { noFile, noTextRows } from '../../contracts/source-faults.ts';
import {
  apiKey,
  companyId,
  type FakePerson,
  fakePeople,
  makeClientKeys,
  startSuccessFactors,
} from '../../fakes/hris/successfactors.ts';
import { startVendor, withdraw } from '../../fakes/hris/vendor-server.ts';
import { watchSockets } from '../../support/open-sockets.ts';
import { sourceBase } from '../../support/source-base.ts';
import { bytesOverHttp } from '../../support/taken-bytes.ts';

/** The clock of the suite runs a thousand times as fast as the server. */
const patient = { requestsPerSecond: 1000, deadline: '48h' };

/** Made once: a key of 2048 bits takes longer than a read. */
const keys = makeClientKeys();

function sourceCase(entity: 'PerPerson' | 'User', field: string, statusInputs: readonly string[]): SourceCase {
  return {
    name: `successfactors (${entity})`,
    async prepare(fault, crowd) {
      const { count, pageSize } = pagesOf(crowd);
      const people = fakePeople(count).map((person, index): FakePerson => {
        if (fault === 'long ids') return { ...person, id: `90071992547409${String(index).padStart(5, '0')}` };
        return index % 10 === 0 ? { ...person, status: 'T', activeEmployments: 0, ended: '2025-12-31' } : person;
      });
      const other = await startVendor({
        isData: () => true,
        answer: () => ({ status: 200, body: '{"d":{"results":[]}}' }),
      });
      const fake = await startSuccessFactors({ people, fault, otherHost: other.url, publicKey: keys.publicKey });
      const auth = { kind: 'saml', clientId: apiKey, user: 'rollcall.api', privateKey: keys.privateKey };
      const config = { kind: 'successfactors', url: fake.url, companyId, auth, entity, pageSize, limits: patient };
      return {
        source: openSource(config, sourceBase('/')),
        field,
        identifications: people.map(({ id }) => id),
        openResources: watchSockets(fake.port),
        bytesTaken: bytesOverHttp(fake.port),
        withdraw: (name) => withdraw(fake.port, [name]),
        verify() {
          if (other.requests.length > 0) throw new Error('another host was asked');
        },
        async change() {
          const changed = [5, 9, 11];
          for (const index of changed) {
            const person = fake.people[index];
            if (person !== undefined) fake.people[index] = { ...person, changedAt: '2026-11-21T11:00:00Z' };
          }
          return { since: '2026-11-21T09:00:00Z', changed: changed.map((index) => fake.people[index]?.id ?? '') };
        },
      };
    },
    statusInputs,
    impossible: {
      'a pipe': noFile,
      'stray quotes': noTextRows,
      'page emptied': 'the count shows it: see `total too large`',
      'still written': 'all pages belong to one snapshot; if it does not hold, see `person slipped`',
    },
  };
}

export const perPerson = sourceCase('PerPerson', 'personIdExternal', [
  'jobInfoNav',
  'emplStatusNav',
  'activeEmploymentsCount',
  'startDate',
  'endDate',
]);
export const userEntity = sourceCase('User', 'userId', ['status', 'hireDate']);
