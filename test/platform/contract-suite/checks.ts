import { z } from 'zod';
import { PlatformError, RollcallError } from '../../../src/core/run/errors.ts';
import { countOf } from '../../../src/core/run/formats.ts';
import { isRecord } from '../../../src/drivers/http/json-text.ts';
import { callOperation, type OperationAnswer } from '../../../src/platform/client/calls.ts';
import type { PlatformClient } from '../../../src/platform/client/client.ts';
import { type Operation, type OperationId, operationOf } from '../../../src/platform/table/operations.ts';
import { pagingOf } from '../../../src/platform/table/parameters.ts';
import { unwrapped } from '../../../src/platform/table/wire.ts';
import { maybeMissing } from '../../../src/platform/user-lookup.ts';
import { Difference, type Fixture } from './fixture.ts';
import type { Subject, SubjectCall } from './subjects.ts';

/** The result of one comparison with the contract. */
export interface ContractLine {
  readonly operation: string;
  /** `success`, `client`, `defaults`, `paging`, `language`, `encoding`, or an error status: `404`. */
  readonly check: string;
  readonly result: 'conforms' | 'differs';
  readonly detail: string;
}

/** Clients that differ in their credentials and language. */
export interface Witnesses {
  readonly client: PlatformClient;
  /** Returns a client with this access token. */
  readonly bearing: (secret: string) => PlatformClient;
  /** A client with a malformed token. */
  readonly stranger: PlatformClient;
  /** A client that sends the application token in place of an access token. */
  readonly application: PlatformClient;
  /** A client that requests an unknown language. */
  readonly foreigner: PlatformClient;
}

/** Makes every check of one operation in order. Continues after a failed one. */
export async function* checkSubject(
  subject: Subject,
  fixture: Fixture,
  witnesses: Witnesses,
): AsyncGenerator<ContractLine, void> {
  const operation = operationOf(subject.id);
  const line = async (name: string, check: () => Promise<string>): Promise<ContractLine> => ({
    operation: subject.id,
    check: name,
    ...(await judge(check)),
  });
  const call = (client: PlatformClient, input: SubjectCall) => {
    const { bearer, ...rest } = input;
    const caller = bearer === undefined ? client : witnesses.bearing(bearer);
    return callOperation(caller, subject.id, rest, fixture.signal);
  };
  yield await line('success', async () => {
    const input = await subject.input(fixture);
    return checkAnswer(operation, await call(witnesses.client, input));
  });
  yield await line('client', async () => {
    await subject.invoke(fixture);
    return `${subject.method} is done`;
  });
  const { bare, page } = subject;
  if (bare !== undefined) {
    yield await line('defaults', async () => checkDefaults(await call(witnesses.client, bare(fixture))));
  }
  if (page !== undefined) yield await line('paging', () => checkPaging(subject, fixture));
  if (operation.needsLanguage && operation.method === 'GET') {
    yield await line('language', async () => {
      checkAnswer(operation, await call(witnesses.foreigner, await subject.input(fixture)));
      return 'an unknown language is no error';
    });
  }
  const { encoding } = subject;
  if (encoding !== undefined) {
    yield await line('encoding', async () => {
      await encoding(fixture);
      return 'slashes, percent signs and letters arrive as they were sent';
    });
  }
  for (const status of operation.errorStatuses) {
    yield await line(String(status), () => checkRefusal(status, subject, fixture, witnesses));
  }
}

async function judge(check: () => Promise<string>): Promise<Pick<ContractLine, 'result' | 'detail'>> {
  try {
    return { result: 'conforms', detail: await check() };
  } catch (error) {
    if (error instanceof RollcallError || error instanceof Difference)
      return { result: 'differs', detail: error.message };
    throw error;
  }
}

