import { compileSourcePath } from '../../core/person/source-path.ts';
import type { ReadEnd } from '../../core/plan/snapshot.ts';
import { countOf } from '../../core/run/formats.ts';
import { isRecord } from '../../drivers/http/json-text.ts';
import type { ReadRequest, SourceIo, SourcePage } from '../../ports/source.ts';
import { lacking } from '../kit/answer-failure.ts';
import { readConfirmed, type UnprovenRead } from '../kit/confirm-end.ts';
import { openAuthority } from '../kit/http/authority.ts';
import { type HttpRead, readOverHttp, type SourceClient } from '../kit/http/source-client.ts';
import { defineKind } from '../kit/kind.ts';
import { type Fields, type Page, type PagedRead, readPages, rulesOf } from '../kit/pages.ts';
import { utcDay } from '../kit/status.ts';
import { RestConfig } from './config.ts';
import type { JoinSettings, ReadySettings } from './list-config.ts';
import { compileListPath, type Place } from './paging.ts';
import { openLookups, openPartsReader, partLists, sinceQuery } from './parts.ts';
import { fillPreset, presetFile, presetNames } from './presets.ts';
import { type List, type ListPage, type ListReader, nameOf, openListReader, urlOf } from './read-list.ts';
import { compileCondition, compileShape, derivedInputs } from './to-person.ts';

/** Any JSON API over HTTP that lists people, by configuration. Presets configure some HR systems. */
export const rest = defineKind({
  kind: 'rest',
  title: 'any JSON API over HTTP, by configuration; presets for Rippling, Merge, Deel, Factorial, Humaans and UKG',
  capabilities: { delta: true, point: true, terminated: 'configurable', future: 'configurable' },
  config: RestConfig,
  folder: import.meta.dirname,
  starters: ['starter.yaml', ...presetNames.map(presetFile)],
  capabilitiesOf: ({ delta, point, holds }) => ({
    delta: delta !== undefined,
    point: Object.keys(point).length > 0,
    ...holds,
  }),
  fill: fillPreset,
  open(config, base) {
    const authority = openAuthority(config.auth, base, config.limits.timeout, config.tls);
    return {
      derives: derivedInputs(config),
      looksUp: (field) => Object.hasOwn(config.point, field),
      read: readOverHttp({ ...config, url: config.baseUrl }, authority, (by) => readRest(config, by)),
    };
  },
});

type RestRead = AsyncGenerator<SourcePage, ReadEnd>;

async function* readRest(config: RestConfig, { client, request, io }: HttpRead): RestRead {
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
  const rules = rulesOf(request, config.key.length === 1 ? config.key.join() : compileKey(config.key), config.expect);
  return {
    ...rules,
    first: reader.first,
    page: async (place, number) => {
      const read = await reader.page(place, number);
      const page = await finish(read, number);
      if (read.isOnly !== true || page.people.every((one) => isRecord(one) && rules.accepts?.(one) !== false))
        return page;
      const doubt = 'a lookup of one person returned something else: check `point`';
      return { ...page, doubts: [...(page.doubts ?? []), doubt] };
    },
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
    const unsure: string[] = [];
    if (number === 1) doubts.push(...joined.flatMap((one) => one.doubts));
    if (number === 1 && before !== undefined) doubts.push(...before.doubts);
    if (isLast && ready !== undefined) {
      const after = await checkReadiness(ready, list, client);
      doubts.push(...after.doubts);
      if (after.state !== before?.state) doubts.push('the HR system rebuilt its data during the read');
    }
    const people = page.people.map((item) => {
      // Its record of the second list belongs to no employee.
      for (const one of isRecord(item) ? [] : joined) one.complete({});
      if (!isRecord(item)) return item;
      const whole = joined.reduce((fields, one) => {
        const complete = one.complete(fields);
        if (complete === undefined) unsure.push(one.missing);
        return complete ?? fields;
      }, item);
      return shape(whole, answer, today);
    });
    if (isLast && isFull) doubts.push(...joined.flatMap((one) => one.remainder()));
    return { ...page, people, doubts, unsure };
  };
}

/** The records of a second list, to be added to the employees. */
type Joined = Awaited<ReturnType<typeof readJoined>>;

/** Reads all lists of `join`, one after the other. A later one may refer to fields of an earlier one. */
async function readAllJoined(
  joins: readonly JoinSettings[],
  main: List,
  client: SourceClient,
  io: SourceIo,
): Promise<Joined[]> {
  const all: Joined[] = [];
  for (const join of joins) all.push(await readJoined(join, main, client, io));
  return all;
}

