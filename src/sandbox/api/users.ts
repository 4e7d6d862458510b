import {
  type FieldName,
  type FieldValues,
  fieldTable,
  findField,
  maxDirectCustomField,
} from '../../core/person/fields.ts';
import { LeaderLinks, UserPayload, UserUpdatePayload, userSortKeys } from '../../platform/table/index.ts';
import { badRequest, type Call, type Handler, knownUser, Refusal } from '../call.ts';
import {
  bodySource,
  cutPage,
  type ParameterSource,
  querySource,
  readBody,
  readChoice,
  readQuery,
} from '../parameters.ts';
import { type Account, filled } from '../people/account.ts';
import { present, profileImage, showFoundUser, showUser } from '../people/show-user.ts';
import type { World } from '../world.ts';

/* ---- users ---- */

const create: Handler = (call, { directory, writes, now, quirks }) => {
  const payload = readBody(UserPayload, call.body);
  const { identification } = payload;
  if (directory.get(identification) !== undefined) {
    throw badRequest('A user with this identification already exists');
  }
  refuseTakenEmail(payload.email, undefined, { directory, quirks });
  if (directory.blacklist.has(identification)) throw badRequest('The user is blacklisted');
  const account = writes.create(identification, filled(readPayloadFields(payload, 'merges')), {
    at: now(),
    via: call.operation,
  });
  return { body: { userId: userIdOf(account, quirks.userId) } };
};

const update: Handler = (call, world) => {
  const payload = readBody(UserUpdatePayload, call.body);
  const account = accountOf(payload.userId, world);
  if (account === undefined) throw badRequest('There is no user with this userId');
  const { identification } = payload;
  if (identification !== account.identification && world.directory.get(identification) !== undefined) {
    throw badRequest('Another user has this identification');
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
  const blacklist = readQuery(call).flag('blacklist');
  const account = knownUser(call.parameters.identification, world);
  const { identification } = account;
  writes.remove(account, blacklist, { at: now(), via: call.operation });
  leadership.forget(identification, now());
  goals.forget(identification);
  return {};
};

function refuseTakenEmail(
  email: string | null | undefined,
  account: Account | undefined,
  { directory, quirks }: Pick<World, 'directory' | 'quirks'>,
): void {
  if (!quirks.uniqueEmail || email === undefined || email === null || email === '') return;
  if (directory.withEmail(email, account) !== undefined) throw badRequest('Another user has this e-mail');
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

/**
 * Returns the fields of a create or update payload; null clears. With `replaces`, clears every supported field that the
 * payload omits. Throws 400 for custom fields above the limit of direct calls (contract, "Limits" 1).
 */
function readPayloadFields(payload: UserPayload, mode: 'merges' | 'replaces'): FieldValues {
  const fields: Partial<Record<FieldName, string>> = {};
  const plain = payload as Readonly<Partial<Record<FieldName, string | null>>>;
  for (const { name, isDirect } of fieldTable) {
    if (!isDirect) continue;
    const value = name.startsWith('customField') ? payload.customFields?.[name] : plain[name];
    if (value !== undefined) fields[name] = value ?? '';
    else if (mode === 'replaces') fields[name] = '';
  }
  checkCustomFields(payload);
  return fields;
}

function checkCustomFields(payload: UserPayload): void {
  const names = Object.keys(payload.customFields ?? {});
  const refused = names.filter((name) => !name.startsWith('customField') || findField(name)?.isDirect !== true);
  if (refused.length === 0) return;
  const rule = `only customField1 to customField${maxDirectCustomField} are supported here`;
  throw badRequest(`customFields: ${refused.join(', ')}: ${rule}`);
}

const search: Handler = (call, { directory, now, quirks }) => {
  const source = parametersOf(call, quirks.parameters);
  const query = readQuery(call, source);
  const page = query.number('page');
  const asked = query.number('size');
  const size = Math.max(1, Math.min(asked, quirks.maxPageSize, call.faults.number('cap-size') ?? asked));
  const found = directory.find(
    {
      searchString: query.text('searchString') ?? '',
      enabledOnly: query.flag('enabled'),
      orderBy: readChoice(query, 'orderBy', userSortKeys, 'firstName'),
      direction: readChoice(query, 'direction', ['ASC', 'DESC'], 'ASC'),
    },
    now(),
  );
  const start = page * size + (page === 0 ? 0 : (call.faults.number('shift-pages', 1) ?? 0));
  const rows = found.slice(Math.max(0, start), Math.max(0, start + size));
  const totalElements = found.length + (call.faults.number('total-off') ?? 0);
  return {
    body: { result: rows.map((account) => showFoundUser(account, quirks)), page: { totalElements } },
  };
};

function parametersOf(call: Call, place: World['quirks']['parameters']): ParameterSource {
  if (call.faults.has('ignore-parameters')) return () => undefined;
  return place === 'query' ? querySource(call) : bodySource(call.body);
}

/* ---- leaders ---- */

const leaders: Handler = (call, world) => {
  const { identification } = knownUser(call.parameters.identification, world);
  const query = readQuery(call);
  const pageNumber = query.number('pageNumber');
  const pageSize = query.number('pageSize');
  const { main, secondary } = world.leadership.shownLeadersOf(identification, world.now());
  const all = [...new Set([...(main === undefined ? [] : [main]), ...secondary])];
  const records = cutPage(all, pageNumber - 1, pageSize).flatMap((leader) => {
    const account = world.directory.get(leader);
    if (account === undefined) return [];
    return [{ ...showPerson(account), asMain: leader === main, asSecondary: secondary.includes(leader) }];
  });
  return { body: { result: records, page: { totalElements: all.length } } };
};

/** The contract does not define this answer. It is a list like that of the leaders. */
const collaborators: Handler = (call, world) => {
  const { identification } = knownUser(call.parameters.identification, world);
  const all = world.leadership.collaboratorsOf(identification);
  const records = all.flatMap((entry) => {
    const account = world.directory.get(entry);
    return account === undefined ? [] : [showPerson(account)];
  });
  return { body: { result: records, page: { totalElements: records.length } } };
};

const addLeaders: Handler = (call, world) => {
  const { collaborator, main, secondary } = readLinks(call, world);
  const held = world.leadership.leadersOf(collaborator).main;
  if (world.quirks.mainLeader === 'refuses' && main !== undefined && held !== undefined && held !== main) {
    throw badRequest('The user has another main leader');
  }
  world.leadership.add(collaborator, main, secondary, world.now());
  return {};
};

const removeLeaders: Handler = (call, world) => {
  const { collaborator, main, secondary } = readLinks(call, world);
  world.leadership.remove(collaborator, main, secondary, world.now());
  return {};
};

function readLinks(call: Call, world: World) {
  const links = readBody(LeaderLinks, call.body);
  const collaborator = knownUser(links.collaboratorIdentification, world).identification;
  const main = links.mainLeaderIdentification ?? undefined;
  const secondary = links.secondaryLeadersIdentifications ?? [];
  for (const leader of [...(main === undefined ? [] : [main]), ...secondary]) {
    knownUser(leader, world);
    if (leader === collaborator) throw badRequest('A user cannot lead themselves');
  }
  return { collaborator, main, secondary };
}

function showPerson(account: Account): Record<string, unknown> {
  return {
    identification: account.identification,
    ...present(account, ['firstName', 'lastName', 'project', 'job', 'account', 'office', 'seniority']),
    profileImage: profileImage(account),
  };
}

export const userHandlers = {
  create,
  update,
  read,
  search,
  delete: remove,
  leaders,
  collaborators,
  'add-leaders': addLeaders,
  'remove-leaders': removeLeaders,
} as const;
