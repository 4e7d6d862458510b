import type { OperationId } from '../../platform/table/index.ts';
import type { Handler } from '../call.ts';
import { evaluationHandlers } from './evaluations.ts';
import { feedbackHandlers } from './feedback.ts';
import { goalHandlers } from './goals.ts';
import { leaderHandlers } from './leaders.ts';
import { roleHandlers } from './roles.ts';
import { tokenHandlers } from './tokens.ts';
import { userFileHandlers } from './user-files.ts';
import { userHandlers } from './users.ts';

/** The handler of each operation of the contract. */
export const handlers: Readonly<Record<OperationId, Handler>> = {
  ...tokenHandlers,
  ...userHandlers,
  ...userFileHandlers,
  ...roleHandlers,
  ...leaderHandlers,
  ...feedbackHandlers,
  ...goalHandlers,
  ...evaluationHandlers,
};
