import createClient, { type Client } from 'openapi-fetch';
import type { paths } from './schema.ts';

/** The part of an error answer that the page shows. */
export interface Problem {
  /** 0: the server did not answer. */
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly requestId: string;
}

/** A request that was refused, or had no answer. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';
  readonly problem: Problem;
  readonly retryAfterSeconds: number | undefined;

  constructor(problem: Problem, retryAfterSeconds?: number) {
    super(problem.code);
    this.problem = problem;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

export function problemOfError(error: unknown): Problem {
  if (error instanceof ApiProblem) return error.problem;
  return { status: 0, code: 'PAGE', detail: error instanceof Error ? error.message : String(error), requestId: '' };
}

export type Api = Client<paths>;

/** The filters of a list of the API, without those that lead from page to page. */
export type FiltersOf<Path extends '/api/audit' | '/api/changes' | '/api/runs'> = Omit<
  NonNullable<paths[Path]['get']['parameters']['query']>,
  'limit' | 'cursor'
>;

export interface ApiIo {
  /** What a session repeats with every POST; undefined without a session. */
  readonly csrf: () => string | undefined;
  /** Whether the page refreshes automatically: such requests do not prolong a session. */
  readonly isBackground: () => boolean;
}

/** Opens the API of this server, typed from its OpenAPI document. */
export function openApi({ csrf, isBackground }: ApiIo): Api {
  const api = createClient<paths>({ baseUrl: '', credentials: 'same-origin' });
  api.use({
    onRequest: ({ request }) => {
      const token = csrf();
      if (request.method !== 'GET' && token !== undefined) request.headers.set('x-csrf-token', token);
      if (request.method === 'GET' && isBackground()) request.headers.set('x-rollcall-background', '1');
      return request;
    },
  });
  return api;
}

/** Returns the data of an answer. Throws `ApiProblem` for a refusal, and when the server does not answer. */
export async function answerOf<T>(
  asked: Promise<{ readonly data?: T; readonly error?: unknown; readonly response: Response }>,
): Promise<T> {
  const { data, error, response } = await asked.catch((fault: unknown) => {
    if (fault instanceof DOMException && fault.name === 'AbortError') throw fault;
    throw new ApiProblem({ status: 0, code: 'UNREACHABLE', detail: '', requestId: '' });
  });
  if (error === undefined && response.ok) return data as T;
  const wait = Number(response.headers.get('retry-after'));
  throw new ApiProblem(problemOf(error, response.status), Number.isFinite(wait) && wait > 0 ? wait : undefined);
}

function problemOf(error: unknown, status: number): Problem {
  const found = typeof error === 'object' && error !== null ? (error as Partial<Problem>) : {};
  const { code = `HTTP_${status}`, detail = '', requestId = '' } = found;
  return { status, code, detail, requestId };
}
