import { jsonBy, resultBy } from '../answer.ts';
import type { PlatformClient } from '../client.ts';
import { contractCall } from '../contract-call.ts';
import { idDigits } from '../long-id.ts';
import { Evaluation, EvaluationListAnswer, type EvaluationListQuery } from '../schema/evaluations.ts';
import type { LongId, NumberedPage } from '../schema/wire.ts';
import { everyItem, type ListPage } from './pages.ts';

/** Evaluations of the community (contract, "Evaluations"). List items have no rated topics. */
export interface Evaluations {
  /** Reads one evaluation with its rated topics (contract, "GET /growth/public-api/v1/evaluations/{id}"). */
  get(id: LongId, signal: AbortSignal): Promise<Evaluation>;
  /** Returns one page, 0-based (contract, "GET /growth/public-api/v1/evaluations"). */
  page(query: EvaluationListQuery, signal: AbortSignal): Promise<ListPage<Evaluation, NumberedPage>>;
  /** Yields every matching evaluation (the same operation). */
  list(
    query: Omit<EvaluationListQuery, 'pageNumber' | 'pageSize'>,
    signal: AbortSignal,
  ): AsyncGenerator<Evaluation, void>;
}

const paging = { first: 0, size: 100 } as const;

/** Opens the evaluations part of the contract over one client. */
export function openEvaluations(client: PlatformClient): Evaluations {
  const evaluations: Evaluations = {
    async get(id, signal) {
      const params = { id: idDigits('evaluation', id) };
      return client.request(contractCall('evaluation', { params, answer: resultBy(Evaluation) }), signal);
    },
    async page(query, signal) {
      const call = contractCall('evaluations', { query, answer: jsonBy(EvaluationListAnswer) });
      const { result, page } = await client.request(call, signal);
      return { items: result, total: page.totalElements, page };
    },
    list: (query, signal) =>
      everyItem(
        paging,
        (pageNumber) => evaluations.page({ ...query, pageNumber, pageSize: paging.size }, signal),
        ({ id }) => String(id),
      ),
  };
  return evaluations;
}
