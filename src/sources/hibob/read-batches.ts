import type { ReadEnd } from '../../core/plan/snapshot.ts';
import type { SourceIo, SourcePage } from '../../ports/source.ts';
import type { SourceClient } from '../kit/http/source-client.ts';
import { readPages } from '../kit/pages.ts';
import { findPeople, idOf, type PeopleRead, searchRequest } from './people-search.ts';

/**
 * Reads the ids of all employees, then the people in batches, as HiBob recommends for large companies. As many people
 * as ids prove that none was lost between the batches.
 */
export async function* readBatches(
  read: PeopleRead & { readonly batchSize: number },
  client: SourceClient,
  io: SourceIo,
): AsyncGenerator<SourcePage, ReadEnd> {
  const { config, fields, toPerson, rules, batchSize } = read;
  const employees = await findPeople(client, searchRequest(config, ['root.id']));
  const named = employees.flatMap((employee) => idOf(employee) ?? []);
  const ids = [...new Set(named)];
  const doubts = [
    ...(named.length < employees.length ? ['the list of ids has people without an id'] : []),
    ...(ids.length < named.length ? ['the list of ids has a duplicate'] : []),
  ];
  return yield* readPages<number>(
    {
      ...rules,
      first: 0,
      async page(start) {
        const values = ids.slice(start, start + batchSize);
        const request = searchRequest(config, fields, { field: 'root.id', values });
        const found = values.length === 0 ? [] : await findPeople(client, request);
        const place = start + batchSize;
        const why = `each of ${ids.length} ids was requested`;
        return {
          people: found.map(toPerson),
          total: ids.length,
          doubts,
          next: place < ids.length ? { kind: 'more', place, id: String(place) } : { kind: 'end', why },
        };
      },
    },
    io,
  );
}