function checkAnswer(operation: Operation<OperationId>, answer: OperationAnswer): string {
  const { successStatus, response } = operation;
  if (answer.status !== successStatus) throw new Difference(`answered ${answer.status}, not ${successStatus}`);
  if (response === undefined) {
    if (answer.bodyBytes > 0)
      throw new Difference(`a body of ${answer.bodyBytes} bytes arrived, but none was expected`);
    return `${answer.status}, no body`;
  }
  const differences = strictDifferences(response, answer.body);
  if (differences.length > 0) throw new Difference(`the body differs from the contract: ${differences.join('; ')}`);
  if (operation.id === 'token') {
    for (const [name, value] of [
      ['cache-control', 'no-store'],
      ['pragma', 'no-cache'],
    ] as const) {
      if (answer.header(name) !== value) throw new Difference(`the header ${name} is not ${value}`);
    }
  }
  return `${answer.status}, body and headers as promised`;
}

/** Checks that a list without parameters shows its first page, of ten items where the contract says so. */
function checkDefaults({ body }: OperationAnswer): string {
  const { result, page } = isRecord(body) ? body : {};
  if (!Array.isArray(result) || !isRecord(page)) throw new Difference('the body has no list `result` with its `page`');
  if (page.number !== undefined && page.number !== 0) throw new Difference(`the first page is number ${page.number}`);
  if (result.length > 10) throw new Difference(`${result.length} items arrived, but at most 10 were expected`);
  return `${result.length} items on the first page`;
}

async function checkPaging({ id, page }: Subject, fixture: Fixture): Promise<string> {
  const firstPage = pagingOf(operationOf(id))?.first;
  if (page === undefined || firstPage === undefined) throw new RangeError('there is no page to check');
  const first = await page(fixture, firstPage);
  const second = await page(fixture, firstPage + 1);
  if (first.items.length === 0 || second.items.length === 0) throw new Difference('there are fewer than two items');
  for (const { items } of [first, second]) {
    if (items.length > 1) throw new Difference(`${items.length} items arrived on a page of one`);
  }
  if (JSON.stringify(first.items) === JSON.stringify(second.items)) throw new Difference('both pages are equal');
  if (first.total !== undefined && first.total < 2)
    throw new Difference(`the total is ${first.total}, but two were seen`);
  const from = firstPage === 0 ? '' : ', counted from 1';
  return first.total === undefined ? `no total${from}` : `with a total${from}`;
}

/** Provokes a documented error: by a call that must be refused, else through the aid and the client's method. */
async function checkRefusal(status: number, subject: Subject, fixture: Fixture, witnesses: Witnesses): Promise<string> {
  const provoked = await provoke(status, subject, fixture, witnesses);
  if (provoked !== undefined) {
    const known = [...operationOf(subject.id).errorStatuses, ...(subject.id === 'read' ? maybeMissing : [])];
    checkRefusalShape(provoked, known);
    if (provoked.status === status) return 'provoked';
  }
  const lift = fixture.aids.inject(subject.id, status);
  try {
    const error = await refusalOf(async () =>
      subject.neverThrows === true
        ? callOperation(witnesses.client, subject.id, withoutBearer(await subject.input(fixture)), fixture.signal)
        : subject.invoke(fixture),
    );
    checkRefusalShape(error, [status]);
    return 'injected';
  } finally {
    lift();
  }
}

async function provoke(
  status: number,
  subject: Subject,
  fixture: Fixture,
  { client, stranger, application }: Witnesses,
): Promise<PlatformError | undefined> {
  const operation = operationOf(subject.id);
  const finalStatuses = operation.errorStatuses;
  const refused = (caller: PlatformClient, input: SubjectCall) =>
    refusalOf(() => callOperation(caller, subject.id, { ...input, finalStatuses }, fixture.signal));
  const own = subject.errors[status];
  if (own !== undefined) return refused(client, own(fixture));
  // This call is refused anyway, so nothing happens if the platform ignores the token or the media type.
  const harmless = subject.errors[404] ?? subject.errors[400];
  const isRead = operation.method === 'GET';
  if (status === 401 && (isRead || harmless !== undefined || subject.id === 'revoke')) {
    return refused(
      stranger,
      harmless?.(fixture) ?? withoutBearer(subject.id === 'revoke' ? {} : await subject.input(fixture)),
    );
  }
  if (status === 403 && isRead && operation.part !== 'roles') {
    return refused(application, withoutBearer(await subject.input(fixture)));
  }
  if (status === 406 && (isRead || harmless !== undefined)) {
    return refused(client, { ...(harmless?.(fixture) ?? (await subject.input(fixture))), accept: 'text/csv' });
  }
  return undefined;
}

