import { z } from 'zod';
import { CountedPage, calendarDate, manyResults, oneResult, requiredText, shownNumber, shownText } from './wire.ts';

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
  description: shownText,
  /** `TEAM` or `COMMUNITY`. */
  type: shownText,
  /** `OPENED` occurs; other values are not shown. */
  status: shownText,
  weighting: shownNumber,
  /** `INDIVIDUAL` or `SHARED`. */
  assignment: shownText,
  startDate: shownText,
  endDate: shownText,
  progress: shownNumber,
  assignedTo: shownText,
  /** ISO 8601, UTC, with milliseconds. */
  creationDate: shownText,
  locale: shownText,
  period: z
    .looseObject({ name: shownText, description: shownText, startDate: shownText, endDate: shownText })
    .nullish(),
  scales: z.array(Scale).nullish(),
});
export type Goal = z.infer<typeof Goal>;

export const GoalAnswer = oneResult(Goal);
export const GoalListAnswer = manyResults(Goal, CountedPage);

export const goalSortKeys = ['creationDate', 'code', 'title', 'startDate', 'endDate', 'weighting', 'status'] as const;

/** Parameters of GET goals; dates are inclusive bounds. */
export const GoalListQuery = z.object({
  title: z.string().optional(),
  status: z.string().optional(),
  assignment: z.string().optional(),
  periodName: z.string().optional(),
  type: z.string().optional(),
  startDateFrom: z.string().optional(),
  startDateTo: z.string().optional(),
  endDateFrom: z.string().optional(),
  endDateTo: z.string().optional(),
  assignedTo: z.string().optional(),
  pageNumber: z.int().min(0).optional(),
  pageSize: z.int().min(1).optional(),
  orderBy: z.string().optional(),
  sort: z.string().optional(),
});
export type GoalListQuery = z.infer<typeof GoalListQuery>;

const editable = {
  code: requiredText,
  title: requiredText,
  description: z.string().nullish(),
  weighting: z.number().positive(),
  /** Inside the period; default its first day. */
  startDate: calendarDate.nullish(),
  /** Inside the period; default its last day. */
  endDate: calendarDate.nullish(),
  /** The current or a future period; default the active one. */
  periodName: z.string().nullish(),
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
