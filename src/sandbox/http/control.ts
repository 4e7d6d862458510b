import type { FastifyInstance, FastifyReply } from 'fastify';
import { findField } from '../../core/person/fields.ts';
import { RollcallError } from '../../core/run/errors.ts';
import { parseFault } from '../faults/parse-fault.ts';
import type { Account, AccountPatch } from '../people/account.ts';
import type { World } from '../world.ts';

const prefix = '/_sandbox';

/**
 * Serves the control paths, with which tests and developers inspect and change the sandbox. They need no token, are not
 * counted as requests, and no fault strikes them.
 */
export function serveControl(app: FastifyInstance, world: World): void {
  app.addHook('onRequest', async (request) => {
    if (request.raw.url?.startsWith(`${prefix}/`) === true) world.files.settle();
  });
  serveViews(app, world);
  serveFaults(app, world);
  serveUsers(app, world);
  app.post(`${prefix}/tokens`, async () => world.tokens.authorize());
  app.put(`${prefix}/import-source`, async (request) => {
    const { csv } = (request.body ?? {}) as { csv?: unknown };
    world.defineImportSource(typeof csv === 'string' ? csv : undefined);
    return { isDefined: typeof csv === 'string' };
  });
}

function serveViews(app: FastifyInstance, world: World): void {
  app.get(`${prefix}/state`, async () => describeWorld(world));
  app.get<{ Querystring: { after?: string } }>(`${prefix}/log`, async ({ query }, reply) =>
    /^\d{0,15}$/.test(query.after ?? '')
      ? world.log.entries.slice(Number(query.after ?? 0))
      : refuse(reply, 400, 'after must be a whole number'),
  );
  app.get(`${prefix}/requests`, async () => world.requests);
  app.get(`${prefix}/refreshes`, async () => world.tokens.presentations);
  app.get(`${prefix}/feedback-requests`, async () => world.feedbackRequests);
  app.get(`${prefix}/files`, async () => [...world.files.all.values()].map(({ text, rows, ...file }) => file));
  app.get<{ Params: { id: string } }>(`${prefix}/files/:id`, async ({ params }, reply) => {
    const file = world.files.all.get(Number(params.id));
    return file ?? refuse(reply, 404, 'There is no such file');
  });
}

function serveFaults(app: FastifyInstance, world: World): void {
  app.get(`${prefix}/faults`, async () => world.faults.specs.map(({ text }) => text));
  app.put(`${prefix}/faults`, async ({ body }, reply) => {
    if (!Array.isArray(body) || !body.every((entry) => typeof entry === 'string')) {
      return refuse(reply, 400, 'Send a JSON array of fault texts');
    }
    try {
      world.faults.set(body.map(parseFault));
    } catch (error) {
      if (error instanceof RollcallError) return refuse(reply, 400, error.message);
      throw error;
    }
    return world.faults.specs.map(({ text }) => text);
  });
}

function serveUsers(app: FastifyInstance, world: World): void {
  const { directory, writes } = world;
  app.get(`${prefix}/users`, async () => [...directory.all.values()]);
  app.get<UserRoute>(`${prefix}/users/:identification`, async ({ params }, reply) => {
    const account = directory.get(params.identification);
    return account ?? refuse(reply, 404, 'There is no such user');
  });
  app.put<UserRoute>(`${prefix}/users/:identification`, async ({ params, body }, reply) => {
    const patch = readPatch(body);
    if (patch === undefined) return refuse(reply, 400, 'Send {"enabled": boolean, "fields": {name: text}}');
    return patchUser(world, params.identification, patch);
  });
  app.delete<UserRoute>(`${prefix}/users/:identification`, async ({ params }, reply) => {
    const account = directory.get(params.identification);
    if (account === undefined) return refuse(reply, 404, 'There is no such user');
    writes.remove(account, false, { at: world.now(), via: 'outside' });
    return account;
  });
}

interface UserRoute {
  Params: { identification: string };
}

/** Changes or creates a user as another system would. Logged as `outside`. */
export function patchUser(world: World, identification: string, patch: AccountPatch): Account {
  const origin = { at: world.now(), via: 'outside' };
  const account = world.directory.get(identification) ?? world.writes.create(identification, {}, origin);
  const { enabled = account.enabled } = patch;
  const kind = enabled === account.enabled ? 'updated' : enabled ? 'enabled' : 'disabled';
  return world.writes.update(account, patch, kind, origin);
}

function readPatch(body: unknown): AccountPatch | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const { enabled, fields } = body as { enabled?: unknown; fields?: unknown };
  if (enabled !== undefined && typeof enabled !== 'boolean') return undefined;
  const entries = Object.entries(fields ?? {});
  if (!entries.every(([name, value]) => findField(name) !== undefined && typeof value === 'string')) return undefined;
  return { ...(enabled === undefined ? {} : { enabled }), fields: Object.fromEntries(entries) };
}

function describeWorld({ directory, log, files, faults, quirks, requests, tokens, now }: World) {
  const users = [...directory.all.values()];
  return {
    now: now(),
    users: users.length,
    enabled: users.filter(({ enabled }) => enabled).length,
    blacklisted: directory.blacklist.size,
    writes: log.entries.length,
    files: files.all.size,
    isBusy: files.isBusy(),
    faults: faults.specs.map(({ text }) => text),
    quirks,
    requests,
    refreshes: tokens.presentations.length,
  };
}

function refuse(reply: FastifyReply, status: number, message: string) {
  reply.code(status);
  return { message };
}