function withoutBearer({ bearer: _bearer, ...input }: SubjectCall): SubjectCall {
  return input;
}

async function refusalOf(call: () => Promise<unknown>): Promise<PlatformError> {
  try {
    await call();
  } catch (error) {
    if (error instanceof PlatformError && error.status !== undefined) return error;
    throw error;
  }
  throw new Difference('the call was accepted, but should have been refused');
}

function checkRefusalShape(error: PlatformError, known: readonly number[]): void {
  const { status } = error;
  if (status === undefined || !known.includes(status)) {
    throw new Difference(`answered ${status}; documented are ${known.join(', ')}`);
  }
  const body = RollcallError.rawTextOf(error) ?? '';
  if (!/"(?:title|error|message|detail)"\s*:\s*"/.test(body))
    throw new Difference(`answered ${status}, with an error body that has none of its fields`);
}

/**
 * Returns each place where a body differs from a schema of the table of operations, as `result.email: missing`. The
 * client reads leniently by the same schemas; here a field that the contract does not show, one that it shows and that
 * is not there, and one of another type are differences. Null is accepted where the contract has no value to show.
 * Names fields and types, never values.
 */
export function strictDifferences(schema: z.ZodType, body: unknown): readonly string[] {
  const found = new Map<string, number>();
  collect({ schema, value: body, path: '' }, (difference) => found.set(difference, (found.get(difference) ?? 0) + 1));
  return [...found].map(([difference, times]) =>
    times === 1 ? difference : `${difference} (${countOf(times, 'time')})`,
  );
}

interface Place {
  readonly schema: z.ZodType;
  readonly value: unknown;
  /** `result[].email`; empty for the body. */
  readonly path: string;
}

function collect({ schema, value, path }: Place, tell: (difference: string) => void): void {
  const inner = unwrapped(schema);
  if (value === null && inner !== schema) return;
  if (inner instanceof z.ZodObject && isRecord(value)) {
    collectFields(inner, value, path, tell);
  } else if (inner instanceof z.ZodArray && Array.isArray(value)) {
    const element = inner.element as z.ZodType;
    for (const item of value) collect({ schema: element, value: item, path: `${path}[]` }, tell);
  } else if (!inner.safeParse(value).success) {
    tell(`${path || 'the body'}: ${typeName(value)} instead of ${expectedName(inner)}`);
  }
}

function collectFields(
  schema: z.ZodObject,
  value: Readonly<Record<string, unknown>>,
  path: string,
  tell: (difference: string) => void,
): void {
  const at = (name: string): string => (path === '' ? name : `${path}.${name}`);
  for (const [name, member] of Object.entries(schema.shape) as [string, z.ZodType][]) {
    if (value[name] !== undefined) collect({ schema: member, value: value[name], path: at(name) }, tell);
    // Twice optional: it may be missing by the contract too (`sometimes`).
    else if (!(member instanceof z.ZodOptional && member.unwrap() instanceof z.ZodOptional))
      tell(`${at(name)}: missing`);
  }
  for (const name of Object.keys(value)) if (!(name in schema.shape)) tell(`${at(name)}: not in the contract`);
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

function expectedName(schema: z.ZodType): string {
  if (schema instanceof z.ZodObject || schema instanceof z.ZodRecord) return 'an object';
  if (schema instanceof z.ZodArray) return 'an array';
  if (schema instanceof z.ZodEnum) return `one of ${schema.options.join(', ')}`;
  if (schema instanceof z.ZodUnion) return 'a whole number';
  if (schema instanceof z.ZodString)
    return schema.format === null ? 'a string' : `a string of the form ${schema.format}`;
  return `a ${schema.def.type}`;
}
