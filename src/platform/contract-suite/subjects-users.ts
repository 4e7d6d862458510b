import type { OperationInput } from '../call-operation.ts';
import { fileBody } from '../file-body.ts';
import { exchangeRefreshToken, revokeToken } from '../resources/tokens.ts';
import type { Scene } from './scene.ts';
import { Difference, type Subject, Unavailable } from './subject.ts';

const nobody = 'contract-nobody';

/** Search parameters go where the dialect says. */
function searchInput(
  { client }: Scene,
  parameters: Readonly<Record<string, string | number | boolean>>,
): OperationInput {
  return client.dialect.search.parameters === 'body' ? { json: parameters } : { query: parameters };
}

async function uploadInput(scene: Scene): Promise<OperationInput> {
  const body = await fileBody(await scene.file(), scene.client.dialect.upload.encoding);
  return body.kind === 'json' ? { json: body.value } : { stream: body };
}

function payload(identification: string, email = `${identification}@example.com`) {
  return { identification, firstName: 'Contract', lastName: 'Check', email };
}

/** How users, provisioning and roles are tried. */
export const userSubjects: readonly Subject[] = [
  {
    id: 'create',
    method: 'users.create',
    input: (scene) => ({ json: payload(scene.freeIdentification()) }),
    invoke: ({ api, signal, freeIdentification }) => {
      const { identification, ...fields } = payload(freeIdentification());
      return api.users.create({ identification, fields }, signal);
    },
    errors: { 400: () => ({ json: {} }) },
  },
  {
    id: 'update',
    method: 'users.update',
    input: async (scene) => ({ json: { userId: await scene.userId(scene.person(3)), ...payload(scene.person(3)) } }),
    async invoke({ api, signal, person }) {
      const { identification, ...fields } = payload(person(3));
      const user = await api.users.read(identification, signal);
      await api.users.update(user, { identification, fields }, signal);
    },
    errors: { 400: () => ({ json: {} }) },
  },
  {
    id: 'read',
    method: 'users.read',
    input: ({ person }) => ({ params: { identification: person(0) } }),
    invoke: ({ api, signal, person }) => api.users.read(person(0), signal),
    errors: { 400: () => ({ params: { identification: nobody } }) },
    async encoding({ api, signal, freeIdentification, isWriting }) {
      if (!isWriting) throw new Unavailable('it takes a user of its own: read-write mode only');
      // What a path gives a meaning to, percent signs that must be decoded once, and a letter beyond ASCII.
      const identification = freeIdentification('/ñ %2F?#;');
      await api.users.create({ identification, fields: { firstName: 'Contract', lastName: 'Check' } }, signal);
      const read = await api.users.read(identification, signal);
      if (read.identification !== identification) throw new Difference('another user was read than asked for');
    },
  },
  {
    id: 'search',
    method: 'users.search',
    input: (scene) => searchInput(scene, { enabled: false, page: 0, size: 5, orderBy: 'id', direction: 'ASC' }),
    invoke: ({ api, signal, person }) =>
      api.users.search({ searchString: person(0), enabled: false, page: 0, size: 5 }, signal),
    errors: { 400: (scene) => searchInput(scene, { size: -1 }) },
    async page({ api, signal }, page) {
      const { users, total } = await api.users.search({ enabled: false, page, size: 1 }, signal);
      return { items: users, total };
    },
    bare: () => ({}),
  },
  {
    id: 'delete',
    method: 'users.remove',
    input: async (scene) => ({ params: { identification: await scene.newcomer() }, query: { blacklist: false } }),
    invoke: async ({ api, signal, newcomer }) => api.users.remove(await newcomer(), { blacklist: false }, signal),
    errors: { 404: () => ({ params: { identification: nobody } }) },
  },
  {
    id: 'upload',
    method: 'userFiles.upload',
    async input(scene) {
      await scene.uploadedFileId();
      return uploadInput(scene);
    },
    invoke: async (scene) => scene.uploadedFileId(),
    errors: { 400: () => ({ json: {} }) },
  },
  {
    id: 'status',
    method: 'userFiles.status',
    input: async (scene) => ({ params: { id: await scene.uploadedFileId() } }),
    async invoke(scene) {
      const status = await scene.api.userFiles.status(await scene.uploadedFileId(), scene.signal);
      if (status.kind === 'no-status') throw new Unavailable('this platform has no such endpoint; users are read back');
    },
  },
  {
    id: 'import-job',
    method: 'importJob.start',
    input(scene) {
      if (scene.aids.mayStartImport !== true) throw new Unavailable('it would start a real import');
      return {};
    },
    async invoke(scene) {
      if (scene.aids.mayStartImport !== true) throw new Unavailable('it would start a real import');
      await scene.api.importJob.start(scene.signal);
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
    input: async (scene) => ({ params: { customAclCode: await scene.roleCode() } }),
    invoke: async (scene) => scene.api.roles.get(await scene.roleCode(), scene.signal),
    errors: { 400: () => ({ params: { customAclCode: nobody } }) },
  },
];

/** How the token calls are tried: only with a pair to spare, because both use it up. */
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
    errors: { 400: () => ({ json: { grant_type: 'refresh_token', refresh_token: nobody } }) },
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
      // Twice: an invalid token is no error.
      for (const _time of [1, 2]) {
        const outcome = await revokeToken({ ...endpoint, accessToken }, signal);
        if (outcome.kind !== 'revoked') throw new Difference(`the outcome is ${outcome.kind}`);
      }
    },
  },
];

async function spareTokens({ spareTokens }: Scene['aids']) {
  if (spareTokens === undefined) throw new Unavailable("it would use up the connection's own token");
  return spareTokens();
}
