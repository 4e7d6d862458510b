import { statusField } from '../../../core/person/lifecycle.ts';
import type { ReadEnd } from '../../../core/plan/snapshot.ts';
import { isRecord, readJson } from '../../../drivers/http/json-text.ts';
import type { SourceBase, SourcePage } from '../../../ports/source.ts';
import { lacking } from '../../kit/answer-failure.ts';
import { type Authority, bearerAuthority } from '../../kit/http/authority.ts';
import { openHeldTokens, postForToken, type TokenAnswer, tokenFailureOf } from '../../kit/http/oauth.ts';
import type { HttpRead, SourceClient } from '../../kit/http/source-client.ts';
import { countDoubts, countIn, type Fields, type Page, readPages, rulesOf } from '../../kit/pages.ts';
import { plainDate, utcDay } from '../../kit/status.ts';
import { partnerHeaders, type V1Config } from '../config.ts';
import { employmentStatus } from '../status.ts';

const name = 'GET /v1/company/employees';
const unauthorised = 'Personio also answers this when the credential lacks permission to read employees.';

/** For more people than this, all employees are read, because each lookup costs a request. */
const maxLookups = 20;

/** Start of a page: the last employee of the previous page, which shows that the list has not moved. */
interface Place {
  readonly from: number;
  readonly last: string | undefined;
}

/** Reads the employees page by page, or people by e-mail address one by one. */
export function readV1(config: V1Config, { client, request, io }: HttpRead): AsyncGenerator<SourcePage, ReadEnd> {
  const rules = rulesOf(request, 'id', config.attributes ?? []);
  const read = { config, client, today: utcDay(io.clock.now()) };
  const mails = request.kind === 'point' && request.field === 'email' ? request.identifications : [];
  return mails.length > 0 && mails.length <= maxLookups
    ? readPages<number>({ ...rules, first: 0, page: (index) => lookUp(read, mails, index) }, io)
    : readPages<Place>({ ...rules, first: { from: 0, last: undefined }, page: (place) => readPage(read, place) }, io);
}

interface V1Read {
  readonly config: V1Config;
  readonly client: SourceClient;
  readonly today: string;
}

/**
 * Reads one page. Personio has no sort order and its total may change, so each page starts with the last employee of
 * the previous one. Where it does not, a person may be missing. The list ends when no employee follows.
 */
async function readPage(read: V1Read, place: Place): Promise<Page<Place>> {
  const { config } = read;
  const { from, last } = place;
  const query = { limit: String(config.pageSize), offset: String(from) };
  const { employees, total, doubts: odd } = await ask(read, query, from > 0);
  const overlaps = last !== undefined && employees.length > 0 && keyOf(employees[0]) === last;
  const doubts =
    last === undefined || overlaps
      ? odd
      : [...odd, 'a page does not begin where the previous page ended: the list changed during the read'];
  const people = overlaps ? employees.slice(1) : employees;
  if (people.length === 0) {
    return {
      people,
      doubts,
      total: config.total === 'exact' ? total : undefined,
      next: { kind: 'end', why: 'no employee follows the last one' },
    };
  }
  const next = from + employees.length - 1;
  return {
    people,
    doubts,
    next: { kind: 'more', place: { from: next, last: keyOf(people.at(-1)) }, id: String(next) },
  };
}

/** Names an employee: by the id, or by everything where there is none. */
function keyOf(employee: unknown): string {
  return String((isRecord(employee) ? employee.id : undefined) ?? JSON.stringify(employee));
}

async function lookUp(read: V1Read, mails: readonly string[], index: number): Promise<Page<number>> {
  const { employees } = await ask(read, { email: mails[index] ?? '' }, false);
  const next = index + 1;
  return {
    people: employees,
    next:
      next < mails.length
        ? { kind: 'more', place: next, id: String(next) }
        : { kind: 'end', why: 'each e-mail address was requested' },
  };
}

async function ask(
  { config, client, today }: V1Read,
  query: Readonly<Record<string, string>>,
  isContinuation: boolean,
) {
  const url = new URL(`${config.url.replace(/\/$/, '')}/v1/company/employees`);
  for (const [key, value] of Object.entries(query)) url.searchParams.set(key, value);
  for (const attribute of withId(config.attributes)) url.searchParams.append('attributes[]', attribute);
  const headers = partnerHeaders(config);
  const answer = await client.json({ name, url: url.href, headers, isContinuation, unauthorised });
  if (!isRecord(answer) || answer.success !== true || !Array.isArray(answer.data)) {
    throw lacking(name, 'the list of employees', 'Check that url is the API of Personio.');
  }
  const told = isRecord(answer.metadata) ? answer.metadata.total_elements : undefined;
  const attributes = answer.data.map((one: unknown) => (isRecord(one) ? one.attributes : one));
  return {
    employees: attributes.map((one: unknown) => (isRecord(one) ? toEmployee(one, today) : one)),
    total: countIn(told),
    doubts: countDoubts(told, 'metadata.total_elements'),
  };
}

