import { z } from 'zod';
import { isRecord } from '../../../src/drivers/http/json-text.ts';
import { hasQueryInBody, type OperationInput } from '../../../src/platform/client/calls.ts';
import type { PlatformClient } from '../../../src/platform/client/client.ts';
import { methodName } from '../../../src/platform/client/methods.ts';
import type { ListPage, Query } from '../../../src/platform/client/pages.ts';
import { examples } from '../../../src/platform/table/examples.ts';
import { nameOf } from '../../../src/platform/table/open-api.ts';
import { type Operation, type OperationId, operations } from '../../../src/platform/table/operations.ts';
import { pagingOf, pathParameters } from '../../../src/platform/table/parameters.ts';
import type { LongId } from '../../../src/platform/table/wire.ts';
import { exchangeRefreshToken, revokeToken } from '../../../src/platform/tokens/calls.ts';
import { fileBody } from '../../../src/platform/user-file.ts';
import { Difference, type Fixture } from './fixture.ts';

/** An identification or code that a platform does not have. */
const missingUser = 'contract-nobody';
const missingId = '999999999999';
/** Text of what the suite writes. */
const mark = 'Contract check';

export interface SubjectCall extends OperationInput {
  /** Access token of this call, instead of the connection's. */
  readonly bearer?: string;
}

/** How the suite tests one operation. */
export interface Subject {
  readonly id: OperationId;
  /** The client's method for it, as `part.method`. */
  readonly method: string;
  /** A call that must succeed. */
  readonly input: (fixture: Fixture) => Promise<SubjectCall>;
  /** The same call through the client's method. */
  readonly invoke: (fixture: Fixture) => Promise<unknown>;
  /** Set where `invoke` reports a refusal as a result. Errors are then checked on the wire. */
  readonly neverThrows?: true;
  /** Calls that must be refused with the status. They change nothing if they are accepted. */
  readonly errors: Readonly<Partial<Record<number, (fixture: Fixture) => OperationInput>>>;
  /** Returns one page of one item. */
  readonly page?: (fixture: Fixture, page: number) => Promise<Omit<ListPage<unknown>, 'page'>>;
  /** Proves that special characters arrive unchanged; throws `Difference` otherwise. */
  readonly encoding?: (fixture: Fixture) => Promise<void>;
  /** A call of the list without parameters. */
  readonly bare?: (fixture: Fixture) => OperationInput;
}

/** What cannot be derived from the table: how the client's method is called, and where it has its objects from. */
const own: Readonly<Partial<Record<OperationId, Partial<Subject>>>> = {
  create: {
    input: async (fixture) => ({ json: userBody(fixture.freeIdentification()) }),
    invoke: ({ api, signal, freeIdentification }) => {
      const { identification, ...fields } = userBody(freeIdentification());
      return api.users.create({ identification, fields }, signal);
    },
  },
  update: {
    input: async ({ person, userId }) => ({
      json: { ...userBody(person(3)), userId: await userId(person(3)) },
    }),
    async invoke({ api, signal, person }) {
      const { identification, ...fields } = userBody(person(3));
      const user = await api.users.get(identification, signal);
      await api.users.update(user, { identification, fields }, signal);
    },
  },
  read: {
    async encoding({ api, signal, freeIdentification }) {
      // Characters with a meaning in paths, percent signs that must be decoded once, and a letter beyond ASCII.
      const identification = freeIdentification('/ñ %2F?#;');
      await api.users.create({ identification, fields: { firstName: 'Contract', lastName: 'Check' } }, signal);
      const read = await api.users.get(identification, signal);
      if (read.identification !== identification) throw new Difference('the read returned another user');
    },
  },
  delete: {
    input: async (fixture) => ({ params: { identification: await fixture.newcomer() }, query: { blacklist: false } }),
    invoke: async ({ api, signal, newcomer }) => api.users.remove(await newcomer(), { blacklist: false }, signal),
  },
  upload: {
    async input(fixture) {
      await fixture.uploadedFileId();
      const body = await fileBody(fixture.file(), fixture.client.dialect.upload.encoding);
      return body.kind === 'json' ? { json: body.value } : { stream: body };
    },
    invoke: (fixture) => fixture.uploadedFileId(),
  },
  status: {
    invoke: async ({ api, signal, uploadedFileId }) => api.userFiles.status(await uploadedFileId(), signal),
  },
  'import-job': { input: async () => ({}), invoke: ({ api, signal }) => api.importJob.start(signal) },
  // The token calls need a spare pair, because both consume it.
  token: {
    neverThrows: true,
    input: async ({ aids }) => ({ json: refreshBody(aids.spareTokens().refreshToken) }),
    async invoke({ aids, client, signal }) {
      const { refreshToken, applicationToken, baseUrl } = aids.spareTokens();
      const endpoint = { baseUrl, timeoutMs: client.limits.timeoutMs, now: () => client.clock.now() };
      const { expiresIn } = client.dialect;
      const outcome = await exchangeRefreshToken({ ...endpoint, applicationToken, refreshToken, expiresIn }, signal);
      if (outcome.kind !== 'granted') throw new Difference(`the outcome is ${outcome.kind}`);
    },
    errors: { 400: () => ({ json: refreshBody(missingUser) }) },
  },
  revoke: {
    neverThrows: true,
    input: async ({ aids }) => ({ bearer: aids.spareTokens().accessToken }),
    async invoke({ aids, client, signal }) {
      const { accessToken, baseUrl } = aids.spareTokens();
      const endpoint = { baseUrl, timeoutMs: client.limits.timeoutMs, now: () => client.clock.now() };
      // Twice, because an invalid token is not an error.
      for (const _time of [1, 2]) {
        const outcome = await revokeToken({ ...endpoint, accessToken }, signal);
        if (outcome.kind !== 'revoked') throw new Difference(`the outcome is ${outcome.kind}`);
      }
    },
  },
};

