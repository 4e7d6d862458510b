import { z } from 'zod';
import { RatedTopic, UserSummary } from './users.ts';
import {
  CountedPage,
  calendarDate,
  epochMs,
  longId,
  manyResults,
  NumberedPage,
  oneResult,
  parameter,
  requiredText,
  type Shown,
  sentId,
  shownFlag,
  shownId,
  shownNumber,
  shownText,
  shownTime,
  shownWord,
  sometimes,
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

const Scale = z.looseObject({
  name: shownText,
  description: shownText,
  details: shownText,
  min: shownNumber,
  max: shownNumber,
});

/** Contract, "Goal". List items leave `description` and `progress` out; `locale` comes with update. */
export const Goal = z.looseObject({
  code: z.string(),
  title: shownText,
  description: sometimes(shownText),
  type: shownWord('TEAM', 'COMMUNITY'),
  status: shownText.describe('OPENED occurs; other values are not shown'),
  weighting: shownNumber,
  assignment: shownWord('INDIVIDUAL', 'SHARED'),
  startDate: shownText,
  endDate: shownText,
  progress: sometimes(shownNumber),
  assignedTo: shownText,
  creationDate: shownText.describe('ISO 8601, UTC, with milliseconds'),
  locale: sometimes(shownText),
  period: z
    .looseObject({ name: shownText, description: shownText, startDate: shownText, endDate: shownText })
    .nullish(),
  scales: z.array(Scale).nullish(),
});
export type Goal = Shown<z.infer<typeof Goal>>;

export const GoalAnswer = oneResult(Goal);
export const GoalListAnswer = manyResults(Goal, CountedPage);

/** Parameters of GET goals; dates are inclusive bounds. */
export const GoalListQuery = z.object({
  title: parameter(z.string(), 'title of the goal'),
  status: parameter(z.string(), 'status of the goal; OPENED occurs'),
  assignment: parameter(z.enum(['INDIVIDUAL', 'SHARED']), 'assignment of the goal'),
  periodName: parameter(z.string(), 'name of the period'),
  type: parameter(z.enum(['TEAM', 'COMMUNITY']), 'type of the goal; both when left out'),
  startDateFrom: parameter(calendarDate, 'starts on or after, YYYY-MM-DD'),
  startDateTo: parameter(calendarDate, 'starts on or before, YYYY-MM-DD'),
  endDateFrom: parameter(calendarDate, 'ends on or after, YYYY-MM-DD'),
  endDateTo: parameter(calendarDate, 'ends on or before, YYYY-MM-DD'),
  assignedTo: parameter(z.string(), 'identification of the assigned user'),
  pageNumber: parameter(z.int().min(0), 'number of the page, from 0', 0),
  pageSize: parameter(z.int().min(1), 'goals per page', 10),
  orderBy: parameter(z.string(), 'field to sort by', 'creationDate'),
  sort: parameter(z.string(), 'direction of the order, descending by default'),
});
export type GoalListQuery = z.infer<typeof GoalListQuery>;

const editable = {
  code: requiredText,
  title: requiredText,
  description: z.string().nullish(),
  weighting: z.number().positive(),
  startDate: calendarDate.nullish().describe('Inside the period; default its first day'),
  endDate: calendarDate.nullish().describe('Inside the period; default its last day'),
  periodName: z.string().nullish().describe('The current or a future period; default the active one'),
  locale: requiredText,
};

export const GoalPayload = z.object({
  ...editable,
  type: z.enum(['TEAM', 'COMMUNITY']),
  assignment: z.enum(['INDIVIDUAL', 'SHARED']),
  assignedTo: requiredText,
});
export type GoalPayload = z.infer<typeof GoalPayload>;

export const GoalUpdatePayload = z.object(editable);
export type GoalUpdatePayload = z.infer<typeof GoalUpdatePayload>;

/** Contract, "Evaluation". `ratedTopics` is absent in list items, `answer` is there only when answered. */
export const Evaluation = z.looseObject({
  id: longId,
  creationTime: shownTime,
  updateTime: shownTime,
  submissionTime: sometimes(shownTime.describe('epoch ms, once submitted')),
  dateTimeFrom: shownNumber,
  dateTimeTo: shownNumber,
  title: shownText,
  evaluator: UserSummary.nullish(),
  evaluee: UserSummary.nullish(),
  type: shownWord('EVALUATION'),
  ratedTopics: sometimes(z.array(RatedTopic).nullish()),
  score: z.looseObject({ message: shownText, value: shownNumber, manualScore: shownFlag }).nullish(),
  comment: shownText,
  answer: sometimes(z.looseObject({ approved: shownFlag, comment: shownText, creationTime: shownTime }).nullish()),
  period: z
    .looseObject({
      id: shownId,
      startTime: shownTime,
      endTime: shownTime,
      title: shownText,
      message: shownText,
      subPeriods: z.array(z.unknown()).nullish(),
    })
    .nullish(),
  status: shownWord('DRAFT', 'SUBMITTED'),
});
export type Evaluation = Shown<z.infer<typeof Evaluation>>;

export const EvaluationAnswer = oneResult(Evaluation);
export const EvaluationListAnswer = manyResults(Evaluation, NumberedPage);

/** Parameters of GET evaluations; times are inclusive bounds in epoch milliseconds. */
export const EvaluationListQuery = z.object({
  title: parameter(z.string(), 'title of the evaluation'),
  evaluatorIdentification: parameter(z.string(), 'identification of the evaluator'),
  evalueeIdentification: parameter(z.string(), 'identification of the evaluee'),
  status: parameter(z.enum(['DRAFT', 'SUBMITTED']), 'status'),
  creationTimeFrom: parameter(epochMs, 'created at or after, epoch ms'),
  creationTimeTo: parameter(epochMs, 'created at or before, epoch ms'),
  updateTimeFrom: parameter(epochMs, 'updated at or after, epoch ms'),
  updateTimeTo: parameter(epochMs, 'updated at or before, epoch ms'),
  submissionTimeFrom: parameter(epochMs, 'submitted at or after, epoch ms'),
  submissionTimeTo: parameter(epochMs, 'submitted at or before, epoch ms'),
  pageNumber: parameter(z.int().min(0), 'number of the page, from 0', 0),
  pageSize: parameter(z.int().min(1), 'evaluations per page', 10),
  sort: parameter(z.string(), 'property(asc|desc), ascending by default; separate several with commas'),
});
export type EvaluationListQuery = z.infer<typeof EvaluationListQuery>;
