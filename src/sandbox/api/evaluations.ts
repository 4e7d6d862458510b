import { type Handler, Refusal } from '../call.ts';
import { rateTopics } from '../growth/catalog.ts';
import type { StoredEvaluation } from '../growth/records.ts';
import { cutPage, describePage, type QueryReader, querySource, readId, readQuery } from '../parameters.ts';
import { summarizeUser } from '../people/show-user.ts';
import type { World } from '../world.ts';

const sortable = {
  id: (entry: StoredEvaluation) => entry.id,
  title: (entry: StoredEvaluation) => entry.title,
  creationTime: (entry: StoredEvaluation) => entry.createdAt,
  updateTime: (entry: StoredEvaluation) => entry.updatedAt,
  submissionTime: (entry: StoredEvaluation) => entry.submittedAt ?? 0,
  status: (entry: StoredEvaluation) => statusOf(entry),
} as const;

const read: Handler = (call, world) => {
  const id = readId(call.parameters.id);
  const found = world.evaluations.find(({ id: known }) => known === id);
  if (found === undefined) throw new Refusal(404, 'Not Found', 'There is no such evaluation');
  const ratedTopics = rateTopics(found.id, call.language, 'ratedTopicImage');
  return { body: { result: { ...showEvaluation(found, world), ratedTopics } } };
};

/** Contract: list items come without `ratedTopics`. */
const list: Handler = (call, world) => {
  const query = readQuery(call.operation, querySource(call.query));
  const number = query.number('pageNumber');
  const size = query.number('pageSize');
  const compare = readSort(call.query.getAll('sort'));
  const isWanted = readFilter(query);
  const found = world.evaluations.filter(isWanted).sort(compare);
  const result = cutPage(found, number, size).map((entry) => showEvaluation(entry, world));
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
    { ...bounds('creationTime'), of: sortable.creationTime },
    { ...bounds('updateTime'), of: sortable.updateTime },
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
function readSort(texts: readonly string[]): (a: StoredEvaluation, b: StoredEvaluation) => number {
  const criteria = texts.flatMap((text) => text.split(',')).map((text) => readCriterion(text.trim()));
  return (a, b) => {
    for (const { keyOf, sign } of criteria) {
      if (keyOf(a) !== keyOf(b)) return keyOf(a) < keyOf(b) ? -sign : sign;
    }
    return a.id - b.id;
  };
}

function readCriterion(text: string) {
  const parts = /^(?<property>\w+)(?:\((?<direction>asc|desc)\))?$/i.exec(text)?.groups;
  const property = (Object.keys(sortable) as (keyof typeof sortable)[]).find((name) => name === parts?.property);
  if (parts === undefined || property === undefined) {
    const allowed = Object.keys(sortable).join(', ');
    throw new Refusal(400, 'Bad Request', `sort must be property(asc|desc); properties are ${allowed}`);
  }
  return { keyOf: sortable[property], sign: parts.direction?.toLowerCase() === 'desc' ? -1 : 1 };
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

export const evaluationHandlers = { evaluation: read, evaluations: list } as const;
