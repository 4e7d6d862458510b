import type { FaultName } from '../../contracts/source-faults.ts';
import { jsonReply } from './json-reply.ts';
import { openRoster } from './roster.ts';
import { startVendor, type VendorServer } from './vendor-server.ts';

/** A worker of Rippling's OpenAPI; `user` is there only when it is expanded. */
export interface RipplingWorker {
  readonly [name: string]: unknown;
  readonly id: string;
  readonly updated_at: string;
  readonly status: 'INIT' | 'HIRED' | 'ACCEPTED' | 'ACTIVE' | 'TERMINATED';
  readonly work_email: string;
}

export function ripplingWorkers(count: number): RipplingWorker[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `664f${String(index).padStart(20, '0')}`,
    created_at: '2024-05-23T10:00:00Z',
    updated_at: '2026-01-04T10:00:00Z',
    user_id: `u-${index}`,
    user: {
      id: `u-${index}`,
      active: true,
      number: String(index),
      name: { given_name: `Kim${index}`, middle_name: null, family_name: 'Osei', preferred_given_name: 'Kim' },
      phone_numbers: [{ value: '+12125550100', type: 'MOBILE', display: '+1 212 555 0100' }],
    },
    start_date: '2024-06-01',
    end_date: null,
    number: index,
    work_email: `kim.osei.number${index}@example.com`,
    status: 'ACTIVE',
    date_of_birth: null,
    department_id: 'd1',
    department: { id: 'd1', name: 'Sales', parent_id: null, reference_code: null },
    title: 'AE',
    termination_details: null,
  }));
}

/** Rippling's `GET /workers/`: bearer token, `next_link`, redacted fields, a filter on work_email and updated_at. */
export async function startRippling(workers: readonly RipplingWorker[], fault?: FaultName, pageSize = 100) {
  const roster = openRoster(workers, fault);
  const elsewhere = await startVendor({ answer: () => jsonReply({}), isData: () => false });
  const server: VendorServer = await startVendor({
    fault,
    isData: ({ url }) => url.pathname === '/workers/',
    answer({ url, headers }, number) {
      if (headers.authorization !== 'Bearer r1ppling') return { status: 401, body: '' };
      if (url.pathname !== '/workers/') return { status: 404, body: '' };
      if (number > 1 && fault === 'cursor expired') return { status: 400, body: '' };
      if (number > 1 && fault === 'error with 200') return jsonReply({ error: 'unavailable' });
      const { searchParams: asked } = url;
      const [, field = '', operator, value = ''] = /^(\w+) (eq|gt) '([^']*)'$/.exec(asked.get('filter') ?? '') ?? [];
      const meets = (worker: RipplingWorker) => {
        const found = String(worker[field]);
        return operator === 'eq' ? found === value : found > value;
      };
      const chosen = field === '' ? roster : openRoster(roster.members.filter(meets));
      const after = asked.get('cursor') ?? undefined;
      const page = chosen.after(after === undefined ? undefined : ({ id }) => id === after, pageSize, number);
      const expands = (asked.get('expand') ?? '').split(',');
      const results = chosen.shown(page).map(({ user, department, ...worker }) => ({
        ...worker,
        ...(expands.includes('user') ? { user } : {}),
        ...(expands.includes('department') ? { department } : {}),
      }));
      const next = new URL(url);
      const goesOn = fault === 'cursor again' && number === 3 ? roster.members[0] : page.at(-1);
      next.searchParams.set('cursor', goesOn?.id ?? '');
      const link = fault === 'other host' ? next.href.replace(url.origin, elsewhere.url) : next.href;
      return jsonReply({
        __meta: { redacted_fields: [{ name: 'date_of_birth', reason: 'Insufficient entitlements' }] },
        results,
        next_link: chosen.hasMore(page) ? link : null,
      });
    },
  });
  return { server, elsewhere, workers: roster.members };
}
