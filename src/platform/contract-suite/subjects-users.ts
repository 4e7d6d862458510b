import type { OperationInput } from '../client/calls.ts';
import { fileBody } from '../file-body.ts';
import { exchangeRefreshToken, revokeToken } from '../tokens/calls.ts';
import { Difference, Unavailable } from './findings.ts';
import type { Fixture } from './fixture.ts';
import { missingUser, type Subject } from './subject.ts';

/** Search parameters are in query or body, as the dialect says. */
function searchInput(
  { client }: Fixture,
  parameters: Readonly<Record<string, string | number | boolean>>,
): OperationInput {
  return client.dialect.search.parameters === 'body' ? { json: parameters } : { query: parameters };
}

async function uploadInput(fixture: Fixture): Promise<OperationInput> {
  const body = await fileBody(await fixture.file(), fixture.client.dialect.upload.encoding);
  return body.kind === 'json' ? { json: body.value } : { stream: body };
}

function payload(identification: string, email = `${identification}@example.com`) {
  return { identification, firstName: 'Contract', lastName: 'Check', email };
}

/** Tests of users, provisioning and roles. */
export const userSubjects: readonly Subject[] = [
  {
    id: 'create',
    method: 'users.create',
    input: (fixture) => ({ json: payload(fixture.freeIdentification()) }),
    invoke: ({ api, signal, freeIdentification }) => {
      const { identification, ...fields } = payload(freeIdentification());
      return api.users.create({ identification, fields }, signal);
    },
    errors: { 400: () => ({ json: {} }) },
  },
  {
    id: 'update',
    method: 'users.update',
    input: async (fixture) => ({
      json: { userId: await fixture.userId(fixture.person(3)), ...payload(fixture.person(3)) },
    }),
    async invoke({ api, signal, person }) {
      const { identification, ...fields } = payload(person(3));
      const user = await api.users.get(identification, signal);
      await api.users.update(user, { identification, fields }, signal);
    },
    errors: { 400: () => ({ json: {} }) },
  },
  {
    id: 'read',
    method: 'users.get',
    input: ({ person }) => ({ params: { identification: person(0) } }),
    invoke: ({ api, signal, person }) => api.users.get(person(0), signal),
    errors: { 400: () => ({ params: { identification: missingUser } }) },
    async encoding({ api, signal, freeIdentification, isWriting }) {
      if (!isWriting) throw new Unavailable('it needs its own user: read-write mode only');
      // Characters with a meaning in paths, percent signs that must be decoded once, and a letter beyond ASCII.
      const identification = freeIdentification('/ñ %2F?#;');
      await api.users.create({ identification, fields: { firstName: 'Contract', lastName: 'Check' } }, signal);
      const read = await api.users.get(identification, signal);
      if (read.identification !== identification) throw new Difference('the read returned another user');
    },
  },
  {
    id: 'search',
    method: 'users.page',
    input: (fixture) => searchInput(fixture, { enabled: false, page: 0, size: 5, orderBy: 'id', direction: 'ASC' }),
    invoke: ({ api, signal, person }) =>
      api.users.page({ searchString: person(0), enabled: false, page: 0, size: 5 }, signal),
    errors: { 400: (fixture) => searchInput(fixture, { size: -1 }) },
    page: ({ api, signal }, page) => api.users.page({ enabled: false, page, size: 1 }, signal),
    bare: () => ({}),
  },
  {
    id: 'delete',
    method: 'users.remove',
    input: async (fixture) => ({ params: { identification: await fixture.newcomer() }, query: { blacklist: false } }),
    invoke: async ({ api, signal, newcomer }) => api.users.remove(await newcomer(), { blacklist: false }, signal),
    errors: { 404: () => ({ params: { identification: missingUser } }) },
  },
  {
    id: 'upload',
    method: 'userFiles.upload',
    async input(fixture) {
      await fixture.uploadedFileId();
      return uploadInput(fixture);
    },
    invoke: async (fixture) => fixture.uploadedFileId(),
    errors: { 400: () => ({ json: {} }) },
  },
  {
    id: 'status',
    method: 'userFiles.status',
    input: async (fixture) => ({ params: { id: await fixture.uploadedFileId() } }),
    async invoke(fixture) {
      const status = await fixture.api.userFiles.status(await fixture.uploadedFileId(), fixture.signal);
      if (status.kind === 'no-status') throw new Unavailable('this platform has no such endpoint; users are read back');
    },
  },
  {
    id: 'import-job',
    method: 'importJob.start',
    input(fixture) {
      if (fixture.aids.mayStartImport !== true) throw new Unavailable('it would start a real import');
      return {};
    },
    async invoke(fixture) {
      if (fixture.aids.mayStartImport !== true) throw new Unavailable('it would start a real import');
      await fixture.api.importJob.start(fixture.signal);
    },
  },
  {
    id: 'roles',
    method: 'roles.list',
    input: () => ({}),
    invoke: ({ api, signal }) => api.roles.list(signal),
  },
  {
    id: 'role',
    method: 'roles.get',
    input: async (fixture) => ({ params: { customAclCode: await fixture.roleCode() } }),
    invoke: async (fixture) => fixture.api.roles.get(await fixture.roleCode(), fixture.signal),
    errors: { 400: () => ({ params: { customAclCode: missingUser } }) },
  },
];

/** Tests of the token calls. They need a spare pair, because both calls consume it. */
export const tokenSubjects: readonly Subject[] = [
  {
    id: 'token',
    method: 'exchangeRefreshToken',
    neverThrows: true,
    async input({ aids }) {
      const { refreshToken } = await spareTokens(aids);
      return { json: { grant_type: 'refresh_token', refresh_token: refreshToken } };
    },
    async invoke({ aids, client, signal }) {
      const { refreshToken, applicationToken, baseUrl } = await spareTokens(aids);
      const endpoint = { baseUrl, timeoutMs: client.limits.timeoutMs, now: () => client.clock.now() };
      const { expiresIn } = client.dialect;
      const outcome = await exchangeRefreshToken({ ...endpoint, applicationToken, refreshToken, expiresIn }, signal);
      if (outcome.kind !== 'granted') throw new Difference(`the outcome is ${outcome.kind}`);
    },
    errors: { 400: () => ({ json: { grant_type: 'refresh_token', refresh_token: missingUser } }) },
  },
  {
    id: 'revoke',
    method: 'revokeToken',
    neverThrows: true,
    async input({ aids }) {
      return { bearer: (await spareTokens(aids)).accessToken };
    },
    async invoke({ aids, client, signal }) {
      const { accessToken, baseUrl } = await spareTokens(aids);
      const endpoint = { baseUrl, timeoutMs: client.limits.timeoutMs, now: () => client.clock.now() };
      // Twice, because an invalid token is not an error.
      for (const _time of [1, 2]) {
        const outcome = await revokeToken({ ...endpoint, accessToken }, signal);
        if (outcome.kind !== 'revoked') throw new Difference(`the outcome is ${outcome.kind}`);
      }
    },
  },
];

async function spareTokens({ spareTokens }: Fixture['aids']) {
  if (spareTokens === undefined) throw new Unavailable("it would consume the connection's own token");
  return spareTokens();
}
