import { jsonBy, nothing, resultBy } from '../answer.ts';
import type { PlatformClient } from '../client.ts';
import { contractCall, jsonBody } from '../contract-call.ts';
import {
  Feedback,
  FeedbackDeclinePayload,
  FeedbackListAnswer,
  type FeedbackListQuery,
  FeedbackPayload,
  FeedbackRequestPayload,
} from '../schema/feedback.ts';
import { everyItem, type ListPage } from './pages.ts';
import { checkedBody } from './request-body.ts';

/** Feedback (contract, "Feedback"). */
export interface FeedbackApi {
  get(id: number, signal: AbortSignal): Promise<Feedback>;
  /** One page, 0-based. An absent `creationTimeTo` is no bound. */
  page(query: FeedbackListQuery, signal: AbortSignal): Promise<ListPage<Feedback>>;
  /** Every feedback that fits. */
  list(query: Omit<FeedbackListQuery, 'page' | 'size'>, signal: AbortSignal): AsyncGenerator<Feedback, void>;
  request(request: FeedbackRequestPayload, signal: AbortSignal): Promise<void>;
  decline(requestId: number, decline: FeedbackDeclinePayload, signal: AbortSignal): Promise<void>;
  /** With `feedbackRequestId` the request counts as answered. */
  send(feedback: FeedbackPayload, signal: AbortSignal): Promise<void>;
}

const paging = { first: 0, size: 100 } as const;

export function openFeedback(client: PlatformClient): FeedbackApi {
  const feedback: FeedbackApi = {
    get: (id, signal) =>
      client.request(contractCall('feedback', { params: { id: String(id) }, answer: resultBy(Feedback) }), signal),
    async page(query, signal) {
      const call = contractCall('feedbacks', { query, answer: jsonBy(FeedbackListAnswer) });
      const { result, page } = await client.request(call, signal);
      return { items: result, total: page.totalElements };
    },
    list: (query, signal) =>
      everyItem(
        paging,
        (page) => feedback.page({ ...query, page, size: paging.size }, signal),
        ({ id }) => String(id),
      ),
    async request(request, signal) {
      const body = jsonBody(checkedBody('request-feedback', FeedbackRequestPayload, request));
      await client.request(contractCall('request-feedback', { body, answer: nothing }), signal);
    },
    async decline(requestId, decline, signal) {
      const body = jsonBody(checkedBody('decline-feedback', FeedbackDeclinePayload, decline));
      const params = { 'feedback-request-id': String(requestId) };
      await client.request(contractCall('decline-feedback', { params, body, answer: nothing }), signal);
    },
    async send(payload, signal) {
      const body = jsonBody(checkedBody('send-feedback', FeedbackPayload, payload));
      await client.request(contractCall('send-feedback', { body, answer: nothing }), signal);
    },
  };
  return feedback;
}
