import { isMapping } from '../../core/run/given.ts';
import {
  Evaluation,
  Feedback,
  FeedbackDeclinePayload,
  FeedbackPayload,
  FeedbackRequestPayload,
  Goal,
  GoalPayload,
  GoalUpdatePayload,
} from '../../platform/table/index.ts';
import { badRequest, type Call, type Handler, knownUser, Refusal } from '../call.ts';
import { choosePeriod, fitDates, periodNamed, rateTopics } from '../growth/catalog.ts';
import {
  append,
  type FeedbackRequest,
  type StoredEvaluation,
  type StoredFeedback,
  type StoredGoal,
} from '../growth/records.ts';
import { cutPage, describePage, type QueryReader, readBody, readId, readQuery } from '../parameters.ts';
import { summarizeUser } from '../people/show-user.ts';
import type { World } from '../world.ts';

/* ---- feedback ---- */

/** The contract names no default for this list. */
const defaultSize = 10;

const readFeedback: Handler = (call, world) => {
  const id = readId(call.parameters.id);
  const feedback = world.feedback.find((entry) => entry.id === id);
  if (feedback === undefined) throw new Refusal(404, 'Not Found', 'There is no such feedback');
  return { body: { result: showFeedback(feedback, call.language, world) } };
};

const listFeedback: Handler = (call, world) => {
  const query = readQuery(call);
  const number = query.number('page');
  const size = query.number('size', defaultSize);
  const from = query.number('creationTimeFrom');
  const to = query.number('creationTimeTo');
  const sort = query.text('sort') ?? 'id';
  const show = (entry: StoredFeedback) => showFeedback(entry, call.language, world);
  const sender = query.text('sender');
  const recipient = query.text('recipient');
  const found = world.feedback
    .filter((entry) => sender === undefined || entry.sender === sender)
    .filter((entry) => recipient === undefined || entry.recipient === recipient)
    .filter(({ createdAt }) => createdAt >= from && (to === 0 || createdAt <= to))
    .map(show);
  const sorted = sortedBy(found, [{ name: sort, sign: -1 }], Feedback.shape);
  const result = cutPage(sorted, number, size);
  return { body: { result, page: describePage(number, size, found.length, result.length) } };
};

const requestFeedback: Handler = (call, world) => {
  const payload = readBody(FeedbackRequestPayload, call.body);
  const sender = knownUser(payload.sender, world).identification;
  const recipient = knownUser(payload.recipient, world).identification;
  append(world.feedbackRequests, {
    sender,
    recipient,
    comment: payload.comment,
    skills: payload.skills ?? [],
    state: 'open',
  });
  return {};
};

const declineFeedback: Handler = (call, world) => {
  const payload = readBody(FeedbackDeclinePayload, call.body);
  const open = openRequest(readId(call.parameters['feedback-request-id']), payload, world);
  if (!world.quirks.declineReasons.includes(payload.declineReasonId)) {
    throw badRequest('declineReasonId is not in the catalog');
  }
  Object.assign(open, { state: 'declined', declineReasonId: payload.declineReasonId });
  return {};
};

const sendFeedback: Handler = (call, world) => {
  const { sender, recipient, feedbackRequestId, feedback } = readBody(FeedbackPayload, call.body);
  knownUser(sender, world);
  knownUser(recipient, world);
  const isAnswer = feedbackRequestId !== undefined && feedbackRequestId !== null;
  const answered = isAnswer ? openRequest(Number(feedbackRequestId), { sender, recipient }, world) : undefined;
  const texts = [feedback?.comments, feedback?.strengths, feedback?.opportunities];
  append(world.feedback, { sender, recipient, createdAt: world.now(), comment: texts.filter(Boolean).join('\n') });
  if (answered !== undefined) answered.state = 'answered';
  return {};
};

