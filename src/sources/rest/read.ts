import type { ReadEnd } from '../../core/plan/snapshot.ts';
import { RollcallError } from '../../core/run/errors.ts';
import type { ReadRequest, SourceIo, SourcePage } from '../../ports/source.ts';
import { readConfirmed, type UnprovenRead } from '../kit/confirm-end.ts';
import { utcDay } from '../kit/employment-status.ts';
import type { Authority } from '../kit/http/authority.ts';
import { type SourceClient, withSourceClient } from '../kit/http/source-client.ts';
import { acceptsOnly, type Page, type PagedRead, readPages } from '../kit/pages.ts';
import { compileKey, type Joined, readAllJoined } from './join.ts';
import type { Place } from './paging/paging.ts';
import { openLookups, sinceQuery } from './part-reads.ts';
import { openPartsReader, partLists } from './parts.ts';
import { type List, type ListPage, type ListReader, openListReader } from './read-list.ts';
import { checkReadiness } from './ready.ts';
import type { RestConfig } from './schema.ts';
import { compileShape } from './to-employee.ts';

export type RestRead = AsyncGenerator<SourcePage, ReadEnd>;

/** One read of a REST source, with its own client. */
export async function* readRest(
  config: RestConfig,
  authority: Authority,
  request: ReadRequest,
  io: SourceIo,
): RestRead {
  if (request.kind === 'delta' && config.delta === undefined) {
    const message = 'this source cannot read only changes: its configuration has no `delta`';
    throw new RollcallError(message, { code: 'USAGE' });
  }
  const { limits, tls, baseUrl } = config;
  const parts = { origin: new URL(baseUrl).origin, authority, limits, io, ...(tls === undefined ? {} : { tls }) };
  return yield* withSourceClient(parts, (client) => readWith(client, config, request, io));
}

async function* readWith(client: SourceClient, config: RestConfig, request: ReadRequest, io: SourceIo): RestRead {
  const list = listOf(config, request);
  const joined = await readAllJoined(config.join ?? [], { ...list, query: config.query }, client, io);
  const finish = await openFinish(config, { list, joined, isFull: request.kind === 'full' }, client, io);
  const read = { config, request, finish, io };
  const lookups = request.kind === 'point' ? openLookups(config.point, list, request, client) : undefined;
  if (lookups === undefined) {
    const open = () => openReader(config, list, client, io);
    return yield* readAll(open, read);
  }

  let rows = 0;
  const reasons: string[] = [];
  for (const reader of lookups) {
    const end = yield* readPages(pagedRead(reader, read), io);
    rows += end.rows;
    if (!end.complete) reasons.push(...end.reasons);
  }
  if (reasons.length > 0) return { complete: false, rows, reasons };
  return { complete: true, rows, evidence: `${lookups.length} lookups were answered`, stamp: '' };
}

function openReader({ parts }: RestConfig, list: List, client: SourceClient, io: SourceIo): ListReader {
  if (parts === undefined) return openListReader(list, client);
  return openPartsReader(partLists(parts, list, io.clock.now()), client);
}

/** What the reads of all lists share. */
interface ListRead {
  readonly config: RestConfig;
  readonly request: ReadRequest;
  readonly finish: Finish;
  readonly io: SourceIo;
}

/**
 * Reads one list. Reads it again where nothing else would show a person missed between two pages: counted pages
 * without a total, an overlap, or a second list with a record for each.
 */
function readAll(open: () => ListReader, read: ListRead): RestRead {
  const { config, request, io } = read;
  const isProven = request.kind !== 'full' || config.join?.some(({ each }) => each) === true;
  const openUnproven = (): UnprovenRead<Place> => {
    const reader = open();
    return { ...pagedRead(reader, read), maySlip: () => !isProven && reader.maySlip?.() === true };
  };
  return readConfirmed(openUnproven, io);
}

function pagedRead(reader: ListReader, { config, request, finish }: ListRead): PagedRead<Place> {
  const isFull = request.kind === 'full';
  return {
    first: reader.first,
    key: config.key.length === 1 ? config.key.join() : compileKey(config.key),
    expected: isFull ? config.expect : [],
    mayBeEmpty: !isFull,
    accepts: acceptsOnly(request),
    page: async (place, number) => finish(await reader.page(place, number), number),
  };
}

function listOf(config: RestConfig, request: ReadRequest): List {
  const { delta, query } = config;
  const since = request.kind === 'delta' && delta !== undefined ? sinceQuery(delta, request.since) : {};
  return { ...config, query: { ...query, ...since } };
}

/** Builds the records of a page, and adds findings at the start and end of the read. */
type Finish = (page: ListPage, number: number) => Promise<Page<Place>>;

async function openFinish(
  config: RestConfig,
  { list, joined, isFull }: { readonly list: List; readonly joined: readonly Joined[]; readonly isFull: boolean },
  client: SourceClient,
  io: SourceIo,
): Promise<Finish> {
  const { ready } = config;
  const before = ready === undefined ? undefined : await checkReadiness(ready, list, client);
  const shape = compileShape(config);
  const today = utcDay(io.clock.now());
  return async ({ answer, isLast, ...page }, number) => {
    const doubts = [...(page.doubts ?? [])];
    if (number === 1) doubts.push(...joined.flatMap((one) => one.doubts));
    if (number === 1 && before !== undefined) doubts.push(...before.doubts);
    if (isLast && ready !== undefined) {
      const after = await checkReadiness(ready, list, client);
      doubts.push(...after.doubts);
      if (after.state !== before?.state) doubts.push('the HR system rebuilt its data during the read');
    }
    const people = page.people.map((item) => {
      const whole = joined.reduce((fields, one) => {
        const complete = one.complete(fields);
        if (complete === undefined) doubts.push(one.missing);
        return complete ?? fields;
      }, item);
      return shape(whole, answer, today);
    });
    if (isLast && isFull) doubts.push(...joined.flatMap((one) => one.remainder()));
    return { ...page, people, doubts };
  };
}
