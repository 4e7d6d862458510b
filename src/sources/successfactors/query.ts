import type { ReadRequest } from '../../ports/source.ts';
import { deltaStart } from '../kit/dates.ts';
import { quoted } from './odata.ts';
import type { SuccessFactorsConfig } from './schema.ts';
import { userFields } from './to-employee.ts';

/** People in one lookup request. */
const idsAtOnce = 50;

/** The record's fields that SuccessFactors can look up, as its own paths. */
const idPaths: Readonly<Record<SuccessFactorsConfig['entity'], Readonly<Record<string, string>>>> = {
  PerPerson: { personIdExternal: 'personIdExternal', userId: 'employmentNav/userId' },
  User: { userId: 'userId', username: 'username' },
};

/** Navigations of PerPerson with their own change time, because a new job does not change the person. */
const changing = [
  'personalInfoNav',
  'emailNav',
  'phoneNav',
  'employmentNav',
  'employmentNav/userNav',
  'employmentNav/jobInfoNav',
];

/** Returns the first address of each series of pages of the read. `today` is a plain date. */
export function queryUrls(config: SuccessFactorsConfig, request: ReadRequest, today: string): readonly string[] {
  const filter = config.filter ?? defaultFilter[config.entity];
  switch (request.kind) {
    case 'full':
      return [queryUrl(config, filter, today)];
    case 'delta':
      return [queryUrl(config, `(${filter}) and (${changedSince(config, request.since)})`, today)];
    case 'point': {
      const path = idPaths[config.entity][request.field];
      if (path === undefined) return [queryUrl(config, filter, today)];
      const urls: string[] = [];
      for (let start = 0; start < request.identifications.length; start += idsAtOnce) {
        const ids = request.identifications.slice(start, start + idsAtOnce);
        const these = ids.map((id) => `${path} eq ${quoted(id)}`).join(' or ');
        urls.push(queryUrl(config, `(${filter}) and (${these})`, today));
      }
      return urls;
    }
  }
}

const defaultFilter: Readonly<Record<SuccessFactorsConfig['entity'], string>> = {
  // People without any employment (contacts, candidates) have no count of employments.
  PerPerson: 'personEmpTerminationInfoNav/activeEmploymentsCount ne null',
  // Without this filter only active users are returned.
  User: "status in 't','f'",
};

function changedSince({ entity, expand }: SuccessFactorsConfig, since: string): string {
  const from = deltaStart(since).replace(/\.\d+Z$/, 'Z');
  const isExpanded = (path: string): boolean => expand.some((entry) => entry === path || entry.startsWith(`${path}/`));
  const prefixes = entity === 'User' ? [] : changing.filter(isExpanded).map((path) => `${path}/`);
  return ['', ...prefixes].map((prefix) => `${prefix}lastModifiedDateTime ge datetimeoffset'${from}'`).join(' or ');
}

/** Never uses `$top` or `$skip`: with them there is no next link, and people may be repeated or missing. */
function queryUrl(config: SuccessFactorsConfig, filter: string, today: string): string {
  const { entity, expand, future, pageSize, paging, url } = config;
  const options: [string, string][] = [['$format', 'json']];
  if (entity === 'User') options.push(['$select', [...userFields, 'manager/userId'].join(',')], ['$expand', 'manager']);
  else options.push(['$expand', expand.join(',')]);
  options.push(
    ['$filter', filter],
    ['$inlinecount', 'allpages'],
    ['paging', paging],
    ['customPageSize', String(pageSize)],
  );
  if (future === 'shown' && entity === 'PerPerson') options.push(['fromDate', today], ['toDate', '9999-12-31']);
  const query = options.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
  return new URL(`/odata/v2/${entity}?${query}`, url).href;
}
