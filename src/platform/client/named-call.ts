import type { z } from 'zod';
import { PlatformError, usageError } from '../../core/run/errors.ts';
import type { Dialect } from '../../core/run/settings.ts';
import { isRecord } from '../../drivers/http/json-text.ts';
import type { ApiAnswer, ApiRequest, ApiTarget } from '../../ports/api.ts';
import {
  type OperationId,
  operationIds,
  operationOf,
  pagingOf,
  pathParameters,
  type QueryMember,
  queryMembers,
} from '../table/index.ts';
import { fileBody } from '../user-file.ts';
import { callOperation, hasQueryInBody, type OperationInput } from './calls.ts';
import type { PlatformClient } from './client.ts';
import { parseExactly } from './long-id.ts';
import type { QueryValue } from './operation.ts';
import { itemsOf, type Query, readListPage, walkPages } from './pages.ts';

/** The connection that a call goes to. */
export interface CallTarget {
  readonly client: PlatformClient;
  readonly settings: { readonly name: string; readonly dialect: Dialect };
}

/**
 * Calls one operation as a person asked for it. Throws `USAGE` for what the contract does not allow, before anything is
 * sent, and `PlatformError` for what the platform refused.
 */
export async function callApi(
  { settings, client }: CallTarget,
  request: ApiRequest,
  signal: AbortSignal,
): Promise<ApiAnswer> {
  const id = operationNamed(request, settings.name);
  const params = readParams(id, request.parameters);
  const query = readQuery(id, request.parameters);
  const call = async (asked: Query) => {
    const input: OperationInput = {
      params,
      ...(request.acceptLanguage === undefined ? {} : { acceptLanguage: request.acceptLanguage }),
      ...(hasQueryInBody(id, settings.dialect) ? { json: asked } : { query: asked }),
      ...(await readBody(id, request, settings.dialect.upload.encoding)),
    };
    return callOperation(client, id, input, signal);
  };
  const answer = { connection: settings.name, operation: id };
  if (!request.all) {
    const { status, body } = await call(query);
    return { ...answer, status, body };
  }
  return { ...answer, status: operationOf(id).successStatus, body: { result: await walk(id, query, call) } };
}

function operationNamed({ operation }: ApiRequest, connection: string): OperationId {
  const id = operationIds.find((known) => known === operation);
  if (id === undefined) throw usageError(`the platform's API has no operation ${operation}`);
  if (id !== 'token' && id !== 'revoke') return id;
  const command = id === 'token' ? 'refresh' : 'revoke';
  throw usageError(`tokens are kept in the store: use "rollcall token ${command} ${connection}"`);
}

/**
 * Returns what a write would change: the platform's address, and the user or goal as the platform shows it now. Checks the
 * request first, and throws `USAGE` like `callApi`. What cannot be read is left out, because the write itself may still
 * succeed.
 */
export async function targetOf(
  { settings, client, baseUrl }: CallTarget & Pick<ApiTarget, 'baseUrl'>,
  request: ApiRequest,
  signal: AbortSignal,
): Promise<ApiTarget> {
  const id = operationNamed(request, settings.name);
  const params = readParams(id, request.parameters);
  readQuery(id, request.parameters);
  const { json } = await readBody(id, request, settings.dialect.upload.encoding);
  const at = { connection: settings.name, baseUrl };
  const read = async (operation: 'read' | 'goal', by: Readonly<Record<string, string>>) => {
    try {
      const { body } = await callOperation(client, operation, { params: by }, signal);
      return isRecord(body) && isRecord(body.result) ? body.result : undefined;
    } catch (error) {
      if (error instanceof PlatformError && !signal.aborted) return undefined;
      throw error;
    }
  };
  const {
    code,
    identification = isRecord(json) ? (json.identification ?? json.collaboratorIdentification) : undefined,
  } = params;
  if (id === 'create' || id === 'create-goal' || typeof identification !== 'string') return at;
  const now =
    code === undefined
      ? userWords(identification, await read('read', { identification }))
      : goalWords(code, identification, await read('goal', { code, identification }));
  return { ...at, now };
}

const notFound = 'which does not exist on the platform';

function userWords(identification: string, user: Readonly<Record<string, unknown>> | undefined): string {
  if (user === undefined) return `user ${identification}, ${notFound}`;
  const name = [user.firstName, user.lastName].filter((part) => typeof part === 'string').join(' ');
  const email = typeof user.email === 'string' ? `, ${user.email}` : '';
  return `user ${identification} '${name}'${email}, ${user.enabled === true ? 'enabled' : 'disabled'}`;
}

function goalWords(code: string, identification: string, goal: Readonly<Record<string, unknown>> | undefined): string {
  const whose = `goal ${code} of user ${identification}`;
  return goal === undefined ? `${whose}, ${notFound}` : `${whose}: '${String(goal.title)}', ${String(goal.status)}`;
}

async function walk(
  id: OperationId,
  query: Query,
  call: (query: Query) => Promise<{ readonly body: unknown }>,
): Promise<unknown[]> {
  const way = pagingOf(operationOf(id));
  if (way === undefined) throw usageError(`${id} does not return a list in pages: omit --all`);
  if (query[way.pageName] !== undefined) throw usageError(`--all starts at the first page: omit --${way.pageName}`);
  const pages = walkPages(way, query, async (asked) => readListPage((await call(asked)).body));
  return Array.fromAsync(itemsOf(pages));
}

function readParams(id: OperationId, given: ApiRequest['parameters']): Record<string, string> {
  return Object.fromEntries(
    pathParameters(operationOf(id)).map((name) => {
      const value = given[name];
      if (value === undefined) throw usageError(`${id} needs --${name}`);
      return [name, value];
    }),
  );
}

function readQuery(id: OperationId, given: ApiRequest['parameters']): Record<string, QueryValue> {
  const operation = operationOf(id);
  const values: Record<string, QueryValue> = {};
  for (const { name, kind } of queryMembers(operation)) {
    const text = given[name];
    if (text !== undefined) values[name] = readValue(text, kind);
  }
  checkFit(operation.query, values, (path) => `--${path}`);
  return values;
}

/** What does not read as its kind stays text, and the schema says so. */
function readValue(text: string, kind: QueryMember['kind']): string | number | boolean {
  if (kind === 'number' && /^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  return kind === 'flag' && /^(true|false)$/.test(text) ? text === 'true' : text;
}

async function readBody(
  id: OperationId,
  { body, file }: ApiRequest,
  encoding: Dialect['upload']['encoding'],
): Promise<Pick<OperationInput, 'json' | 'stream'>> {
  if (id === 'upload') {
    if (file === undefined) throw usageError('upload needs --file: the CSV file to send');
    const made = await fileBody(file, encoding);
    return made.kind === 'json' ? { json: made.value } : { stream: made };
  }
  const { request } = operationOf(id);
  if (request === undefined) {
    if (body !== undefined) throw usageError(`${id} takes no body: omit --body`);
    return {};
  }
  if (body === undefined) throw usageError(`${id} needs --body: JSON, or @ and the name of a JSON file`);
  checkFit(request, JSON.parse(body), (path) => path || 'the body');
  return { json: parseExactly(body) };
}

function checkFit(schema: z.ZodType | undefined, value: unknown, nameOf: (path: string) => string): void {
  const read = schema?.safeParse(value);
  if (read === undefined || read.success) return;
  const problems = read.error.issues.map(({ path, message }) => `${nameOf(path.join('.'))}: ${message}`);
  throw usageError(`the request does not match the platform's API: ${problems.join('; ')}`);
}
