import { jsonBy, nothing } from '../answer.ts';
import type { PlatformClient } from '../client.ts';
import { contractCall, jsonBody } from '../contract-call.ts';
import { type LeaderLinks, LeaderListAnswer, type LeaderListQuery, type LeaderRecord } from '../table/leaders.ts';
import { type TotalPage, Unshown } from '../table/wire.ts';
import { type ListPage, openList } from './pages.ts';
import { checkedBody } from './request-body.ts';

/** Leaders and collaborators (contract, "Leaders"). */
export interface Leaders {
  /**
   * Returns one page (contract, "GET /growth/public-api/v1/users/{identification}/leaders"). `pageNumber` starts at
   * 1.
   */
  page(
    identification: string,
    query: LeaderListQuery,
    signal?: AbortSignal,
  ): Promise<ListPage<LeaderRecord, TotalPage>>;
  /** Yields every page (the same operation), of 100 leaders by default. */
  pages(
    identification: string,
    query?: Omit<LeaderListQuery, 'pageNumber'>,
    signal?: AbortSignal,
  ): AsyncGenerator<ListPage<LeaderRecord, TotalPage>, void>;
  /** Yields every leader of a user (the same operation). */
  list(identification: string, signal?: AbortSignal): AsyncGenerator<LeaderRecord, void>;
  /**
   * Lists the collaborators of a user (contract, "GET /growth/public-api/v1/users/{identification}/collaborators").
   * The contract does not show the body, so it is returned unchanged.
   */
  collaborators(identification: string, signal?: AbortSignal): Promise<unknown>;
  /** Adds leaders (contract, "POST /os-api/public-api/v1/leaders"). Null and absent ones are not set. */
  add(links: LeaderLinks, signal?: AbortSignal): Promise<void>;
  /** Removes leaders (contract, "DELETE /os-api/public-api/v1/leaders"). Null and absent ones are not removed. */
  remove(links: LeaderLinks, signal?: AbortSignal): Promise<void>;
}

/** Opens the leaders part of the contract over one client. */
export function openLeaders(client: PlatformClient): Leaders {
  const leadersOf = (identification: string) =>
    openList<LeaderRecord, TotalPage, LeaderListQuery>(client, {
      id: 'leaders',
      answer: LeaderListAnswer,
      keyOf: (leader) => leader.identification,
      totalOf: ({ totalElements }) => totalElements,
      details: (query) => ({ params: { identification }, query }),
    });
  return {
    page: (identification, query, signal) => leadersOf(identification).page(query, signal),
    pages: (identification, query = {}, signal) => leadersOf(identification).pages(query, signal),
    list: (identification, signal) => leadersOf(identification).list({}, signal),
    collaborators: async (identification, signal) =>
      client.request(contractCall('collaborators', { params: { identification }, answer: jsonBy(Unshown) }), signal),
    async add(links, signal) {
      const body = jsonBody(checkedBody('add-leaders', links));
      await client.request(contractCall('add-leaders', { body, answer: nothing }), signal);
    },
    async remove(links, signal) {
      const body = jsonBody(checkedBody('remove-leaders', links));
      await client.request(contractCall('remove-leaders', { body, answer: nothing }), signal);
    },
  };
}
