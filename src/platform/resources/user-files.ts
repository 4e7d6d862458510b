import type { FileStatus, FileToUpload, UploadReceipt } from '../../ports/platform.ts';
import type { PlatformClient } from '../client.ts';
import { readFileStatus, uploadUserFile } from '../user-file.ts';

/** Bulk provisioning (contract, "POST admin/userFiles"). The file's header decides between full and partial. */
export interface UserFiles {
  /**
   * Uploads a CSV file (contract, "POST /os-api/public-api/v1/admin/userFiles/"), encoded as the dialect says. A file
   * without a `command` column is full provisioning: it disables every user who is absent from it.
   */
  upload(file: FileToUpload, signal: AbortSignal): Promise<UploadReceipt>;
  /** Reads the status of a file. The contract shows no such operation; it is assumed, by `dialect.status.path`. */
  status(fileId: string, signal: AbortSignal): Promise<FileStatus>;
}

/** Opens the provisioning part of the contract over one client. */
export function openUserFiles(client: PlatformClient): UserFiles {
  return {
    upload: (file, signal) => uploadUserFile(client, file, signal),
    status: (fileId, signal) => readFileStatus(client, fileId, signal),
  };
}
