import { resultBy } from '../answer.ts';
import type { PlatformClient } from '../client.ts';
import { contractCall } from '../contract-call.ts';
import { idDigits } from '../long-id.ts';
import { Evaluation, EvaluationListAnswer, type EvaluationListQuery } from '../schema/evaluations.ts';
import type { LongId, NumberedPage } from '../schema/wire.ts';
import { type ListPage, openList } from './pages.ts';

/** Evaluations of the community (contract, "Evaluations"). List items have no rated topics. */
export interface Evaluations {
  /** Reads one evaluation with its rated topics (contract, "GET /growth/public-api/v1/evaluations/{id}"). */
  get(id: LongId, signal?: AbortSignal): Promise<Evaluation>;
  /** Returns one page, 0-based (contract, "GET /growth/public-api/v1/evaluations"). */
  page(query: EvaluationListQuery, signal?: AbortSignal): Promise<ListPage<Evaluation, NumberedPage>>;
  /** Yields every page (the same operation), of 100 evaluations by default. */
  pages(
    query: Omit<EvaluationListQuery, 'pageNumber'>,
    signal?: AbortSignal,
  ): AsyncGenerator<ListPage<Evaluation, NumberedPage>, void>;
  /** Yields every matching evaluation (the same operation). */
  list(query: Omit<EvaluationListQuery, 'pageNumber'>, signal?: AbortSignal): AsyncGenerator<Evaluation, void>;
}

/** Opens the evaluations part of the contract over one client. */
export function openEvaluations(client: PlatformClient): Evaluations {
  const { page, pages, items } = openList<Evaluation, NumberedPage, EvaluationListQuery>(client, {
    id: 'evaluations',
    answer: EvaluationListAnswer,
    keyOf: ({ id }) => String(id),
    totalOf: ({ totalElements }) => totalElements,
  });
  return {
    ...{ page, pages, list: items },
    async get(id, signal) {
      const params = { id: idDigits('evaluation', id) };
      return client.request(contractCall('evaluation', { params, answer: resultBy(Evaluation) }), signal);
    },
  };
}
