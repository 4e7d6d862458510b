import { nothing, resultBy } from '../answer.ts';
import type { PlatformClient } from '../client.ts';
import { contractCall, jsonBody } from '../contract-call.ts';
import { Goal, GoalListAnswer, type GoalListQuery, type GoalPayload, type GoalUpdatePayload } from '../table/goals.ts';
import type { CountedPage } from '../table/wire.ts';
import { openList, type PagedList } from './pages.ts';
import { checkedBody } from './request-body.ts';

type GoalWalk = Omit<GoalListQuery, 'pageNumber'>;

/**
 * Goals (contract, "Goals"). A goal is addressed by its code and the user it is assigned to. The list is "GET
 * /growth/public-api/v1/goals": its pages are 0-based, without a total. It ends on a short, an empty or a repeated page.
 */
export interface Goals extends PagedList<Goal, CountedPage, GoalListQuery, GoalWalk> {
  /** Reads one goal of a user (contract, "GET /growth/public-api/v1/goals/{code}/users/{identification}"). */
  get(key: GoalKey, signal?: AbortSignal): Promise<Goal>;
  /** Creates a goal (contract, "POST /growth/public-api/v2/goals"). */
  create(goal: GoalPayload, signal?: AbortSignal): Promise<void>;
  /** Updates a goal and returns it (contract, "PUT /growth/public-api/v1/goals/{code}/users/{identification}"). */
  update(key: GoalKey, goal: GoalUpdatePayload, signal?: AbortSignal): Promise<Goal>;
  /** Deletes a goal (contract, "DELETE /growth/public-api/v1/goals/{code}/users/{identification}"). */
  remove(key: GoalKey, signal?: AbortSignal): Promise<void>;
}

export interface GoalKey {
  readonly code: string;
  readonly identification: string;
}

/** Opens the goals part of the contract over one client. */
export function openGoals(client: PlatformClient): Goals {
  const list = openList<Goal, CountedPage, GoalListQuery>(client, {
    id: 'goals',
    answer: GoalListAnswer,
    keyOf: ({ code, assignedTo }) => `${code} ${assignedTo ?? ''}`,
    totalOf: () => undefined,
  });
  return {
    ...list,
    get: async (key, signal) =>
      client.request(contractCall('goal', { params: paramsOf(key), answer: resultBy(Goal) }), signal),
    async create(goal, signal) {
      const body = jsonBody(checkedBody('create-goal', goal));
      await client.request(contractCall('create-goal', { body, answer: nothing }), signal);
    },
    async update(key, goal, signal) {
      const body = jsonBody(checkedBody('update-goal', goal));
      return client.request(
        contractCall('update-goal', { params: paramsOf(key), body, answer: resultBy(Goal) }),
        signal,
      );
    },
    async remove(key, signal) {
      await client.request(contractCall('delete-goal', { params: paramsOf(key), answer: nothing }), signal);
    },
  };
}

function paramsOf({ code, identification }: GoalKey): Record<string, string> {
  return { code, identification };
}
