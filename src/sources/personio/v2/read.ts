import type { ReadEnd } from '../../../core/plan/snapshot.ts';
import { countOf } from '../../../core/run/formats.ts';
import { isRecord } from '../../../drivers/http/json-text.ts';
import type { ReadRequest, SourcePage } from '../../../ports/source.ts';
import { readConfirmed, type UnprovenRead } from '../../kit/confirm-end.ts';
import type { HttpRead, SourceClient } from '../../kit/http/source-client.ts';
import { type Fields, type Page, rulesOf } from '../../kit/pages.ts';
import { deltaStart, utcDay } from '../../kit/status.ts';
import { partnerHeaders, type V2Config } from '../config.ts';
import { type Names, noNames, readList, readNames } from './list.ts';
import { type Employments, openEmployments, toPerson } from './to-person.ts';

const name = 'GET /v2/persons';

/** Fields that only employments hold. A lookup by one of them reads all employments. */
const fromEmployments = /^(?:employment|department|team|office|rollcallStatus)(?:\.|$)/;

export async function* readV2(
  config: V2Config,
  { client, request, io }: HttpRead,
): AsyncGenerator<SourcePage, ReadEnd> {
  const today = utcDay(io.clock.now());
  const names = config.employments && config.names ? await readNames(config, client) : noNames;
  const rules = rulesOf(request, 'id', []);
  const isWanted = (person: Fields): boolean =>
    request.kind !== 'point' ||
    fromEmployments.test(request.field) ||
    rules.accepts?.(toPerson(person, { kind: 'not asked' }, today)) !== false;
  const join = openJoin({ config, client, names, today }, isWanted);
  const first = firstUrl(config, request);
  const isFull = request.kind === 'full';
  // The second read needs no employments.
  const bare = openJoin({ config, client, names, today }, () => false);
  const open = (isAgain: boolean): UnprovenRead<string> => ({
    ...rules,
    first,
    page: (url) => readPage({ config, client, join: isAgain ? bare : join, first }, url),
    // The cursor is opaque and there is no total.
    maySlip: () => isFull,
  });
  const end = yield* readConfirmed(open, io);
  const notes = [...names.notes, ...join.notes()];
  return notes.length === 0 ? end : { ...end, notes };
}

interface Join {
  of(person: unknown): Promise<unknown>;
  /** The persons without readable employments. Their status is unknown, so nothing happens to them. */
  notes(): readonly string[];
}

interface JoinParts {
  readonly config: V2Config;
  readonly client: SourceClient;
  readonly names: Names;
  readonly today: string;
}

function openJoin({ config, client, names, today }: JoinParts, isWanted: (person: Fields) => boolean): Join {
  const read = openEmployments(config, client);
  const employmentsOf = async (person: Fields): Promise<Employments> => {
    if (!config.employments || !isWanted(person)) return { kind: 'not asked' };
    const { id } = person;
    const list = id === undefined || id === null || id === '' ? undefined : await read(String(id));
    return list === undefined ? { kind: 'failed' } : { kind: 'read', list, names };
  };
  let failed = 0;
  return {
    async of(person) {
      if (!isRecord(person)) return person;
      const employments = await employmentsOf(person);
      if (employments.kind === 'failed') failed += 1;
      return toPerson(person, employments, today);
    },
    notes: () =>
      failed === 0
        ? []
        : [`the employments of ${countOf(failed, 'person', 'persons')} could not be read: the status is unknown`],
  };
}

interface PageParts extends Pick<JoinParts, 'config' | 'client'> {
  readonly join: Join;
  readonly first: string;
}

async function readPage({ config, client, join, first }: PageParts, url: string): Promise<Page<string>> {
  const { items, next, hasLinks } = await readList(client, {
    name,
    url,
    headers: partnerHeaders(config),
    isContinuation: url !== first,
  });
  // The client limits concurrency and rate, as `limits` says.
  const people = await Promise.all(items.map(join.of));
  const doubts: string[] = [];
  if (!hasLinks && items.length >= config.pageSize) {
    doubts.push(
      'a full page has no links, so more may follow: if there are exactly as many persons, set another pageSize',
    );
  }
  return {
    people,
    doubts,
    next: next === undefined ? { kind: 'end', why: 'no next link' } : { kind: 'more', place: next, id: next },
  };
}

function firstUrl({ url, pageSize }: V2Config, request: ReadRequest): string {
  const first = new URL('/v2/persons', url);
  first.searchParams.set('limit', String(pageSize));
  if (request.kind === 'delta') {
    first.searchParams.set('updated_at.gt', deltaStart(request.since).replace('.000Z', 'Z'));
  }
  if (request.kind === 'point' && request.field === 'id' && request.identifications.length <= 50) {
    first.searchParams.set('id', request.identifications.join(','));
  }
  return first.href;
}
