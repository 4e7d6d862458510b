import { nothing } from '../answer.ts';
import type { PlatformClient } from '../client.ts';
import { contractCall } from '../contract-call.ts';

/** The platform's own provisioning from a source defined there (contract, "PATCH admin/import-users-job"). */
export interface ImportJob {
  /** Starts the job. Resolves when the platform accepted the start (202), before the job is finished. */
  start(signal?: AbortSignal): Promise<void>;
}

export function openImportJob(client: PlatformClient): ImportJob {
  return { start: (signal) => client.request(contractCall('import-job', { answer: nothing }), signal) };
}
