import { nothing } from '../answer.ts';
import type { PlatformClient } from '../client.ts';
import { contractCall } from '../contract-call.ts';

/** The platform's own provisioning from a source defined there (contract, "PATCH admin/import-users-job"). */
export interface ImportJob {
  /** Starts it. Resolves when the platform accepted the start (202): the job itself is not finished then. */
  start(signal: AbortSignal): Promise<void>;
}

export function openImportJob(client: PlatformClient): ImportJob {
  return { start: (signal) => client.request(contractCall('import-job', { answer: nothing }), signal) };
}
