import type { FaultName } from '../../contracts/source-faults.ts';
import { jsonReply } from './json-reply.ts';
import { givenSize, openRoster } from './roster.ts';
import { startVendor } from './vendor-server.ts';

export interface UkgEmployment {
  readonly [name: string]: unknown;
  readonly employeeID: string;
  readonly companyID: string;
  readonly employeeNumber: string;
}

export interface UkgPerson {
  readonly [name: string]: unknown;
  readonly employeeId: string;
  readonly companyId: string;
}

export function ukgEmployments(count: number): UkgEmployment[] {
  return Array.from({ length: count }, (_, index) => ({
    companyID: 'J0HW9',
    employeeID: `AKUVQP${String(index).padStart(6, '0')}`,
    employeeNumber: `000${100_000 + index}`,
    jobTitle: 'Nurse',
    orgLevel1Code: 'NORTH',
    originalHireDate: '2015-03-02T00:00:00',
    lastHireDate: '2019-07-01T00:00:00',
    dateOfTermination: null,
    employeeStatusCode: 'A',
  }));
}

export function ukgPeople(employments: readonly UkgEmployment[]): UkgPerson[] {
  return employments.map(({ employeeID, companyID }, index) => ({
    personId: `p-${index}`,
    employeeId: employeeID,
    companyId: companyID,
    firstName: `Ida${index}`,
    lastName: 'Berg',
    emailAddress: `ida${index}@example.com`,
    ssn: '000-00-0000',
    ssnIsSuppressed: false,
  }));
}

/** UKG Pro: two lists as bare arrays, page and per_page (cut at 200), Basic and the customer's key in a header. */
export async function startUkg(
  employments: readonly UkgEmployment[],
  fault?: FaultName,
  people: readonly UkgPerson[] = ukgPeople(employments),
) {
  const lists = {
    '/personnel/v1/employment-details': openRoster(employments, fault),
    '/personnel/v1/person-details': openRoster(people),
  };
  const own = { '/personnel/v1/employment-details': 0, '/personnel/v1/person-details': 0 };
  const elsewhere = await startVendor({ answer: () => jsonReply([]), isData: () => false });
  const server = await startVendor({
    fault,
    isData: ({ url }) => url.pathname in lists,
    answer({ url, headers }, number) {
      const key = headers['us-customer-api-key'];
      const basic = `Basic ${Buffer.from('svc:p4ss').toString('base64')}`;
      if (headers.authorization !== basic || key !== 'cust0mer') return { status: 401, body: '' };
      const path = url.pathname as keyof typeof lists;
      if (!(path in lists)) return { status: 404, body: '' };
      own[path] += 1;
      if (number > 1 && fault === 'cursor expired') return { status: 404, body: '' };
      if (number > 1 && fault === 'error with 200') return jsonReply({ message: 'unavailable' });
      if (number > 1 && fault === 'other host') {
        return { status: 302, headers: { location: `${elsewhere.url}${path}` }, body: '' };
      }
      const page = Number(url.searchParams.get('page') ?? 1);
      const size = givenSize(Math.min(200, Number(url.searchParams.get('per_page') ?? 200)), fault);
      return jsonReply(lists[path].page((page - 1) * size, size, own[path]));
    },
  });
  return { server, elsewhere };
}
