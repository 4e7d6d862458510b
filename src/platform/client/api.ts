import { contractCall } from './calls.ts';
import type { PlatformClient } from './client.ts';
import { type Methods, openMethods } from './methods.ts';
import { nothing } from './operation.ts';
import { openUserFiles, type UserFiles } from './user-files.ts';
import { openUsers, type Users } from './users.ts';

/** Leaders and collaborators (contract, "Leaders"). Pages are counted from 1. */
export interface Leaders extends Omit<Methods<'leaders'>, 'list'> {
  /** Yields every leader of a user. */
  list(identification: string, signal?: AbortSignal): ReturnType<Methods<'leaders'>['list']>;
}

/** The platform's own provisioning from a source defined there (contract, "PATCH admin/import-users-job"). */
export interface ImportJob {
  /** Starts the job. Resolves when the platform accepted the start (202), before the job is finished. */
  start(signal?: AbortSignal): Promise<void>;
}

/** The whole contract, one member per part. Token calls are separate functions (`exchangeRefreshToken`). */
export interface PlatformApi {
  readonly users: Users;
  readonly userFiles: UserFiles;
  readonly importJob: ImportJob;
  /** Community roles. `dialect.rolesToken` says whose token goes along. The contract does not show the fields of one role. */
  readonly roles: Methods<'roles'>;
  readonly leaders: Leaders;
  /** Feedback. Pages are counted from 0. Requesting feedback returns no id. */
  readonly feedback: Methods<'feedback'>;
  /** Goals, addressed by code and user. The list has no total: it ends on a short, an empty or a repeated page. */
  readonly goals: Methods<'goals'>;
  /** Evaluations. The items of the list have no rated topics. */
  readonly evaluations: Methods<'evaluations'>;
}

/** Opens every part of the contract over one client. Lists read page by page, whatever their way of counting pages. */
export function openPlatformApi(client: PlatformClient): PlatformApi {
  const leaders = openMethods(client, 'leaders');
  return {
    users: openUsers(client),
    userFiles: openUserFiles(client),
    importJob: { start: (signal) => client.request(contractCall('import-job', { answer: nothing }), signal) },
    roles: openMethods(client, 'roles'),
    leaders: { ...leaders, list: (identification, signal) => leaders.list(identification, {}, signal) },
    feedback: openMethods(client, 'feedback'),
    goals: openMethods(client, 'goals'),
    evaluations: openMethods(client, 'evaluations'),
  };
}
