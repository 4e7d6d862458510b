import type { PlatformClient } from './client.ts';
import { type Evaluations, openEvaluations } from './resources/evaluations.ts';
import { type FeedbackApi, openFeedback } from './resources/feedback.ts';
import { type Goals, openGoals } from './resources/goals.ts';
import { type ImportJob, openImportJob } from './resources/import-job.ts';
import { type Leaders, openLeaders } from './resources/leaders.ts';
import { openRoles, type Roles } from './resources/roles.ts';
import { openUserFiles, type UserFiles } from './resources/user-files.ts';
import { openUsers, type Users } from './resources/users.ts';

/** The whole contract, one member per part. Token calls are separate functions (`exchangeRefreshToken`). */
export interface PlatformApi {
  readonly users: Users;
  readonly userFiles: UserFiles;
  readonly importJob: ImportJob;
  readonly roles: Roles;
  readonly leaders: Leaders;
  readonly feedback: FeedbackApi;
  readonly goals: Goals;
  readonly evaluations: Evaluations;
}

/** Opens every part of the contract over one client. Lists read page by page, whatever their way of counting pages. */
export function openPlatformApi(client: PlatformClient): PlatformApi {
  return {
    users: openUsers(client),
    userFiles: openUserFiles(client),
    importJob: openImportJob(client),
    roles: openRoles(client),
    leaders: openLeaders(client),
    feedback: openFeedback(client),
    goals: openGoals(client),
    evaluations: openEvaluations(client),
  };
}
