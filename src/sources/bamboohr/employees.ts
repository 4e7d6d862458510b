import { isRecord } from '../../drivers/http/json-text.ts';
import type { SourceClient } from '../kit/http/source-client.ts';
import { countDoubts, countIn, type Page, type PagedRead } from '../kit/pages.ts';
import { type BamboohrConfig, requestedFields } from './config.ts';
import { noList, refusalOf } from './refusals.ts';
import type { ToEmployee } from './to-person.ts';

const listName = 'GET /api/v1/employees';
const changedName = 'GET /api/v1/employees/changed';

/** Fields that BambooHR returns without a request. */
const always: ReadonlySet<string> = new Set([
  'employeeId',
  'firstName',
  'lastName',
  'preferredName',
  'photoUrl',
  'jobTitleName',
  'status',
]);

/** Ids in one request. */
const idsAtOnce = 100;

/** A place in the list of all employees, or of some: a cursor. `''` is the start. */
export interface EmployeesPlace {
  readonly after: string;
  /** Ids that remain to be requested after those of this list. */
  readonly ids?: readonly string[];
}

type Pages = Pick<PagedRead<EmployeesPlace>, 'first' | 'page' | 'shape' | 'expected'>;

/**
 * Reads the list of employees (`GET /api/v1/employees`). A read of all employees never filters or sorts, because
 * BambooHR drops employees with a filtered or sorted field that the account may not see.
 */
export function employeePages(config: BamboohrConfig, toEmployee: ToEmployee, client: SourceClient): Pages {
  return {
    first: { after: '' },
    shape: shapeOf(toEmployee),
    expected: requestedFields(config),
    async page({ after }, number) {
      const { people, total, doubts, next } = await readList(config, { after, number }, client);
      if (next === undefined) return { people, total, doubts, next: { kind: 'end', why: 'no next cursor' } };
      return { people, total, doubts, next: { kind: 'more', place: { after: next }, id: next } };
    },
  };
}

/** Reads some employees by id, a hundred at a time. Unknown ids return no employee. */
export function employeePagesOf(
  ids: readonly string[],
  config: BamboohrConfig,
  toEmployee: ToEmployee,
  client: SourceClient,
): Pages {
  return {
    first: { after: '', ids },
    shape: shapeOf(toEmployee),
    async page({ after, ids: left = [] }, number): Promise<Page<EmployeesPlace>> {
      const now = left.slice(0, idsAtOnce);
      if (now.length === 0) return { people: [], next: { kind: 'end', why: 'no people to request' } };
      const { people, next } = await readList(config, { after, number, ids: now }, client);
      const place = next === undefined ? { after: '', ids: left.slice(idsAtOnce) } : { after: next, ids: left };
      if (place.ids.length === 0) return { people, next: { kind: 'end', why: 'all ids were requested' } };
      return { people, next: { kind: 'more', place, id: JSON.stringify([place.ids.length, place.after]) } };
    },
  };
}

/** Returns the ids of employees that changed since an instant. Deleted records are not among them. */
export async function readChangedIds(baseUrl: string, since: string, client: SourceClient): Promise<readonly string[]> {
  const url = `${baseUrl}/v1/employees/changed?${new URLSearchParams({ since })}`;
  const answer = await client.json({ name: changedName, url, refusal: refusalOf(changedName) });
  const { employees } = isRecord(answer) ? answer : {};
  // An empty object may be written as [].
  if (Array.isArray(employees) && employees.length === 0) return [];
  if (!isRecord(employees)) throw noList(changedName, 'employees');
  return Object.entries(employees)
    .filter(([, change]) => !isRecord(change) || String(change.action).toLowerCase() !== 'deleted')
    .map(([id]) => id);
}

async function readList(
  config: BamboohrConfig,
  { after, number, ids }: { readonly after: string; readonly number: number; readonly ids?: readonly string[] },
  client: SourceClient,
) {
  const requested = requestedFields(config).filter((name) => !always.has(name));
  const query = new URLSearchParams({
    'page[limit]': String(config.pageSize),
    ...(requested.length === 0 ? {} : { fields: requested.join(',') }),
    ...(ids === undefined ? {} : { 'filter[ids]': ids.join(',') }),
    ...(after === '' ? {} : { 'page[after]': after }),
  });
  const answer = await client.json({
    name: listName,
    url: `${config.baseUrl}/v1/employees?${query}`,
    // BadPage: the employee at the cursor was changed or deleted, so the list is read again from the start.
    ...(number > 1 ? { isContinuation: true } : { refusal: refusalOf(listName) }),
  });
  const { data, meta } = isRecord(answer) ? answer : {};
  if (!Array.isArray(data) || !isRecord(meta) || !isRecord(meta.page)) {
    throw noList(listName, 'data with its meta');
  }
  const { nextCursor } = meta.page;
  const isLast =
    nextCursor === null || nextCursor === '' || (nextCursor === undefined && countIn(meta.total) !== undefined);
  if (!isLast && typeof nextCursor !== 'string') throw noList(listName, 'cursor or total that can be understood');
  return {
    people: data,
    total: countIn(meta.total),
    doubts: countDoubts(meta.total, 'meta.total'),
    next: isLast ? undefined : nextCursor,
  };
}

/** Builds the record of a row, without the fields that the account may not see. */
function shapeOf(toEmployee: ToEmployee): NonNullable<Pages['shape']> {
  return ({ _restrictedFields: hidden, ...row }) => toEmployee(row, textsIn(hidden));
}

/** Names of fields that are null because the account may not see them. */
function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : [];
}
