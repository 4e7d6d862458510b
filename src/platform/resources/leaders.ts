import { type ZodType, z } from 'zod';
import { jsonBy, nothing } from '../answer.ts';
import type { PlatformClient } from '../client.ts';
import { contractCall, jsonBody } from '../contract-call.ts';
import { LeaderLinks, LeaderListAnswer, type LeaderRecord } from '../schema/leaders.ts';
import type { TotalPage } from '../schema/wire.ts';
import { everyItem, type ListPage } from './pages.ts';
import { checkedBody } from './request-body.ts';

/** Leaders and collaborators (contract, "Leaders"). */
export interface Leaders {
  /**
   * Returns one page (contract, "GET /growth/public-api/v1/users/{identification}/leaders"). `pageNumber` starts at
   * 1.
   */
  page(
    identification: string,
    query: { pageNumber?: number; pageSize?: number },
    signal: AbortSignal,
  ): Promise<ListPage<LeaderRecord, TotalPage>>;
  /** Yields every leader of a user (the same operation). */
  list(identification: string, signal: AbortSignal): AsyncGenerator<LeaderRecord, void>;
  /**
   * Lists the collaborators of a user (contract, "GET /growth/public-api/v1/users/{identification}/collaborators").
   * The contract does not show the body, so it is returned unchanged.
   */
  collaborators(identification: string, signal: AbortSignal): Promise<unknown>;
  /** Adds leaders (contract, "POST /os-api/public-api/v1/leaders"). Null and absent ones are not set. */
  add(links: LeaderLinks, signal: AbortSignal): Promise<void>;
  /** Removes leaders (contract, "DELETE /os-api/public-api/v1/leaders"). Null and absent ones are not removed. */
  remove(links: LeaderLinks, signal: AbortSignal): Promise<void>;
}

const unshown: ZodType<unknown> = z.unknown();
const paging = { first: 1, size: 100 } as const;

/** Opens the leaders part of the contract over one client. */
export function openLeaders(client: PlatformClient): Leaders {
  const leaders: Leaders = {
    async page(identification, query, signal) {
      const call = contractCall('leaders', { params: { identification }, query, answer: jsonBy(LeaderListAnswer) });
      const { result, page } = await client.request(call, signal);
      return { items: result, total: page.totalElements, page };
    },
    list: (identification, signal) =>
      everyItem(
        paging,
        (pageNumber) => leaders.page(identification, { pageNumber, pageSize: paging.size }, signal),
        (leader) => leader.identification,
      ),
    collaborators: async (identification, signal) =>
      client.request(contractCall('collaborators', { params: { identification }, answer: jsonBy(unshown) }), signal),
    async add(links, signal) {
      const body = jsonBody(checkedBody('add-leaders', LeaderLinks, links));
      await client.request(contractCall('add-leaders', { body, answer: nothing }), signal);
    },
    async remove(links, signal) {
      const body = jsonBody(checkedBody('remove-leaders', LeaderLinks, links));
      await client.request(contractCall('remove-leaders', { body, answer: nothing }), signal);
    },
  };
  return leaders;
}
