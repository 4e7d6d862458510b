import { nothing, resultBy } from '../answer.ts';
import type { PlatformClient } from '../client.ts';
import { contractCall, jsonBody } from '../contract-call.ts';
import { idDigits, idNumber } from '../long-id.ts';
import {
  Feedback,
  FeedbackDeclinePayload,
  FeedbackListAnswer,
  type FeedbackListQuery,
  FeedbackPayload,
  FeedbackRequestPayload,
} from '../schema/feedback.ts';
import type { LongId, NumberedPage } from '../schema/wire.ts';
import { type ListPage, openList } from './pages.ts';
import { checkedBody } from './request-body.ts';

/** Feedback to send. `feedbackRequestId` has all its digits, as a number or as text. */
export type FeedbackToSend = Omit<FeedbackPayload, 'feedbackRequestId'> & { feedbackRequestId?: LongId | null };

/** Feedback (contract, "Feedback"). */
export interface FeedbackApi {
  /**
   * Reads one feedback (contract, "GET /growth/public-api/v1/feedbacks/{id}"). Throws `PlatformError` 404 for an
   * unknown id.
   */
  get(id: LongId, signal?: AbortSignal): Promise<Feedback>;
  /**
   * Returns one page, 0-based (contract, "GET /growth/public-api/v1/feedbacks"). Without `creationTimeTo` there is no
   * bound.
   */
  page(query: FeedbackListQuery, signal?: AbortSignal): Promise<ListPage<Feedback, NumberedPage>>;
  /** Yields every page (the same operation), of 100 feedbacks by default. */
  pages(
    query: Omit<FeedbackListQuery, 'page'>,
    signal?: AbortSignal,
  ): AsyncGenerator<ListPage<Feedback, NumberedPage>, void>;
  /** Yields every matching feedback (the same operation). */
  list(query: Omit<FeedbackListQuery, 'page'>, signal?: AbortSignal): AsyncGenerator<Feedback, void>;
  /** Requests feedback (contract, "POST /growth/public-api/v1/feedback/requests"). The platform returns no id. */
  request(request: FeedbackRequestPayload, signal?: AbortSignal): Promise<void>;
  /** Declines a request (contract, "PUT /growth/public-api/v1/feedback-requests/{feedback-request-id}"). */
  decline(requestId: LongId, decline: FeedbackDeclinePayload, signal?: AbortSignal): Promise<void>;
  /**
   * Sends feedback (contract, "POST /growth/public-api/v1/feedbacks"). With `feedbackRequestId` the request counts as
   * answered.
   */
  send(feedback: FeedbackToSend, signal?: AbortSignal): Promise<void>;
}

/** Opens the feedback part of the contract over one client. */
export function openFeedback(client: PlatformClient): FeedbackApi {
  const { page, pages, items } = openList<Feedback, NumberedPage, FeedbackListQuery>(client, {
    id: 'feedbacks',
    answer: FeedbackListAnswer,
    keyOf: ({ id }) => String(id),
    totalOf: ({ totalElements }) => totalElements,
  });
  return {
    ...{ page, pages, list: items },
    async get(id, signal) {
      const params = { id: idDigits('feedback', id) };
      return client.request(contractCall('feedback', { params, answer: resultBy(Feedback) }), signal);
    },
    async request(request, signal) {
      const body = jsonBody(checkedBody('request-feedback', FeedbackRequestPayload, request));
      await client.request(contractCall('request-feedback', { body, answer: nothing }), signal);
    },
    async decline(requestId, decline, signal) {
      const body = jsonBody(checkedBody('decline-feedback', FeedbackDeclinePayload, decline));
      const params = { 'feedback-request-id': idDigits('decline-feedback', requestId) };
      await client.request(contractCall('decline-feedback', { params, body, answer: nothing }), signal);
    },
    async send({ feedbackRequestId, ...payload }, signal) {
      const checked = checkedBody('send-feedback', FeedbackPayload.omit({ feedbackRequestId: true }), payload);
      const answered = feedbackRequestId ?? undefined;
      const body = jsonBody(
        answered === undefined ? checked : { ...checked, feedbackRequestId: idNumber('send-feedback', answered) },
      );
      await client.request(contractCall('send-feedback', { body, answer: nothing }), signal);
    },
  };
}