/** Returns the open request between these two users, in either direction. */
function openRequest(id: number, people: { sender: string; recipient: string }, world: World): FeedbackRequest {
  const found = world.feedbackRequests.find((request) => request.id === id);
  if (found === undefined) throw new Refusal(404, 'Not Found', 'There is no such feedback request');
  const isTheirs =
    [found.sender, found.recipient].sort().join('\n') === [people.sender, people.recipient].sort().join('\n');
  if (!isTheirs) throw badRequest('The feedback request is between other users');
  if (found.state !== 'open') throw badRequest(`The feedback request is already ${found.state}`);
  return found;
}

type Shown = Readonly<Record<string, unknown>>;

interface Criterion {
  readonly name: string;
  readonly sign: 1 | -1;
}

/** Sorts records as they are shown by any of their members, and those that are equal by id. */
function sortedBy(records: readonly Shown[], criteria: readonly Criterion[], shape: Shown): Shown[] {
  const unknown = criteria.find(({ name }) => !Object.hasOwn(shape, name));
  if (unknown !== undefined)
    throw badRequest(`${unknown.name} is no field to sort by: ${Object.keys(shape).join(', ')}`);
  const all = [...criteria, { name: 'id', sign: criteria[0]?.sign ?? 1 } as const];
  return records.toSorted((a, b) => {
    for (const { name, sign } of all) {
      const [one, other] = [sortKey(a[name]), sortKey(b[name])];
      if (one !== other) return one < other ? -sign : sign;
    }
    return 0;
  });
}

/** The value of a member; of a person the identification, of a score its value. What is absent comes first. */
function sortKey(value: unknown): string | number {
  if (typeof value === 'number' || typeof value === 'string') return value;
  if (!isMapping(value)) return value === true ? 1 : 0;
  return sortKey(value.identification ?? value.value ?? value.name ?? value.id ?? value.creationTime);
}

function showFeedback(feedback: StoredFeedback, language: string, { directory }: World): Record<string, unknown> {
  return {
    id: feedback.id,
    sender: summarizeUser(feedback.sender, directory),
    recipient: summarizeUser(feedback.recipient, directory),
    ratedTopics: rateTopics(feedback.id, language, 'imageCode'),
    totalMessages: 1,
    creationTime: feedback.createdAt,
    community: { id: 1, name: 'Sandbox' },
    comment: feedback.comment,
  };
}

/* ---- goals ---- */

const readGoal: Handler = (call, world) => ({ body: { result: showGoal(knownGoal(call, world)) } });

const listGoals: Handler = (call, { goals }) => {
  const query = readQuery(call);
  const pageNumber = query.number('pageNumber');
  const pageSize = query.number('pageSize');
  const criterion = {
    name: query.text('orderBy') ?? 'creationDate',
    sign: query.text('sort')?.toLowerCase() === 'asc' ? 1 : -1,
  } as const;
  const found = goals
    .all()
    .filter((goal) => isWantedGoal(goal, query))
    .map(showListedGoal);
  const result = cutPage(sortedBy(found, [criterion], Goal.shape), pageNumber, pageSize);
  return { body: { result, page: { numberElements: result.length } } };
};

