import type { FaultName } from '../../contracts/source-faults.ts';
import { jsonReply } from './json-reply.ts';
import { openRoster } from './roster.ts';
import { startVendor } from './vendor-server.ts';

/** An employee of Merge's unified model, with employments and groups expanded. */
export interface MergeEmployee {
  readonly [name: string]: unknown;
  readonly id: string;
  readonly modified_at: string;
  readonly employment_status: string;
}

export function mergeEmployees(count: number): MergeEmployee[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `0958cbc6-6040-430a-848e-${String(index).padStart(12, '0')}`,
    remote_id: String(19_000_000 + index),
    modified_at: '2026-01-16T00:00:00Z',
    employee_number: String(index),
    first_name: `Dirna${index}`,
    last_name: 'Patel',
    work_email: `dirna${index}@example.com`,
    mobile_phone_number: null,
    employments: [
      { job_title: 'Clerk', effective_date: '2020-10-11T00:00:00Z' },
      { job_title: 'Head', effective_date: '2024-10-11T00:00:00Z' },
    ],
    groups: [
      { name: 'Reds', type: 'TEAM' },
      { name: 'Finance', type: 'DEPARTMENT' },
    ],
    hire_date: '2020-10-10T00:00:00Z',
    start_date: '2020-10-11T00:00:00Z',
    date_of_birth: '1990-11-10T00:00:00Z',
    employment_status: 'ACTIVE',
    termination_date: null,
  }));
}

export interface MergeSync {
  readonly status: string;
  readonly last_sync_result: string;
  readonly is_initial_sync: boolean;
  readonly last_sync_finished: string;
}

export const doneSync: MergeSync = {
  status: 'DONE',
  last_sync_result: 'DONE',
  is_initial_sync: false,
  last_sync_finished: '2026-11-21T08:00:00Z',
};

/** Merge's `GET /employees` and `GET /sync-status`: two credentials, cursors, pages of 100 at most. `syncs`: one per asking. */
export async function startMerge(
  employees: readonly MergeEmployee[],
  fault?: FaultName,
  syncs: readonly MergeSync[] = [doneSync],
) {
  const roster = openRoster(employees, fault);
  let askings = 0;
  const elsewhere = await startVendor({ answer: () => jsonReply({}), isData: () => false });
  const server = await startVendor({
    fault,
    isData: ({ url }) => url.pathname === '/employees',
    answer({ url, headers }, number) {
      if (headers.authorization !== 'Bearer m3rge' || headers['x-account-token'] !== 'acc0unt') {
        return { status: 401, body: JSON.stringify({ detail: 'Invalid account token.' }) };
      }
      if (url.pathname === '/sync-status') {
        const sync = syncs[askings] ?? syncs.at(-1);
        askings += 1;
        const results = [
          { model_name: 'Group', status: 'SYNCING' },
          { model_name: 'Employee', ...sync },
        ];
        return jsonReply({ next: null, previous: null, results });
      }
      if (number > 1 && fault === 'cursor expired') return { status: 400, body: '' };
      if (number > 1 && fault === 'error with 200') return jsonReply({ detail: 'unavailable' });
      if (number > 1 && fault === 'other host') {
        return { status: 302, headers: { location: `${elsewhere.url}/employees` }, body: '' };
      }
      const since = url.searchParams.get('modified_after');
      const chosen = since === null ? roster : openRoster(roster.members.filter((one) => one.modified_at > since));
      const after = url.searchParams.get('cursor') ?? undefined;
      const size = Math.min(100, Number(url.searchParams.get('page_size') ?? 30));
      const page = chosen.after(after === undefined ? undefined : ({ id }) => id === after, size, number);
      const goesOn = fault === 'cursor again' && number === 3 ? roster.members[0] : page.at(-1);
      return jsonReply({ next: chosen.hasMore(page) ? goesOn?.id : null, previous: null, results: chosen.shown(page) });
    },
  });
  return { server, elsewhere, employees: roster.members };
}
