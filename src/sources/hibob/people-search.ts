import { RollcallError } from '../../core/run/errors.ts';
import { isRecord } from '../../drivers/http/json-text.ts';
import type { SourceRequest } from '../kit/http/failure.ts';
import type { SourceClient } from '../kit/http/source-client.ts';
import type { PagedRead } from '../kit/pages.ts';
import type { Fields, TallyRules } from '../kit/tally.ts';
import { type HibobConfig, PeopleFound } from './config.ts';

/** What one read requests, and how it uses the answers. */
export interface PeopleRead {
  readonly config: HibobConfig;
  readonly fields: readonly string[];
  readonly toPerson: (employee: Fields) => Fields;
  /** The rules of the read's pages. `expected`: fields that at least one employee must have; none in a lookup. */
  readonly rules: TallyRules & Pick<PagedRead<unknown>, 'accepts'>;
}

/** HiBob's only filter: on the id or the e-mail address. */
export interface PeopleFilter {
  readonly field: 'root.id' | 'root.email';
  readonly values: readonly string[];
}

export const searchName = 'POST /people/search';

/**
 * Builds the request for people: all that the service user may see, or those of the filter. Without one, `filters`
 * must be absent.
 */
export function searchRequest(
  { url, showInactive }: HibobConfig,
  fields: readonly string[],
  filter?: PeopleFilter,
): SourceRequest {
  const filters =
    filter === undefined ? {} : { filters: [{ fieldPath: filter.field, operator: 'equals', values: filter.values }] };
  const value = { fields, showInactive, humanReadable: 'APPEND', ...filters };
  return {
    name: searchName,
    method: 'POST',
    url: `${url.replace(/\/$/, '')}/people/search`,
    body: { kind: 'json', value },
  };
}

/** Reads a whole answer. Throws SOURCE_UNAVAILABLE when it holds no list, because an error may arrive as success. */
export async function findPeople(client: SourceClient, request: SourceRequest): Promise<readonly Fields[]> {
  const found = PeopleFound.safeParse(await client.json(request));
  if (found.success) return found.data.employees;
  const message =
    `${searchName} was answered without the list employees. ` +
    'Check that url is the API of HiBob, and the rights of the service user.';
  throw new RollcallError(message, { code: 'SOURCE_UNAVAILABLE', retry: 'backoff' });
}

/** Returns an employee's id as text; undefined where it is not shown. */
export function idOf(employee: Fields): string | undefined {
  const cell = employee['/root/id'];
  const root = employee.root;
  const id = employee.id ?? (isRecord(root) ? root.id : undefined) ?? (isRecord(cell) ? cell.value : undefined);
  return id === undefined || id === null || id === '' ? undefined : String(id);
}
