import { z } from 'zod';
import {
  CountedPage,
  calendarDate,
  manyResults,
  oneResult,
  parameter,
  requiredText,
  type Shown,
  shownNumber,
  shownText,
  shownWord,
  sometimes,
} from './wire.ts';

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
