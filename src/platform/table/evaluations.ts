import { z } from 'zod';
import { RatedTopic, UserSummary } from './people.ts';
import {
  epochMs,
  longId,
  manyResults,
  NumberedPage,
  oneResult,
  parameter,
  type Shown,
  shownFlag,
  shownId,
  shownNumber,
  shownText,
  shownTime,
  shownWord,
  sometimes,
} from './wire.ts';

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
