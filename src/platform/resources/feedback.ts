import { nothing, resultBy } from '../answer.ts';
import type { PlatformClient } from '../client.ts';
import { contractCall, jsonBody } from '../contract-call.ts';
import { idDigits, idNumber } from '../long-id.ts';
import {
  Feedback,
  type FeedbackDeclinePayload,
  FeedbackListAnswer,
  type FeedbackListQuery,
  type FeedbackPayload,
  type FeedbackRequestPayload,
} from '../table/feedback.ts';
import type { LongId, NumberedPage } from '../table/wire.ts';
import { openList, type PagedList } from './pages.ts';
import { checkedBody } from './request-body.ts';

/** Feedback to send. `feedbackRequestId` has all its digits, as a number or as text. */
export type FeedbackToSend = Omit<FeedbackPayload, 'feedbackRequestId'> & { feedbackRequestId?: LongId | null };

type FeedbackWalk = Omit<FeedbackListQuery, 'page'>;

/**
 * Feedback (contract, "Feedback"). The list is "GET /growth/public-api/v1/feedbacks": its pages are 0-based, and without
 * `creationTimeTo` there is no bound.
 */
export interface FeedbackApi extends PagedList<Feedback, NumberedPage, FeedbackListQuery, FeedbackWalk> {
  /**
   * Reads one feedback (contract, "GET /growth/public-api/v1/feedbacks/{id}"). Throws `PlatformError` 404 for an
   * unknown id.
   */
  get(id: LongId, signal?: AbortSignal): Promise<Feedback>;
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
  const list = openList<Feedback, NumberedPage, FeedbackListQuery>(client, {
    id: 'feedbacks',
    answer: FeedbackListAnswer,
    keyOf: ({ id }) => String(id),
    totalOf: ({ totalElements }) => totalElements,
  });
  return {
    ...list,
    async get(id, signal) {
      const params = { id: idDigits('feedback', id) };
      return client.request(contractCall('feedback', { params, answer: resultBy(Feedback) }), signal);
    },
    async request(request, signal) {
      const body = jsonBody(checkedBody('request-feedback', request));
      await client.request(contractCall('request-feedback', { body, answer: nothing }), signal);
    },
    async decline(requestId, decline, signal) {
      const body = jsonBody(checkedBody('decline-feedback', decline));
      const params = { 'feedback-request-id': idDigits('decline-feedback', requestId) };
      await client.request(contractCall('decline-feedback', { params, body, answer: nothing }), signal);
    },
    async send({ feedbackRequestId, ...payload }, signal) {
      const checked = checkedBody('send-feedback', payload);
      const answered = feedbackRequestId ?? undefined;
      const body = jsonBody(
        answered === undefined ? checked : { ...checked, feedbackRequestId: idNumber('send-feedback', answered) },
      );
      await client.request(contractCall('send-feedback', { body, answer: nothing }), signal);
    },
  };
}
