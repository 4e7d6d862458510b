import { jsonBy, resultBy } from '../answer.ts';
import type { PlatformClient } from '../client.ts';
import { contractCall } from '../contract-call.ts';
import { Evaluation, EvaluationListAnswer, type EvaluationListQuery } from '../schema/evaluations.ts';
import { everyItem, type ListPage } from './pages.ts';

/** Evaluations of the community (contract, "Evaluations"). List items come without rated topics. */
export interface Evaluations {
  get(id: number, signal: AbortSignal): Promise<Evaluation>;
  /** One page, 0-based. */
  page(query: EvaluationListQuery, signal: AbortSignal): Promise<ListPage<Evaluation>>;
  /** Every evaluation that fits. */
  list(
    query: Omit<EvaluationListQuery, 'pageNumber' | 'pageSize'>,
    signal: AbortSignal,
  ): AsyncGenerator<Evaluation, void>;
}

const paging = { first: 0, size: 100 } as const;

export function openEvaluations(client: PlatformClient): Evaluations {
  const evaluations: Evaluations = {
    get: (id, signal) =>
      client.request(contractCall('evaluation', { params: { id: String(id) }, answer: resultBy(Evaluation) }), signal),
    async page(query, signal) {
      const call = contractCall('evaluations', { query, answer: jsonBy(EvaluationListAnswer) });
      const { result, page } = await client.request(call, signal);
      return { items: result, total: page.totalElements };
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
