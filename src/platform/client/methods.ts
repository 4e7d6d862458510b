import { z } from 'zod';
import { exactValue, isRecord } from '../../drivers/http/json-text.ts';
import { type Operation, type OperationId, type OperationRows, operations } from '../table/operations.ts';
import { type Paging, pagingOf, pathParameters } from '../table/parameters.ts';
import type { UserSearchQuery } from '../table/users.ts';
import { type LongId, type Shown, sentId, unwrapped } from '../table/wire.ts';
import { orderedById } from '../user-search.ts';
import { contractCall, dialectToken, jsonBody, placeQuery } from './calls.ts';
import type { PlatformClient } from './client.ts';
import { refuseToSend } from './errors.ts';
import { idDigits, idNumber } from './long-id.ts';
import type { AnswerReader } from './operation.ts';
import { jsonBy, nothing, resultBy } from './operation.ts';
import { itemsOf, type ListPage, listBy, type Query, readItems, type UnreadItem, walkPages } from './pages.ts';

/**
 * The client's methods, derived from the table of operations: `goals.get`, `goals.page`, `goals.update` and so on. A
 * method takes the path parameters (one: its value; several: an object), then the body or query, then a signal. The
 * types and `methodsOf` follow the same rules.
 */
export type Methods<Part extends MethodPart> = {
  readonly [Call in CallOf<Part> as Single<OperationRows[Call]>]: (
    ...given: [...Path<Call>, ...Input<OperationRows[Call]>, signal?: AbortSignal]
  ) => Answer<OperationRows[Call]>;
} & ListOf<CallOf<Part>>;

/** Parts whose methods derive from the table. Tokens and files have their own functions. */
export type MethodPart = 'users' | 'roles' | 'leaders' | 'feedback' | 'goals' | 'evaluations';

type CallOf<Part> = {
  [Call in keyof OperationRows]: OperationRows[Call]['part'] extends Part ? Call : never;
}[keyof OperationRows];

type MethodName<Verb> = Verb extends 'read' ? 'get' : Verb extends 'delete' ? 'remove' : Verb;

type Single<Row> = Row extends { readonly verb: infer Verb extends string }
  ? IsList<Row> extends true
    ? never
    : MethodName<Verb> & string
  : never;

type QueryOf<Row> = Row extends { readonly query: z.ZodType<infer Members> } ? Members : never;
type PageName = 'page' | 'pageNumber';
type IsList<Row> = Row extends { readonly query: z.ZodType<infer Members> }
  ? Extract<keyof Members, PageName> extends never
    ? false
    : true
  : false;

type PathNames<Text> = Text extends `${string}{${infer Name}}${infer Rest}` ? [Name, ...PathNames<Rest>] : [];
type PathValue<Name> = Name extends IdName ? LongId : string;
type PathOf<Names extends readonly string[]> = Names extends []
  ? []
  : Names extends [infer One]
    ? [PathValue<One>]
    : [{ readonly [Name in Names[number]]: PathValue<Name> }];
type Path<Call> = PathOf<PathNames<Call>>;

type Input<Row> = Row extends { readonly request: z.ZodType<infer Body> }
  ? [Body]
  : Row extends { readonly query: z.ZodType<infer Members> }
    ? [query?: Members]
    : [];

type Answer<Row> = Row extends { readonly response: z.ZodType<infer Body> } ? Promise<Result<Body>> : Promise<void>;
type Result<Body> = unknown extends Body
  ? unknown
  : Body extends readonly (infer Item)[]
    ? readonly Shown<Item>[]
    : Body extends { result: infer One }
      ? Shown<One>
      : Shown<Body>;

type ListOf<Call extends keyof OperationRows, List extends keyof OperationRows = ListCall<Call>> = [List] extends [
  never,
]
  ? unknown
  : OperationRows[List] extends { readonly response: z.ZodType<{ result: (infer Item)[]; page: infer Page }> }
    ? PagedList<Path<List>, QueryOf<OperationRows[List]>, Shown<Item>, Shown<Page>>
    : never;
type ListCall<Call extends keyof OperationRows> = {
  [One in Call]: IsList<OperationRows[One]> extends true ? One : never;
}[Call];

/** A list of the contract, by one operation. Its arguments begin with the path parameters, if the path has any. */
export interface PagedList<Path extends readonly unknown[], Query, Item, Page> {
  page(...given: [...Path, query?: Query, signal?: AbortSignal]): Promise<ListPage<Item, Page>>;
  /** Yields every page, of 100 items by default. An empty or repeated page is not yielded, so an empty list has none. */
  pages(
    ...given: [...Path, query?: Omit<Query, PageName>, signal?: AbortSignal]
  ): AsyncGenerator<ListPage<Item, Page>, void>;
  /** Yields every item that matches and can be read, as `pages` reads them. `pages` names the others in `unread`. */
  list(...given: [...Path, query?: Omit<Query, PageName>, signal?: AbortSignal]): AsyncGenerator<Item, void>;
}

/** Returns the client's name for a method: a list is read by `page`, `pages` and `list`. */
export function methodName(operation: Pick<Operation, 'verb' | 'query'>): string {
  if (pagingOf(operation) !== undefined) return 'page';
  const { verb } = operation;
  return verb === 'read' ? 'get' : verb === 'delete' ? 'remove' : verb;
}

