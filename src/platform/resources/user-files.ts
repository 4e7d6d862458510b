import type { FileStatus, FileToUpload, UploadReceipt } from '../../ports/platform.ts';
import type { PlatformClient } from '../client.ts';
import { readFileStatus, uploadUserFile } from '../user-file.ts';

/** Bulk provisioning (contract, "POST admin/userFiles"). What the file does, full or partial, is in its header. */
export interface UserFiles {
  /**
   * Sends a CSV file (contract, "POST /os-api/public-api/v1/admin/userFiles/"), encoded as the dialect says. A file
   * without a `command` column is full provisioning: it disables everybody who is absent from it.
   */
  upload(file: FileToUpload, signal: AbortSignal): Promise<UploadReceipt>;
  /** How far a file is. The contract shows no such operation: assumed, by `dialect.status.path`. */
  status(fileId: string, signal: AbortSignal): Promise<FileStatus>;
}

/** The provisioning part of the contract over one client. */
export function openUserFiles(client: PlatformClient): UserFiles {
  return {
    upload: (file, signal) => uploadUserFile(client, file, signal),
    status: (fileId, signal) => readFileStatus(client, fileId, signal),
  };
}
