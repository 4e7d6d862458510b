import type { FaultName } from '../../contracts/source-faults.ts';
import { jsonReply } from './json-reply.ts';
import { openRoster } from './roster.ts';
import { startVendor } from './vendor-server.ts';

export interface HumaansPerson {
  readonly [name: string]: unknown;
  readonly id: string;
}

export function humaansPeople(count: number): HumaansPerson[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `IL3vneCYhIx0xrR6um2${String(index).padStart(5, '0')}`,
    firstName: `Rui${index}`,
    lastName: 'Costa',
    email: `rui${index}@example.com`,
    jobTitle: 'Analyst',
    department: 'Research',
    employmentStartDate: '2022-05-02',
    employmentEndDate: null,
    status: 'active',
  }));
}

/** Humaans' `GET /people`: bearer token, `$skip` and `$limit` (cut silently), an exact total. */
export async function startHumaans(people: readonly HumaansPerson[], fault?: FaultName) {
  const roster = openRoster(people, fault);
  const elsewhere = await startVendor({ answer: () => jsonReply({}), isData: () => false });
  const server = await startVendor({
    fault,
    isData: ({ url }) => url.pathname === '/people',
    answer({ url, headers }, number) {
      if (headers.authorization !== 'Bearer hum44ns') return { status: 401, body: '' };
      if (number > 1 && fault === 'cursor expired') return { status: 404, body: '' };
      if (number > 1 && fault === 'error with 200') return jsonReply({ code: 500, name: 'GeneralError' });
      if (number > 1 && fault === 'other host') {
        return { status: 302, headers: { location: `${elsewhere.url}/people` }, body: '' };
      }
      const skip = Number(url.searchParams.get('$skip') ?? 0);
      const limit = Math.min(250, Number(url.searchParams.get('$limit') ?? 100));
      return jsonReply({ total: roster.total(), limit, skip, data: roster.page(skip, limit, number) });
    },
  });
  return { server, elsewhere };
}
