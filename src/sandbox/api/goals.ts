import { GoalPayload, GoalUpdatePayload, goalSortKeys } from '../../platform/table/index.ts';
import { type Call, type Handler, knownUser, Refusal } from '../call.ts';
import { choosePeriod, fitDates, periodNamed } from '../growth/catalog.ts';
import type { StoredGoal } from '../growth/records.ts';
import { cutPage, type QueryReader, querySource, readBody, readChoice, readQuery } from '../parameters.ts';
import type { World } from '../world.ts';

const read: Handler = (call, world) => ({ body: { result: showGoal(knownGoal(call, world)) } });

const list: Handler = (call, { goals }) => {
  const query = readQuery(call.operation, querySource(call.query));
  const pageNumber = query.number('pageNumber');
  const pageSize = query.number('pageSize');
  const orderBy = readChoice(query, 'orderBy', goalSortKeys, 'creationDate');
  const direction = query.text('sort')?.toLowerCase() === 'asc' ? 1 : -1;
  const key = orderBy === 'creationDate' ? 'createdAt' : orderBy;
  const found = goals
    .all()
    .filter((goal) => isWanted(goal, query))
    .sort((a, b) => direction * (a[key] < b[key] ? -1 : a[key] > b[key] ? 1 : 0));
  const result = cutPage(found, pageNumber, pageSize).map(showListedGoal);
  return { body: { result, page: { numberElements: result.length } } };
};

const create: Handler = (call, world) => {
  const payload = readBody(GoalPayload, call.body);
  const { identification } = knownUser(payload.assignedTo, world);
  refuseTakenCode(payload.code, identification, world);
  const period = choosePeriod(payload.periodName, world.now());
  world.goals.put({
    code: payload.code,
    title: payload.title,
    description: payload.description ?? '',
    type: payload.type,
    status: 'OPENED',
    weighting: payload.weighting,
    assignment: payload.assignment,
    ...fitDates(payload, period),
    periodName: period.name,
    assignedTo: identification,
    createdAt: world.now(),
    locale: payload.locale,
  });
  return {};
};

const update: Handler = (call, world) => {
  const goal = knownGoal(call, world);
  const payload = readBody(GoalUpdatePayload, call.body);
  if (payload.code !== goal.code) refuseTakenCode(payload.code, goal.assignedTo, world);
  const period = choosePeriod(payload.periodName, world.now());
  const after: StoredGoal = {
    ...goal,
    code: payload.code,
    title: payload.title,
    description: payload.description ?? goal.description,
    weighting: payload.weighting,
    ...fitDates(payload, period),
    periodName: period.name,
    locale: payload.locale,
  };
  world.goals.remove(goal);
  world.goals.put(after);
  return { body: { result: { ...showGoal(after), locale: after.locale } } };
};

const remove: Handler = (call, world) => {
  world.goals.remove(knownGoal(call, world));
  return {};
};

function knownGoal({ parameters: { code = '', identification = '' } }: Call, { goals }: World): StoredGoal {
  const goal = goals.get(code, identification);
  if (goal === undefined) throw new Refusal(404, 'Not Found', 'The user has no goal with this code');
  return goal;
}

function refuseTakenCode(code: string, identification: string, { goals }: World): void {
  if (goals.get(code, identification) === undefined) return;
  throw new Refusal(400, 'Bad Request', 'The user already has a goal with this code');
}

function isWanted(goal: StoredGoal, { text }: QueryReader): boolean {
  const equals = (name: 'status' | 'assignment' | 'periodName' | 'type' | 'assignedTo') =>
    (text(name) ?? goal[name]) === goal[name];
  const isInside = (date: string, from: string, to: string) =>
    date >= (text(from) ?? date) && date <= (text(to) ?? date);
  return (
    goal.title.toLowerCase().includes((text('title') ?? '').toLowerCase()) &&
    (['status', 'assignment', 'periodName', 'type', 'assignedTo'] as const).every(equals) &&
    isInside(goal.startDate, 'startDateFrom', 'startDateTo') &&
    isInside(goal.endDate, 'endDateFrom', 'endDateTo')
  );
}

function showListedGoal(goal: StoredGoal): Record<string, unknown> {
  const { code, title, type, status, weighting, assignment, startDate, endDate, assignedTo } = goal;
  const { name, ...dates } = periodNamed(goal.periodName);
  return {
    ...{ code, title, type, status, weighting, assignment, startDate, endDate, assignedTo },
    creationDate: new Date(goal.createdAt).toISOString(),
    period: { name, description: `Year ${name}`, ...dates },
    scales: [{ name: 'Percent', description: 'Share done', details: '', min: 0, max: 100 }],
  };
}

function showGoal(goal: StoredGoal): Record<string, unknown> {
  return { ...showListedGoal(goal), description: goal.description, progress: 0 };
}

export const goalHandlers = {
  goal: read,
  goals: list,
  'create-goal': create,
  'update-goal': update,
  'delete-goal': remove,
} as const;