export function openMethods<Part extends MethodPart>(client: PlatformClient, part: Part): Methods<Part> {
  const own = operations.filter((operation) => operation.part === part);
  const methods = Object.assign({}, ...own.map((operation) => methodsOf(client, operation)));
  // The type is derived from the same rows; the tests call every method.
  return methods as Methods<Part>;
}

type Method = (...given: readonly unknown[]) => unknown;

function methodsOf(client: PlatformClient, operation: Operation<OperationId>): Readonly<Record<string, Method>> {
  const paging = pagingOf(operation);
  if (paging !== undefined) return listMethods(client, operation, paging);
  const answer = readerOf(client, operation);
  return {
    async [methodName(operation)](...given) {
      const { params, input, signal } = readArguments(operation, given);
      const { id, request } = operation;
      const details =
        request === undefined ? { query: input as Query } : { body: jsonBody(checkedBody(operation, input)) };
      const call = contractCall(id, { params, ...dialectToken(id, client.dialect), ...details, answer });
      return client.request(call, signal);
    },
  };
}

function listMethods(
  client: PlatformClient,
  operation: Operation<OperationId>,
  paging: Paging,
): Readonly<Record<string, Method>> {
  const { id, response } = operation;
  if (response === undefined) throw new RangeError(`${id} has no list`);
  const answer = listBy(response);
  const read = async ({ params, input, signal }: Arguments): Promise<ListPage<unknown>> => {
    const query = id === 'search' ? orderedById(input as UserSearchQuery) : (input as Query);
    const call = contractCall(id, { params, ...placeQuery(id, query, client.dialect), answer });
    const page = await client.request(call, signal);
    warnOf(client, id, page.unread);
    return page;
  };
  const pages = (given: readonly unknown[]) => {
    const asked = readArguments(operation, given);
    return walkPages(paging, asked.input as Query, (input) => read({ ...asked, input }));
  };
  return {
    page: async (...given) => read(readArguments(operation, given)),
    pages: (...given) => pages(given),
    list: (...given) => itemsOf(pages(given)),
  };
}

/** The log names no item: its id may be a person's. */
function warnOf({ logger }: PlatformClient, operation: OperationId, unread: readonly UnreadItem[]): void {
  if (unread.length === 0) return;
  const faults = [...new Set(unread.map(({ fault }) => fault))].slice(0, 3);
  logger.warn({ operation, unread: unread.length, faults }, 'items of a list cannot be read and are left out');
}

type Arguments = ReturnType<typeof readArguments>;

/** Splits the arguments of a method into path parameters, body or query, and signal. */
function readArguments(operation: Operation<OperationId>, given: readonly unknown[]) {
  const names = pathParameters(operation);
  const [first] = given;
  const [one = ''] = names;
  const values = names.length === 1 ? { [one]: first } : isRecord(first) ? first : {};
  const params = Object.fromEntries(names.map((name) => [name, pathText(operation.id, name, values[name])]));
  const rest = names.length === 0 ? given : given.slice(1);
  const takesInput = operation.request !== undefined || operation.query !== undefined;
  const [input = {}, signal] = takesInput ? rest : [{}, ...rest];
  return { params, input, signal: signal as AbortSignal | undefined };
}

type IdName = 'id' | 'feedback-request-id';
const idNames: ReadonlySet<string> = new Set<IdName>(['id', 'feedback-request-id']);

function pathText(id: OperationId, name: string, value: unknown): string {
  return idNames.has(name) ? idDigits(id, value as LongId) : (value as string);
}

function readerOf(client: PlatformClient, { id, response }: Operation<OperationId>): AnswerReader<unknown> {
  if (response === undefined) return nothing;
  if (response instanceof z.ZodArray) return itemsBy(response, (unread) => warnOf(client, id, unread));
  const result = response instanceof z.ZodObject ? response.shape.result : undefined;
  return result === undefined ? jsonBy(response) : resultBy(result as z.ZodType);
}

function itemsBy(list: z.ZodArray, warn: (unread: readonly UnreadItem[]) => void): AnswerReader<unknown> {
  return {
    expects: 'json',
    read(answer) {
      const { items, unread } = readItems(list, exactValue(answer));
      warn(unread);
      return items;
    },
  };
}

/**
 * Checks a request body against the operation's schema, and returns what that keeps of it. Long ids go out as numbers
 * with all their digits. Throws `PLATFORM_REFUSED` (effect `none`), naming places, not values.
 */
function checkedBody(operation: Operation<OperationId>, body: unknown): unknown {
  const { id, request } = operation;
  const shape = request instanceof z.ZodObject ? (request.shape as Readonly<Record<string, z.ZodType>>) : {};
  const given = Object.entries(isRecord(body) ? body : {});
  const isId = ([name]: readonly [string, unknown]) => shape[name] !== undefined && unwrapped(shape[name]) === sentId;
  const ids = given.filter((member) => isId(member) && member[1] !== undefined && member[1] !== null);
  const parsed = request?.safeParse(Object.fromEntries(given.filter((member) => !isId(member))));
  if (parsed === undefined) throw new RangeError(`${id} takes no body`);
  if (parsed.success && isRecord(parsed.data)) {
    return { ...parsed.data, ...Object.fromEntries(ids.map(([name, value]) => [name, idNumber(id, value as LongId)])) };
  }
  const problems = parsed.error?.issues.slice(0, 5) ?? [];
  const places = problems.map(({ path, message }) => `${path.join('.') || 'body'}: ${message}`);
  throw refuseToSend(operation, `the body does not match the contract (${places.join('; ')}).`);
}
