import { pagesOf, type SourceCase } from '../../contracts/source.ts';
import { longId } from '../../fakes/hris/roster.ts';
import {
  apiKey,
  companyId,
  type FakePerson,
  fakePeople,
  makeClientKeys,
  startSuccessFactors,
} from '../../fakes/hris/successfactors.ts';
import { startVendor } from '../../fakes/hris/vendor-server.ts';
import { changeSome, impossibleOverHttp, overHttp } from '../over-http.ts';

/** Made once: a key of 2048 bits takes longer than a read. */
const keys = makeClientKeys();

function sourceCase(entity: 'PerPerson' | 'User', field: string, statusInputs: readonly string[]): SourceCase {
  return {
    name: `successfactors (${entity})`,
    async prepare(fault, crowd) {
      const { count, pageSize } = pagesOf(crowd);
      const people = fakePeople(count).map((person, index): FakePerson => {
        if (fault === 'long ids') return { ...person, id: longId(index) };
        return index % 10 === 0 ? { ...person, status: 'T', activeEmployments: 0, ended: '2025-12-31' } : person;
      });
      const other = await startVendor({
        isData: () => true,
        answer: () => ({ status: 200, body: '{"d":{"results":[]}}' }),
      });
      const fake = await startSuccessFactors({ people, fault, otherHost: other.url, publicKey: keys.publicKey });
      const auth = { kind: 'saml', clientId: apiKey, user: 'rollcall.api', privateKey: keys.privateKey };
      const config = { kind: 'successfactors', url: fake.url, companyId, auth, entity, pageSize };
      return {
        ...overHttp(config, fake, other),
        field,
        identifications: people.map(({ id }) => id),
        change: changeSome(fake.people, { changedAt: '2026-11-21T11:00:00Z' }, ({ id }) => id),
      };
    },
    statusInputs,
    impossible: impossibleOverHttp('all pages belong to one snapshot; if it does not hold, see `person slipped`', {
      'page emptied': 'the count shows it: see `total too large`',
    }),
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
