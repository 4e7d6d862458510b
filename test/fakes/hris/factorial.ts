import type { FaultName } from '../../contracts/source-faults.ts';
import { jsonReply } from './json-reply.ts';
import { longId, openRoster } from './roster.ts';
import { startVendor } from './vendor-server.ts';

export interface FactorialEmployee {
  readonly [name: string]: unknown;
  readonly id: string;
}

/** Ids are text from 2026-07-01 on, and bare numbers beyond 2^53 in older versions (`fault`: long ids). */
export function factorialEmployees(count: number, fault?: FaultName): FactorialEmployee[] {
  return Array.from({ length: count }, (_, index) => ({
    id: fault === 'long ids' ? `#${longId(index)}` : longId(index),
    first_name: `Nora${index}`,
    last_name: 'Puig',
    email: `nora${index}@example.com`,
    identifier: `F${index}`,
    terminated_on: null,
  }));
}

/** Factorial's list of employees: dated path, key in a header, `after_id`. */
export async function startFactorial(employees: readonly FactorialEmployee[], fault?: FaultName) {
  const roster = openRoster(employees, fault);
  const elsewhere = await startVendor({ answer: () => jsonReply({}), isData: () => false });
  const server = await startVendor({
    fault,
    isData: ({ url }) => /^\/\d{4}-\d{2}-\d{2}\/resources\/employees\/employees$/.test(url.pathname),
    answer({ url, headers }, number) {
      if (headers['x-api-key'] !== 'f4ctorial') return { status: 401, body: '' };
      if (number > 1 && fault === 'cursor expired') return { status: 400, body: '' };
      if (number > 1 && fault === 'error with 200') return jsonReply({ errors: ['unavailable'] });
      if (number > 1 && fault === 'other host') {
        return { status: 302, headers: { location: `${elsewhere.url}/` }, body: '' };
      }
      const after = url.searchParams.get('after_id') ?? undefined;
      const size = Math.min(100, Number(url.searchParams.get('limit') ?? 50));
      const isLast = ({ id }: FactorialEmployee): boolean => id.replace('#', '') === after;
      const data = roster.after(after === undefined ? undefined : isLast, size, number);
      const goesOn = fault === 'cursor again' && number === 3 ? roster.members[0] : data.at(-1);
      return jsonReply({
        data: roster.shown(data),
        meta: { has_next_page: roster.hasMore(data), end_cursor: goesOn?.id ?? null },
      });
    },
  });
  return { server, elsewhere };
}
