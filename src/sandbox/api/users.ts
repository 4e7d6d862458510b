import { UserPayload, UserUpdatePayload } from '../../platform/table/index.ts';
import { type Handler, Refusal } from '../call.ts';
import { querySource, readBody, readQuery } from '../parameters.ts';
import { type Account, filled } from '../people/account.ts';
import { showUser } from '../people/show-user.ts';
import type { World } from '../world.ts';
import { knownUser } from './known-user.ts';
import { readPayloadFields } from './write-payload.ts';

const create: Handler = (call, { directory, writes, now, quirks }) => {
  const payload = readBody(UserPayload, call.body);
  const { identification } = payload;
  if (directory.get(identification) !== undefined) {
    throw new Refusal(400, 'Bad Request', 'A user with this identification already exists');
  }
  refuseTakenEmail(payload.email, undefined, { directory, quirks });
  if (directory.blacklist.has(identification)) throw new Refusal(400, 'Bad Request', 'The user is blacklisted');
  const account = writes.create(identification, filled(readPayloadFields(payload, 'merges')), {
    at: now(),
    via: call.operation,
  });
  return { body: { userId: userIdOf(account, quirks.userId) } };
};

const update: Handler = (call, world) => {
  const payload = readBody(UserUpdatePayload, call.body);
  const account = accountOf(payload.userId, world);
  if (account === undefined) throw new Refusal(400, 'Bad Request', 'There is no user with this userId');
  const { identification } = payload;
  if (identification !== account.identification && world.directory.get(identification) !== undefined) {
    throw new Refusal(400, 'Bad Request', 'Another user has this identification');
  }
  refuseTakenEmail(payload.email, account, world);
  const fields = readPayloadFields(payload, world.quirks.put);
  const origin = { at: world.now(), via: call.operation };
  world.writes.update(account, { identification, fields }, 'updated', origin);
  if (identification !== account.identification) world.leadership.rename(account.identification, identification);
  return { body: { result: payload } };
};

const read: Handler = ({ parameters: { identification = '' } }, { directory, now, quirks }) => {
  const account = directory.read(identification, now());
  if (account === undefined) throw new Refusal(quirks.missingUser, 'User not found', 'There is no such user');
  return { body: { result: showUser(account, quirks) } };
};

const remove: Handler = (call, world) => {
  const { writes, leadership, goals, now } = world;
  const blacklist = readQuery(call.operation, querySource(call.query)).flag('blacklist');
  const account = knownUser(call.parameters.identification, world);
  const { identification } = account;
  writes.remove(account, blacklist, { at: now(), via: call.operation });
  leadership.forget(identification);
  goals.forget(identification);
  return {};
};

function refuseTakenEmail(
  email: string | null | undefined,
  account: Account | undefined,
  { directory, quirks }: Pick<World, 'directory' | 'quirks'>,
): void {
  if (!quirks.uniqueEmail || email === undefined || email === null || email === '') return;
  if (directory.withEmail(email, account) !== undefined)
    throw new Refusal(400, 'Bad Request', 'Another user has this e-mail');
}

/** Finds the user of an update. The contract does not define `userId`, so a quirk decides. */
function accountOf(userId: string, { directory, quirks }: World): Account | undefined {
  if (quirks.userId === 'identification') return directory.get(userId);
  const digits = quirks.userId === 'uid' ? userId.replace(/^uid-/, '') : userId;
  const account = directory.withId(Number(digits));
  return account !== undefined && userIdOf(account, quirks.userId) === userId ? account : undefined;
}

function userIdOf(account: Account, kind: World['quirks']['userId']): string {
  return { id: String(account.id), uid: account.uid, identification: account.identification }[kind];
}

export const userHandlers = { create, update, read, delete: remove } as const;
