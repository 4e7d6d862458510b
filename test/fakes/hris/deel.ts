import type { FaultName } from '../../contracts/source-faults.ts';
import { jsonReply } from './json-reply.ts';
import { openRoster } from './roster.ts';
import { startVendor } from './vendor-server.ts';

export interface DeelPerson {
  readonly [name: string]: unknown;
  readonly id: string;
}

export function deelPeople(count: number): DeelPerson[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `4f8e0f2e-0000-0000-0000-${String(index).padStart(12, '0')}`,
    first_name: `Amir${index}`,
    last_name: 'Haddad',
    emails: [
      { type: 'personal', value: null },
      { type: 'work', value: `amir${index}@example.com` },
    ],
    start_date: '2024-02-01T00:00:00.000Z',
    completion_date: null,
    hiring_status: 'active',
    job_title: 'Designer',
    department: { id: 'd', name: 'Design' },
    worker_id: String(1000 + index),
    employments: [
      { id: 'old', is_ended: true, start_date: '2025-01-01', country: 'AE' },
      { id: 'now', is_ended: false, start_date: '2024-02-01', country: 'ES' },
    ],
  }));
}

/** Deel's `GET /people`: bearer token, offset and limit (200 at most, else 400), total in `page`. */
export async function startDeel(people: readonly DeelPerson[], fault?: FaultName) {
  const roster = openRoster(people, fault);
  const elsewhere = await startVendor({ answer: () => jsonReply({}), isData: () => false });
  const server = await startVendor({
    fault,
    isData: ({ url }) => url.pathname === '/people',
    answer({ url, headers }, number) {
      if (headers.authorization !== 'Bearer d33l') return { status: 401, body: '' };
      if (number > 1 && fault === 'cursor expired') return { status: 404, body: '' };
      if (number > 1 && fault === 'error with 200') return jsonReply({ errors: [{ message: 'unavailable' }] });
      if (number > 1 && fault === 'other host') {
        return { status: 302, headers: { location: `${elsewhere.url}/people` }, body: '' };
      }
      const [offset, limit] = [Number(url.searchParams.get('offset')), Number(url.searchParams.get('limit') ?? 50)];
      if (limit > 200) return { status: 400, body: '' };
      const data = roster.page(offset, limit, number);
      return jsonReply({ data, page: { total_rows: roster.total(), items_per_page: limit, offset } });
    },
  });
  return { server, elsewhere };
}
