import { LeaderLinks } from '../../platform/table/index.ts';
import { type Call, type Handler, knownUser, Refusal } from '../call.ts';
import { cutPage, querySource, readBody, readQuery } from '../parameters.ts';
import type { Account } from '../people/account.ts';
import { present, profileImage } from '../people/show-user.ts';
import type { World } from '../world.ts';

const leaders: Handler = (call, world) => {
  const { identification } = knownUser(call.parameters.identification, world);
  const query = readQuery(call.operation, querySource(call.query));
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
    throw new Refusal(400, 'Bad Request', 'The user has another main leader');
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
    if (leader === collaborator) throw new Refusal(400, 'Bad Request', 'A user cannot lead themselves');
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

export const leaderHandlers = {
  leaders,
  collaborators,
  'add-leaders': addLeaders,
  'remove-leaders': removeLeaders,
} as const;
