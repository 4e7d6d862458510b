import { z } from 'zod';
import { RatedTopic, UserSummary } from './people.ts';
import { epochMs, manyResults, NumberedPage, oneResult, shownFlag, shownNumber, shownText } from './wire.ts';

/** Contract, "Evaluation". `ratedTopics` is absent in list items, `answer` is there only when answered. */
export const Evaluation = z.looseObject({
  id: z.number(),
  creationTime: shownNumber,
  updateTime: shownNumber,
  submissionTime: shownNumber,
  dateTimeFrom: shownNumber,
  dateTimeTo: shownNumber,
  title: shownText,
  evaluator: UserSummary.nullish(),
  evaluee: UserSummary.nullish(),
  /** Only `EVALUATION` occurs. */
  type: shownText,
  ratedTopics: z.array(RatedTopic).nullish(),
  score: z.looseObject({ message: shownText, value: shownNumber, manualScore: shownFlag }).nullish(),
  comment: shownText,
  answer: z.looseObject({ approved: shownFlag, comment: shownText, creationTime: shownNumber }).nullish(),
  period: z
    .looseObject({
      id: shownNumber,
      startTime: shownNumber,
      endTime: shownNumber,
      title: shownText,
      message: shownText,
      subPeriods: z.array(z.unknown()).nullish(),
    })
    .nullish(),
  /** `DRAFT` or `SUBMITTED`. */
  status: shownText,
});
export type Evaluation = z.infer<typeof Evaluation>;

export const EvaluationAnswer = oneResult(Evaluation);
export const EvaluationListAnswer = manyResults(Evaluation, NumberedPage);

/** Parameters of GET evaluations; times are inclusive bounds in epoch milliseconds. */
export const EvaluationListQuery = z.object({
  title: z.string().optional(),
  evaluatorIdentification: z.string().optional(),
  evalueeIdentification: z.string().optional(),
  status: z.enum(['DRAFT', 'SUBMITTED']).optional(),
  creationTimeFrom: epochMs.optional(),
  creationTimeTo: epochMs.optional(),
  updateTimeFrom: epochMs.optional(),
  updateTimeTo: epochMs.optional(),
  submissionTimeFrom: epochMs.optional(),
  submissionTimeTo: epochMs.optional(),
  /** From 0. */
  pageNumber: z.int().min(0).optional(),
  pageSize: z.int().min(1).optional(),
  /** `property(asc|desc)`, several separated by commas. */
  sort: z.string().optional(),
});
export type EvaluationListQuery = z.infer<typeof EvaluationListQuery>;