const createGoal: Handler = (call, world) => {
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

const updateGoal: Handler = (call, world) => {
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

const deleteGoal: Handler = (call, world) => {
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
  throw badRequest('The user already has a goal with this code');
}

function isWantedGoal(goal: StoredGoal, { text }: QueryReader): boolean {
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

/* ---- evaluations ---- */

const readEvaluation: Handler = (call, world) => {
  const id = readId(call.parameters.id);
  const found = world.evaluations.find(({ id: known }) => known === id);
  if (found === undefined) throw new Refusal(404, 'Not Found', 'There is no such evaluation');
  const ratedTopics = rateTopics(found.id, call.language, 'ratedTopicImage');
  return { body: { result: { ...showEvaluation(found, world), ratedTopics } } };
};

/** Contract: list items come without `ratedTopics`. */
const listEvaluations: Handler = (call, world) => {
  const query = readQuery(call);
  const number = query.number('pageNumber');
  const size = query.number('pageSize');
  const criteria = readSort(call.query.getAll('sort'));
  const found = world.evaluations.filter(readFilter(query)).map((entry) => showEvaluation(entry, world));
  const result = cutPage(sortedBy(found, criteria, Evaluation.shape), number, size);
  return { body: { result, page: describePage(number, size, found.length, result.length) } };
};

function readFilter(query: QueryReader): (entry: StoredEvaluation) => boolean {
  const { text } = query;
  const status = text('status');
  const bounds = (name: string) => ({
    from: query.number(`${name}From`, Number.NEGATIVE_INFINITY),
    to: query.number(`${name}To`, Number.POSITIVE_INFINITY),
    isSet: text(`${name}From`) !== undefined || text(`${name}To`) !== undefined,
  });
  const ranges = [
    { ...bounds('creationTime'), of: (entry: StoredEvaluation) => entry.createdAt },
    { ...bounds('updateTime'), of: (entry: StoredEvaluation) => entry.updatedAt },
    { ...bounds('submissionTime'), of: (entry: StoredEvaluation) => entry.submittedAt },
  ].filter(({ isSet }) => isSet);
  return (entry) =>
    entry.title.toLowerCase().includes((text('title') ?? '').toLowerCase()) &&
    entry.evaluator === (text('evaluatorIdentification') ?? entry.evaluator) &&
    entry.evaluee === (text('evalueeIdentification') ?? entry.evaluee) &&
    (status === undefined || statusOf(entry) === status) &&
    ranges.every(({ from, to, of }) => {
      const at = of(entry);
      return at !== undefined && at >= from && at <= to;
    });
}

/** Parses `property(asc|desc)`, separated by commas or repeated; ascending without a direction. */
function readSort(texts: readonly string[]): readonly Criterion[] {
  return texts
    .flatMap((text) => text.split(','))
    .map((text) => {
      const { name, direction } = /^(?<name>\w+)(?:\((?<direction>asc|desc)\))?$/i.exec(text.trim())?.groups ?? {};
      if (name === undefined) throw badRequest('sort must be property(asc|desc)');
      return { name, sign: direction?.toLowerCase() === 'desc' ? -1 : 1 };
    });
}

function statusOf(entry: StoredEvaluation): 'DRAFT' | 'SUBMITTED' {
  return entry.submittedAt === undefined ? 'DRAFT' : 'SUBMITTED';
}

function showEvaluation(entry: StoredEvaluation, { directory }: World): Record<string, unknown> {
  const year = new Date(entry.createdAt).getUTCFullYear();
  const startTime = Date.UTC(year, 0, 1);
  const endTime = Date.UTC(year + 1, 0, 1) - 1;
  return {
    id: entry.id,
    creationTime: entry.createdAt,
    updateTime: entry.updatedAt,
    ...(entry.submittedAt === undefined ? {} : { submissionTime: entry.submittedAt }),
    dateTimeFrom: startTime,
    dateTimeTo: endTime,
    title: entry.title,
    evaluator: summarizeUser(entry.evaluator, directory),
    evaluee: summarizeUser(entry.evaluee, directory),
    type: 'EVALUATION',
    score: { message: `${entry.score} of 5`, value: entry.score, manualScore: false },
    comment: entry.comment,
    ...(entry.isAnswered ? { answer: { approved: true, comment: 'Agreed', creationTime: entry.updatedAt } } : {}),
    period: { id: year, startTime, endTime, title: String(year), message: '', subPeriods: [] },
    status: statusOf(entry),
  };
}

export const growthHandlers = {
  feedback: readFeedback,
  feedbacks: listFeedback,
  'request-feedback': requestFeedback,
  'decline-feedback': declineFeedback,
  'send-feedback': sendFeedback,
  goal: readGoal,
  goals: listGoals,
  'create-goal': createGoal,
  'update-goal': updateGoal,
  'delete-goal': deleteGoal,
  evaluation: readEvaluation,
  evaluations: listEvaluations,
} as const;
