import { userSortKeys } from '../../platform/table/index.ts';
import type { Call, Handler } from '../call.ts';
import { bodySource, type ParameterSource, querySource, readChoice, readQuery } from '../parameters.ts';
import { showFoundUser } from '../people/show-user.ts';
import type { World } from '../world.ts';

const search: Handler = (call, { directory, now, quirks }) => {
  const source = parametersOf(call, quirks.parameters);
  const query = readQuery(call.operation, source);
  const page = query.number('page');
  const asked = query.number('size');
  const size = Math.max(1, Math.min(asked, quirks.maxPageSize, call.faults.number('cap-size') ?? asked));
  const found = directory.find(
    {
      searchString: query.text('searchString') ?? '',
      enabledOnly: query.flag('enabled'),
      orderBy: readChoice(query, 'orderBy', userSortKeys, 'firstName'),
      direction: readChoice(query, 'direction', ['ASC', 'DESC'], 'ASC'),
    },
    now(),
  );
  const start = page * size + (page === 0 ? 0 : (call.faults.number('shift-pages', 1) ?? 0));
  const rows = found.slice(Math.max(0, start), Math.max(0, start + size));
  const totalElements = found.length + (call.faults.number('total-off') ?? 0);
  return {
    body: { result: rows.map((account) => showFoundUser(account, quirks)), page: { totalElements } },
  };
};

function parametersOf(call: Call, place: World['quirks']['parameters']): ParameterSource {
  if (call.faults.has('ignore-parameters')) return () => undefined;
  return place === 'query' ? querySource(call.query) : bodySource(call.body);
}

export const searchHandlers = { search } as const;
