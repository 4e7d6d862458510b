import { z } from 'zod';
import { RatedTopic, UserSummary } from './people.ts';
import {
  epochMs,
  longId,
  manyResults,
  NumberedPage,
  oneResult,
  parameter,
  requiredText,
  type Shown,
  sentId,
  shownId,
  shownNumber,
  shownText,
  shownTime,
} from './wire.ts';

/** Contract, "Feedback". */
export const Feedback = z.looseObject({
  id: longId,
  sender: UserSummary.nullish(),
  recipient: UserSummary.nullish(),
  ratedTopics: z.array(RatedTopic).nullish(),
  totalMessages: shownNumber,
  creationTime: shownTime,
  community: z.looseObject({ id: shownId, name: shownText }).nullish(),
  comment: shownText,
});
export type Feedback = Shown<z.infer<typeof Feedback>>;

export const FeedbackAnswer = oneResult(Feedback);
export const FeedbackListAnswer = manyResults(Feedback, NumberedPage);

/** Parameters of GET feedbacks; an upper bound of 0 (the default) is taken as no bound. */
export const FeedbackListQuery = z.object({
  sender: parameter(z.string(), 'identification of the sender'),
  recipient: parameter(z.string(), 'identification of the recipient'),
  creationTimeFrom: parameter(epochMs, 'created at or after, epoch ms', 0),
  creationTimeTo: parameter(epochMs, 'created at or before, epoch ms; 0 means no bound', 0),
  page: parameter(z.int().min(0), 'number of the page, from 0', 0),
  size: parameter(z.int().min(1), 'feedback per page'),
  sort: parameter(z.string(), 'field to sort by, descending', 'id'),
});
export type FeedbackListQuery = z.infer<typeof FeedbackListQuery>;

export const FeedbackRequestPayload = z.object({
  sender: requiredText,
  recipient: requiredText,
  comment: z.string(),
  skills: z.array(z.string()).nullish().describe('Skill name codes'),
});
export type FeedbackRequestPayload = z.infer<typeof FeedbackRequestPayload>;

export const FeedbackDeclinePayload = z.object({
  sender: requiredText,
  recipient: requiredText,
  declineReasonId: z.int(),
});
export type FeedbackDeclinePayload = z.infer<typeof FeedbackDeclinePayload>;

export const FeedbackPayload = z.object({
  sender: requiredText,
  recipient: requiredText,
  feedbackRequestId: sentId.nullish().describe('When given, that request counts as answered'),
  feedback: z
    .object({
      comments: z.string().nullish(),
      strengths: z.string().nullish(),
      opportunities: z.string().nullish(),
      competences: z.array(z.unknown()).nullish().describe('Shape of the elements is not shown'),
    })
    .nullish(),
});
export type FeedbackPayload = z.infer<typeof FeedbackPayload>;