/** Names of client methods that do not follow the table. */
const ownNames: Readonly<Partial<Record<OperationId, string>>> = {
  token: 'exchangeRefreshToken',
  revoke: 'revokeToken',
  upload: 'userFiles.upload',
  status: 'userFiles.status',
  'import-job': 'importJob.start',
};

const parts = [...new Set(operations.map(({ part }) => part))];
const methods = ['POST', 'GET', 'PUT', 'PATCH', 'DELETE'];

/**
 * A subject of each operation, in an order in which each finds what it needs: objects are made, read, changed and
 * removed. Tokens come last.
 */
export const contractSubjects: readonly Subject[] = operations
  .toSorted((a, b) => rankOf(a) - rankOf(b))
  .map((operation) => ({ ...derived(operation), ...own[operation.id] }));

function rankOf({ part, method }: Operation): number {
  const rank = part === 'tokens' ? parts.length : parts.indexOf(part);
  return rank * methods.length + methods.indexOf(method);
}

/** Derives a subject from the table and the examples: its calls, and those that must be refused. */
function derived(operation: Operation<OperationId>): Subject {
  const { id, part, request } = operation;
  const paging = pagingOf(operation);
  const pageOf = (page: number, size: number): Query =>
    paging === undefined ? {} : { [paging.pageName]: page, [paging.sizeName]: size };
  const asked = async (fixture: Fixture, first = paging?.first ?? 0, size = 5): Promise<Asked> => {
    const params = await existingParams(operation, fixture);
    if (paging !== undefined) return { params, input: pageOf(first, size) };
    const code = id === 'create-goal' ? fixture.freeGoalCode() : (params.code ?? '');
    return { params, input: request === undefined ? undefined : exampleBody(request, fixture.person, code) };
  };
  const onTheWire = ({ client }: Fixture, { params, input }: Asked): OperationInput => {
    if (paging !== undefined) return { params, ...queryInput(id, input ?? {}, client) };
    return { params, ...(input === undefined ? {} : { json: input }) };
  };
  const bare = ({ person }: Fixture) => ({
    params: Object.fromEntries(pathParameters(operation).map((name) => [name, person(0)])),
  });
  const base: Subject = {
    id,
    method: ownNames[id] ?? `${part}.${methodName(operation)}`,
    input: async (fixture) => onTheWire(fixture, await asked(fixture)),
    invoke: async (fixture) => invoke(operation, fixture, await asked(fixture)),
    errors: refusedCalls(operation),
  };
  if (paging === undefined) return base;
  const page: Subject['page'] = async (fixture, number) =>
    (await invoke(operation, fixture, await asked(fixture, number, 1))) as ListPage<unknown>;
  return {
    ...base,
    bare,
    page,
    errors: {
      ...base.errors,
      400: (fixture) => onTheWire(fixture, { ...bare(fixture), input: { [paging.sizeName]: -1 } }),
    },
  };
}

interface Asked {
  readonly params: Readonly<Record<string, string>>;
  /** The body, or the parameters of a list. */
  readonly input: Query | Readonly<Record<string, unknown>> | undefined;
}

