import { FeedbackDeclinePayload, FeedbackPayload, FeedbackRequestPayload } from '../../platform/table/index.ts';
import { type Handler, knownUser, Refusal } from '../call.ts';
import { rateTopics } from '../growth/catalog.ts';
import type { FeedbackRequest, StoredFeedback } from '../growth/records.ts';
import { cutPage, describePage, querySource, readBody, readChoice, readId, readQuery } from '../parameters.ts';
import { summarizeUser } from '../people/show-user.ts';
import type { World } from '../world.ts';

/** The contract names no default for this list. */
const defaultSize = 10;

const read: Handler = (call, world) => {
  const feedback = world.feedback.get(readId(call.parameters.id));
  if (feedback === undefined) throw new Refusal(404, 'Not Found', 'There is no such feedback');
  return { body: { result: showFeedback(feedback, call.language, world) } };
};

const list: Handler = (call, world) => {
  const query = readQuery(call.operation, querySource(call.query));
  const number = query.number('page');
  const size = query.number('size', defaultSize);
  const from = query.number('creationTimeFrom');
  const to = query.number('creationTimeTo');
  const sort = readChoice(query, 'sort', ['id', 'creationTime', 'comment'], 'id');
  const sender = query.text('sender');
  const recipient = query.text('recipient');
  const found = world.feedback
    .all()
    .filter((entry) => sender === undefined || entry.sender === sender)
    .filter((entry) => recipient === undefined || entry.recipient === recipient)
    .filter(({ createdAt }) => createdAt >= from && (to === 0 || createdAt <= to))
    .sort((a, b) => compareDescending(a, b, sort === 'creationTime' ? 'createdAt' : sort));
  const result = cutPage(found, number, size).map((entry) => showFeedback(entry, call.language, world));
  return { body: { result, page: describePage(number, size, found.length, result.length) } };
};

const request: Handler = (call, world) => {
  const payload = readBody(FeedbackRequestPayload, call.body);
  const sender = knownUser(payload.sender, world).identification;
  const recipient = knownUser(payload.recipient, world).identification;
  world.feedback.request({ sender, recipient, comment: payload.comment, skills: payload.skills ?? [] });
  return {};
};

const decline: Handler = (call, world) => {
  const payload = readBody(FeedbackDeclinePayload, call.body);
  const open = openRequest(readId(call.parameters['feedback-request-id']), payload, world);
  if (!world.quirks.declineReasons.includes(payload.declineReasonId)) {
    throw new Refusal(400, 'Bad Request', 'declineReasonId is not in the catalog');
  }
  world.feedback.decline(open, payload.declineReasonId);
  return {};
};

const send: Handler = (call, world) => {
  const { sender, recipient, feedbackRequestId, feedback } = readBody(FeedbackPayload, call.body);
  knownUser(sender, world);
  knownUser(recipient, world);
  const answered = feedbackRequestId ? openRequest(Number(feedbackRequestId), { sender, recipient }, world) : undefined;
  const texts = [feedback?.comments, feedback?.strengths, feedback?.opportunities];
  world.feedback.send({ sender, recipient, createdAt: world.now(), comment: texts.filter(Boolean).join('\n') });
  if (answered !== undefined) world.feedback.answer(answered);
  return {};
};

/** Returns the open request between these two users, in either direction. */
function openRequest(id: number, people: { sender: string; recipient: string }, world: World): FeedbackRequest {
  const found = world.feedback.requestWith(id);
  if (found === undefined) throw new Refusal(404, 'Not Found', 'There is no such feedback request');
  const isTheirs =
    [found.sender, found.recipient].sort().join('\n') === [people.sender, people.recipient].sort().join('\n');
  if (!isTheirs) throw new Refusal(400, 'Bad Request', 'The feedback request is between other users');
  if (found.state !== 'open') throw new Refusal(400, 'Bad Request', `The feedback request is already ${found.state}`);
  return found;
}

function compareDescending(a: StoredFeedback, b: StoredFeedback, key: 'id' | 'createdAt' | 'comment'): number {
  if (a[key] === b[key]) return b.id - a.id;
  return a[key] < b[key] ? 1 : -1;
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

export const feedbackHandlers = {
  feedback: read,
  feedbacks: list,
  'request-feedback': request,
  'decline-feedback': decline,
  'send-feedback': send,
} as const;