/**
 * Reads the whole second list, twice where nothing else shows that a record was missed between two pages: each employee
 * must have a record, unless it is optional. Keeps only the fields of `keep`, because others may be private, and all of it is in
 * memory.
 */
async function readJoined(join: JoinSettings, main: List, client: SourceClient, io: SourceIo) {
  const list: List = {
    ...main,
    path: join.path,
    query: join.query,
    items: join.items,
    record: join.record,
    total: join.total,
    paging: join.paging ?? main.paging,
  };
  const keyOf = compileKey(join.key);
  // The records of one employee differ in other fields than the key.
  const identity = join.list ? (fields: Fields) => JSON.stringify(fields) : keyOf;
  const unmet = new Set<string>();
  let alone = 0;
  const found = new Map<string, Fields[]>();
  const keep = (fields: Fields): Fields =>
    Object.fromEntries(join.keep.flatMap((name) => (Object.hasOwn(fields, name) ? [[name, fields[name]]] : [])));
  const open = () => {
    const reader = openListReader(list, client);
    const maySlip = () => reader.maySlip?.() === true && (join.optional || join.list);
    return { ...reader, key: identity, maySlip };
  };
  const read = readConfirmed(open, io);
  let next = await read.next();
  for (; next.done !== true; next = await read.next()) {
    for (const { fields } of next.value.records) {
      const key = keyOf(fields);
      if (key === undefined) continue;
      if (join.list) found.set(key, [...(found.get(key) ?? []), keep(fields)]);
      else found.set(key, [keep(fields)]);
      if (join.each) unmet.add(key);
    }
  }
  const end = next.value;
  const name = nameOf(list);
  const byOf = compileKey(join.by);
  return {
    /** Why the second list is not complete. */
    doubts: end.complete ? [] : end.reasons.map((reason) => `${name}: ${reason}`),
    /** Why no person counts as missing when an employee has no matching record. */
    missing: `some records of ${nameOf(main)} have no counterpart in ${name}: they are returned without it (\`join.optional: true\` if that is normal)`,
    /** Returns reasons for the end of a full read, when each record of the second list should have had an employee. */
    remainder: () =>
      // An employee whose key is odd leaves the own record behind.
      unmet.size <= alone
        ? []
        : [
            `${countOf(unmet.size, 'record', 'records')} of ${name} ${unmet.size === 1 ? 'belongs' : 'belong'} to no employee of ${nameOf(main)}: an employee may be missing between two pages (\`join.each: false\` if that is normal)`,
          ],
    /** Returns the employee with the matching record; undefined when there is none. */
    complete(fields: Fields) {
      const key = byOf(fields) ?? '';
      const others = found.get(key);
      unmet.delete(key);
      if (others === undefined) alone += 1;
      if (others === undefined && !join.optional) return undefined;
      // An employee without a record has none: this is known, because the list was read to its end.
      return { ...fields, [join.as]: join.list ? (others ?? []) : (others?.[0] ?? null) };
    },
  };
}

/** Compiles a key of one or more parts. Returns undefined where a part is missing. */
function compileKey(paths: readonly string[]): (fields: Fields) => string | undefined {
  const reads = paths.map(compileSourcePath);
  return (fields) => {
    const parts = reads.map((read) => read(fields));
    if (parts.some((part) => part === undefined || part === null || part === '')) return undefined;
    return parts.map(String).join('\u0000');
  };
}

/** Checks whether the data is complete. A cache that is still being filled answers 200 with few people. */
async function checkReadiness(ready: ReadySettings, main: List, client: SourceClient) {
  const { baseUrl, headers } = main;
  const name = nameOf({ baseUrl, method: 'GET', path: ready.path });
  const answer = await client.json({ name, url: urlOf(baseUrl, ready.path, ready.query), headers });
  const list = compileListPath(ready.items)(answer);
  if (!Array.isArray(list)) throw lacking(name, `a list at ${ready.items}`, 'Check `ready.items`.');
  const entry = list.filter(isRecord).find(compileCondition(ready.where));
  if (entry === undefined) {
    const which = Object.entries(ready.where).map(([path, text]) => `${path} ${text}`);
    return { doubts: [`${name} reports nothing about ${which.join(', ')}`], state: '' };
  }
  const doubts = Object.entries(ready.expect).flatMap(([path, wanted]) => {
    const said = compileSourcePath(path)(entry);
    return String(said) === String(wanted) ? [] : [`${name} reports a ${path} other than ${wanted}`];
  });
  return {
    doubts,
    /** Changes when the data is rebuilt. */
    state: JSON.stringify(ready.unchanged.map((path) => compileSourcePath(path)(entry) ?? null)),
  };
}
