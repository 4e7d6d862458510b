import { PlatformError } from '../../core/run/errors.ts';
import type { Dialect } from '../../core/run/settings.ts';
import type { LearnedSetting, LearnLine } from '../../ports/api.ts';
import { callOperation } from '../client/calls.ts';
import { fixedToken } from '../client/defaults.ts';
import { claimsOf } from '../tokens/status.ts';
import { type Lab, nobodyOf, unique } from './lab.ts';
import { largestPage, type PageProbe, placeOfParameters, unitOfLife } from './verdicts.ts';

/** One thing to find out. An experiment reports a line for each of its settings; what it leaves out is not known. */
export interface Experiment {
  readonly settings: readonly LearnedSetting[];
  /** What it asks the platform, and what it writes for that; `nothing` where it only reads. */
  readonly question: string;
  readonly writes: string;
  /** Absent: always. */
  readonly isNeeded?: (configured: Dialect) => boolean;
  readonly run: (lab: Lab) => Promise<readonly LearnLine[]>;
}

/** Harmless reads. */
export const readings: readonly Experiment[] = [
  {
    settings: ['search.parameters'],
    question: 'Where are the parameters of a search read: a text that no user has must find no user?',
    writes: 'nothing',
    run: findParameters,
  },
  {
    settings: ['search.pageSize'],
    question: 'How many users come on a page of 1,000 and more?',
    writes: 'nothing',
    run: findPageSize,
  },
  { settings: ['rolesToken'], question: 'Which token reads the roles?', writes: 'nothing', run: findRolesToken },
  {
    settings: ['expiresIn'],
    question: 'What does `expires_in` of the stored token mean?',
    writes: 'nothing',
    run: findUnit,
  },
];

async function findParameters(lab: Lab): Promise<readonly LearnLine[]> {
  const query = { searchString: nobodyOf(lab), enabled: false, page: 0, size: 1 };
  const inQuery = await lab.search('query', query);
  const inBody = await lab.search('body', query);
  const place = placeOfParameters(inQuery.probe, inBody.probe);
  const setting = 'search.parameters';
  if (place === undefined) return [{ setting, evidence: 'both places gave the same answer' }];
  lab.use({ search: { ...lab.dialect.search, parameters: place } });
  const other = place === 'query' ? 'body' : 'query';
  return [
    {
      ...{ setting, value: place },
      evidence: `a text that no user has found no user in the ${place}, and the ${other} was refused or ignored`,
    },
  ];
}

const largerPages = [1000, 2000, 5000];
const smallerPages = [500, 200, 100, 50, 10];
/** A page that takes longer is large enough. */
const slowPageMs = 5000;

async function findPageSize(lab: Lab): Promise<readonly LearnLine[]> {
  const { clock } = lab.order.connection;
  const probes: PageProbe[] = [];
  const ask = async (asked: number) => {
    const beganAt = clock.now();
    const query = { enabled: false, page: 0, size: asked, orderBy: 'id', direction: 'ASC' };
    const { probe: seen, records } = await lab.search(lab.dialect.search.parameters, query);
    probes.push({ asked, seen });
    if (seen === 'refused') return 'refused';
    lab.notes.dates = records.flatMap((record) => {
      const date = typeof record === 'object' && record !== null && 'orgEntryDate' in record ? record.orgEntryDate : '';
      return typeof date === 'string' && date !== '' ? [date] : [];
    });
    const isWhole = seen.rows === asked && asked < (seen.total ?? 0);
    return isWhole && clock.now() - beganAt < slowPageMs ? 'whole' : 'cut';
  };
  let seen = '';
  for (const size of largerPages) {
    seen = await ask(size);
    if (seen !== 'whole') break;
  }
  if (probes.length === 1 && seen === 'refused') {
    for (const size of smallerPages) if ((await ask(size)) !== 'refused') break;
  }
  const { size, evidence } = largestPage(probes);
  if (size === undefined) return [{ setting: 'search.pageSize', evidence }];
  lab.use({ search: { ...lab.dialect.search, pageSize: size } });
  return [{ setting: 'search.pageSize', value: size, evidence }];
}

async function findRolesToken(lab: Lab): Promise<readonly LearnLine[]> {
  const { connection, tokens, signal } = lab.order;
  const { secret } = await tokens.current(signal);
  // A refused token must not be renewed here: it may be the wrong one for roles, and is right for all else.
  const client = lab.client({}, { tokens: fixedToken(secret) });
  const read = async (token: Dialect['rolesToken']): Promise<boolean> => {
    if (token === 'application' && connection.applicationToken === undefined) return false;
    try {
      await callOperation(client, 'roles', { token, finalStatuses: [400, 401, 403, 500] }, signal);
      return true;
    } catch (error) {
      if (!(error instanceof PlatformError) || error.status === undefined) throw error;
      return false;
    }
  };
  for (const token of unique<Dialect['rolesToken']>([lab.dialect.rolesToken, 'access', 'application'])) {
    if (await read(token))
      return [{ setting: 'rolesToken', value: token, evidence: `the ${token} token reads the roles` }];
  }
  return [{ setting: 'rolesToken', evidence: 'no token of this connection may read the roles' }];
}

/** The life that is assumed where the platform says none that can be used. */
const assumedLifeMs = 300_000;

async function findUnit(lab: Lab): Promise<readonly LearnLine[]> {
  const { connection, tokens, signal } = lab.order;
  const setting = 'expiresIn';
  const { state, issuedAt, expiresAt } = await tokens.status();
  if (state === 'static') return [{ setting, evidence: 'the access token is configured, so none is ever exchanged' }];
  const storedMs = issuedAt === undefined || expiresAt === undefined ? 0 : expiresAt - issuedAt;
  if (storedMs <= 0 || storedMs === assumedLifeMs) {
    return [{ setting, evidence: 'the platform told no life of the stored token' }];
  }
  const told = connection.dialect.expiresIn === 'seconds' ? storedMs / 1000 : storedMs;
  const { iat, exp } = claimsOf((await tokens.current(signal)).secret);
  const lifeMs = iat === undefined || exp === undefined ? undefined : exp - iat;
  const { unit, evidence } = unitOfLife(told, {
    lifeMs,
    acceptedAgeMs: connection.clock.now() - (issuedAt ?? 0),
  });
  return [{ setting, value: unit, evidence }];
}