/** Derives the calls that must be refused: for what is not there, and with a body or an address that is wrong. */
function refusedCalls(operation: Operation<OperationId>): Subject['errors'] {
  const { method, request, errorStatuses, assumed } = operation;
  const names = pathParameters(operation);
  const params = Object.fromEntries(names.map((name) => [name, name.endsWith('id') ? missingId : missingUser]));
  const missing = request === undefined ? {} : { json: exampleBody(request, () => missingUser, missingUser) };
  const isAddressed = names.length > 0 || request !== undefined;
  const hasNotFound = errorStatuses.includes(404);
  // Without a documented 404, a read refuses an unknown address with 400. What is only assumed shows no such rule.
  const refusesAddress = method === 'GET' && names.length > 0 && !hasNotFound && assumed === undefined;
  return {
    ...(request !== undefined
      ? { 400: () => ({ params, json: {} }) }
      : refusesAddress
        ? { 400: () => ({ params }) }
        : {}),
    ...(hasNotFound && isAddressed ? { 404: () => ({ params, ...missing }) } : {}),
  };
}

/** Calls the client's method of an operation: path parameters, then body or query, then the signal. */
async function invoke(
  operation: Operation<OperationId>,
  { api, signal }: Fixture,
  { params, input }: Asked,
): Promise<unknown> {
  const part: unknown = Object.entries(api).find(([name]) => name === operation.part)?.[1];
  const method = isRecord(part) ? part[methodName(operation)] : undefined;
  if (typeof method !== 'function') throw new RangeError(`the client has no method for ${operation.id}`);
  const values = Object.values(params);
  const path = values.length > 1 ? [params] : values;
  return method(...path, ...(input === undefined ? [] : [input]), signal);
}

/** Where an existing object of a path comes from, by the parameter's name or by part and name. */
const existing: Readonly<Record<string, (fixture: Fixture) => LongId | Promise<LongId>>> = {
  identification: ({ person }) => person(0),
  customAclCode: ({ roleCode }) => roleCode(),
  'feedback-request-id': ({ feedbackRequestId }) => feedbackRequestId(),
  'provisioning id': ({ uploadedFileId }) => uploadedFileId(),
  'feedback id': ({ feedbackId }) => feedbackId(),
  'evaluations id': ({ evaluationId }) => evaluationId(),
};

async function existingParams(operation: Operation<OperationId>, fixture: Fixture): Promise<Asked['params']> {
  const [name, ...more] = pathParameters(operation);
  if (name === undefined) return {};
  if (more.length > 0) return { ...(await fixture.goal()) };
  const find = existing[name] ?? existing[`${operation.part} ${name}`];
  if (find === undefined) throw new RangeError(`the contract suite has no ${name} for ${operation.id}`);
  return { [name]: String(await find(fixture)) };
}

/** Returns what the example of a body must have, with people of the test, and texts that tell where they come from. */
function exampleBody(
  request: z.ZodType,
  person: (number: number) => string,
  code: string,
): Readonly<Record<string, unknown>> {
  const known: Readonly<Record<string, () => unknown>> = {
    code: () => code,
    sender: () => person(0),
    recipient: () => person(1),
    collaboratorIdentification: () => person(0),
    mainLeaderIdentification: () => person(1),
    secondaryLeadersIdentifications: () => [person(2)],
    assignedTo: () => person(0),
    title: () => mark,
    comment: () => mark,
    feedback: () => ({ comments: mark }),
  };
  const shape = request instanceof z.ZodObject ? (request.shape as Readonly<Record<string, z.ZodType>>) : {};
  const example = examples[nameOf(request)] as Readonly<Record<string, unknown>>;
  const names = Object.keys(shape).filter(
    (name) => known[name] !== undefined || !(shape[name] instanceof z.ZodOptional),
  );
  return Object.fromEntries(names.map((name) => [name, known[name]?.() ?? example[name]]));
}

function queryInput(
  id: OperationId,
  query: Query | Readonly<Record<string, unknown>>,
  { dialect }: PlatformClient,
): OperationInput {
  return hasQueryInBody(id, dialect) ? { json: query } : { query: query as Query };
}

function userBody(identification: string) {
  return { identification, firstName: 'Contract', lastName: 'Check', email: `${identification}@example.com` };
}

function refreshBody(refreshToken: string) {
  return { grant_type: 'refresh_token', refresh_token: refreshToken };
}