/** The key and the status are always requested. */
function withId(attributes: readonly string[] | undefined): readonly string[] {
  return attributes === undefined ? [] : [...new Set(['id', 'status', ...attributes])];
}

/** Lifetime of current tokens. A token of older credentials is valid for one request. */
const tokenLifeMs = 24 * 60 * 60 * 1000;

/**
 * Manages the tokens of `POST /v1/auth`. An answer may return the token for the next request in a header, and may
 * have invalidated the current one. So the token of the last answer is always the one to send.
 */
export function openV1Authority(config: V1Config, { egress }: Pick<SourceBase, 'egress'>): Authority {
  const { url, clientId, clientSecret, limits, tls } = config;
  const tokenUrl = `${url.replace(/\/$/, '')}/v1/auth`;
  const headers = { accept: 'application/json', 'content-type': 'application/json' };
  const body = { kind: 'json', value: { client_id: clientId, client_secret: clientSecret } } as const;
  const call = { tokenUrl, headers, body, timeoutMs: limits.timeout, tls, egress };
  const first = bearerAuthority(openHeldTokens(tokenUrl, (signal) => postForToken(call, readToken, signal)));
  let followed: { readonly authorization: string; readonly generation: number } | undefined;
  return {
    ...first,
    async credential(clock, signal, target) {
      const credential = await first.credential(clock, signal, target);
      if (followed === undefined || followed.generation !== credential.generation) return credential;
      return { ...credential, headers: { authorization: followed.authorization } };
    },
    accepted({ header }, { generation }) {
      const authorization = header('authorization') ?? '';
      if (generation !== undefined && /^Bearer \S+$/i.test(authorization)) followed = { authorization, generation };
    },
  };
}

function readToken(status: number, bytes: Uint8Array): TokenAnswer {
  const failure = tokenFailureOf(status, bytes);
  if (failure !== undefined) return failure;
  const { value } = readJson(bytes);
  const accessToken = isRecord(value) && isRecord(value.data) ? value.data.token : undefined;
  if (typeof accessToken !== 'string' || accessToken === '')
    return { kind: 'lost', reason: `its answer (${status}) holds no token` };
  return { kind: 'granted', accessToken, refreshToken: undefined, lifeMs: tokenLifeMs, oddities: [] };
}

/**
 * Builds the record of an employee: each attribute under its name, and custom ones (`dynamic_33400`) also under their
 * label, where no other attribute has that name. Departments, offices and supervisors are objects (`department.name`,
 * `supervisor.email`). Ids are text, dates plain. An attribute that the credential may not read is absent.
 */
function toEmployee(attributes: Fields, today: string): Fields {
  const fields: Record<string, unknown> = {};
  for (const [name, cell] of Object.entries(attributes)) fields[name] = plainValue(name, cell);
  for (const [label, names] of labelsOf(attributes)) {
    const [name = ''] = names;
    if (names.length === 1 && !Object.hasOwn(fields, label)) fields[label] = fields[name];
  }
  const { status, hire_date: hired, termination_date: left } = fields;
  const employment = employmentStatus({ status, hired, left }, today);
  return employment === undefined ? fields : { ...fields, [statusField]: employment };
}

/** Returns labels of the custom attributes, with the attributes that have them. */
function labelsOf(attributes: Fields): ReadonlyMap<string, readonly string[]> {
  const labels = new Map<string, string[]>();
  for (const [name, cell] of Object.entries(attributes)) {
    if (!name.startsWith('dynamic_') || !isRecord(cell) || typeof cell.label !== 'string' || cell.label === '')
      continue;
    labels.set(cell.label, [...(labels.get(cell.label) ?? []), name]);
  }
  return labels;
}

/** `{label, value, type}` becomes its value, `{type, attributes}` its attributes; other values stay unchanged. */
function plainValue(name: string, cell: unknown): unknown {
  if (Array.isArray(cell)) return cell.map((one) => plainValue('', one));
  if (isRecord(cell)) {
    if (Object.hasOwn(cell, 'value') && Object.hasOwn(cell, 'label')) {
      return cell.type === 'date' ? plainDate(cell.value) : plainValue(name, cell.value);
    }
    const inner = isRecord(cell.attributes) ? cell.attributes : cell;
    return Object.fromEntries(Object.entries(inner).map(([key, value]) => [key, plainValue(key, value)]));
  }
  return name === 'id' && typeof cell === 'number' ? String(cell) : cell;
}
