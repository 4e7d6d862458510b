import { resultBy } from '../answer.ts';
import type { PlatformClient } from '../client.ts';
import { contractCall } from '../contract-call.ts';
import { idDigits } from '../long-id.ts';
import { Evaluation, EvaluationListAnswer, type EvaluationListQuery } from '../table/evaluations.ts';
import type { LongId, NumberedPage } from '../table/wire.ts';
import { openList, type PagedList } from './pages.ts';

type EvaluationWalk = Omit<EvaluationListQuery, 'pageNumber'>;

/**
 * Evaluations of the community (contract, "Evaluations"). The list is "GET /growth/public-api/v1/evaluations": its pages
 * are 0-based, and its items have no rated topics.
 */
export interface Evaluations extends PagedList<Evaluation, NumberedPage, EvaluationListQuery, EvaluationWalk> {
  /** Reads one evaluation with its rated topics (contract, "GET /growth/public-api/v1/evaluations/{id}"). */
  get(id: LongId, signal?: AbortSignal): Promise<Evaluation>;
}

/** Opens the evaluations part of the contract over one client. */
export function openEvaluations(client: PlatformClient): Evaluations {
  const list = openList<Evaluation, NumberedPage, EvaluationListQuery>(client, {
    id: 'evaluations',
    answer: EvaluationListAnswer,
    keyOf: ({ id }) => String(id),
    totalOf: ({ totalElements }) => totalElements,
  });
  return {
    ...list,
    async get(id, signal) {
      const params = { id: idDigits('evaluation', id) };
      return client.request(contractCall('evaluation', { params, answer: resultBy(Evaluation) }), signal);
    },
  };
}
