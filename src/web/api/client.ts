import createClient from 'openapi-fetch';
import type { paths } from './schema.d.ts';

/** The part of an error answer that the page shows. */
interface Problem {
  readonly code: string;
  readonly detail: string;
  readonly requestId: string;
}

/** A request that was refused, or had no answer. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';
  /** 0: the server did not answer. */
  readonly status: number;
  readonly problem: Problem;
  readonly retryAfterSeconds: number | undefined;

  constructor(status: number, { code = `HTTP_${status}`, detail = '', requestId = '' }: Partial<Problem>, wait = 0) {
    super(code);
    this.status = status;
    this.problem = { code, detail, requestId };
    this.retryAfterSeconds = wait > 0 ? wait : undefined;
  }
}

type Method = 'get' | 'post';
type Of<M extends Method> = {
  [Path in keyof paths]: paths[Path] extends Record<M, unknown> ? Path : never;
}[keyof paths];
export type Gets = Of<'get'>;
type Posts = Of<'post'>;

/** What the API takes: the names in the path and those of the query, in one record. */
export type ParamsOf<M extends Method, Path extends Of<M>> =
  paths[Path] extends Record<M, { readonly parameters: infer Given }> ? In<Given, 'path'> & In<Given, 'query'> : never;
type In<Given, Place extends string> = Given extends { readonly [Name in Place]?: infer Names }
  ? NonNullable<Names>
  : object;

export type Answer<M extends Method, Path extends Of<M>> =
  paths[Path] extends Record<M, { readonly responses: infer Given }>
    ? Given[keyof Given & number] extends { readonly content: { readonly 'application/json': infer Body } }
      ? Body
      : never
    : never;

type Body<Path extends Posts> =
  paths[Path] extends Record<
    'post',
    { readonly requestBody: { readonly content: { readonly 'application/json': infer Given } } }
  >
    ? Given
    : undefined;

/** The API of this server. Each method returns the data of the answer, or throws `ApiProblem`. */
export interface Api {
  get<Path extends Gets>(path: Path, params: ParamsOf<'get', Path>, signal?: AbortSignal): Promise<Answer<'get', Path>>;
  post<Path extends Posts>(
    path: Path,
    params: ParamsOf<'post', Path>,
    body: Body<Path>,
    signal?: AbortSignal,
  ): Promise<Answer<'post', Path>>;
}

export interface ApiIo {
  /** What a session repeats with every POST; undefined without a session. */
  readonly csrf: () => string | undefined;
  /** Whether the page refreshes automatically: such requests do not prolong a session. */
  readonly isBackground: () => boolean;
}

/** Opens the API of this server, typed from its OpenAPI document. */
export function openApi({ csrf, isBackground }: ApiIo): Api {
  const client = createClient<paths>({ baseUrl: '', credentials: 'same-origin' });
  client.use({
    onRequest: ({ request }) => {
      const token = csrf();
      if (request.method !== 'GET' && token !== undefined) request.headers.set('x-csrf-token', token);
      if (request.method === 'GET' && isBackground()) request.headers.set('x-rollcall-background', '1');
      return request;
    },
  });
  return {
    get: (path, params, signal) => answerOf(client.request('get', path, init(path, params, { signal }))),
    post: (path, params, body, signal) => answerOf(client.request('post', path, init(path, params, { body, signal }))),
  };
}

/** Sorts parameters into path and query. The types above have checked them, so the types of the client need not. */
function init(path: string, given: object, rest: object): never {
  const params: Record<'path' | 'query', Record<string, unknown>> = { path: {}, query: {} };
  for (const [name, value] of Object.entries(given))
    params[path.includes(`{${name}}`) ? 'path' : 'query'][name] = value;
  return { ...rest, params } as never;
}

async function answerOf<T>(
  asked: Promise<{ readonly data?: unknown; readonly error?: unknown; readonly response: Response }>,
): Promise<T> {
  const { data, error, response } = await asked.catch((fault: unknown) => {
    if (fault instanceof DOMException && fault.name === 'AbortError') throw fault;
    throw new ApiProblem(0, { code: 'UNREACHABLE' });
  });
  if (error === undefined && response.ok) return data as T;
  const problem = typeof error === 'object' && error !== null ? error : {};
  throw new ApiProblem(response.status, problem, Number(response.headers.get('retry-after')));
}
