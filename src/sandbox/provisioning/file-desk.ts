import type { FaultBook, StruckFaults } from '../faults/fault-book.ts';
import type { UserDirectory } from '../people/user-directory.ts';
import type { UserWrites } from '../people/user-writes.ts';
import type { SandboxQuirks } from '../quirks.ts';
import { applyFile, type RowResult } from './apply-file.ts';

export interface ProvisioningFile {
  readonly id: number;
  readonly name: string;
  readonly text: string;
  readonly preprocessing: boolean;
  readonly source: 'upload' | 'import-job';
  /** Epoch ms. */
  readonly uploadedAt: number;
  readonly dueAt: number;
  /** Whether the file was applied or has failed. */
  readonly isProcessed: boolean;
  /** The text of the status endpoint. */
  readonly status: string;
  readonly reason: string | undefined;
  readonly rows: readonly RowResult[];
}

export type NewFile = Pick<ProvisioningFile, 'name' | 'text' | 'preprocessing' | 'source'>;

export interface FileDeskOptions {
  readonly now: () => number;
  readonly processingMs: number;
  readonly quirks: SandboxQuirks;
  readonly faults: FaultBook;
  readonly directory: UserDirectory;
  readonly writes: UserWrites;
}

const processingStatus = 'Processing';

/**
 * Accepts provisioning files and processes one at a time. It has no timer: the first access after a file's due time
 * processes it, with effects dated to the due time.
 */
export class FileDesk {
  readonly #options: FileDeskOptions;
  readonly #files = new Map<number, ProvisioningFile>();
  readonly #faults = new Map<number, StruckFaults>();
  /** Unprocessed files, in order of upload. */
  #waiting: number[] = [];

  constructor(options: FileDeskOptions) {
    this.#options = options;
  }

  get all(): ReadonlyMap<number, ProvisioningFile> {
    return this.#files;
  }

  /** Returns whether a file is waiting or processing. */
  isBusy(): boolean {
    return this.#waiting.length > 0;
  }

  accept(file: NewFile): ProvisioningFile {
    const { now, faults, processingMs } = this.#options;
    const struck = faults.strikeFile();
    const before = this.#files.get(this.#waiting.at(-1) ?? 0);
    const startsAt = Math.max(now(), before?.dueAt ?? 0);
    const accepted: ProvisioningFile = {
      ...file,
      id: this.#files.size + 1,
      uploadedAt: now(),
      dueAt: startsAt + (struck.number('processing') ?? processingMs),
      isProcessed: false,
      status: processingStatus,
      reason: undefined,
      rows: [],
    };
    this.#files.set(accepted.id, accepted);
    this.#faults.set(accepted.id, struck);
    this.#waiting.push(accepted.id);
    return accepted;
  }

  /** Processes due files. Called before every access to users or files. */
  settle(): void {
    for (const id of [...this.#waiting]) {
      const file = this.#files.get(id);
      const faults = this.#faults.get(id);
      if (file === undefined || faults === undefined) continue;
      if (file.dueAt > this.#options.now() || faults.has('stuck')) return;
      this.#files.set(id, this.#process(file, faults));
      this.#waiting.shift();
    }
  }

  /** Returns the file as the status endpoint shows it. */
  shown(id: number): ProvisioningFile | undefined {
    const file = this.#files.get(id);
    const isStuck = this.#faults.get(id)?.has('stuck-after-commit') ?? false;
    return file && (isStuck ? { ...file, isProcessed: false, status: processingStatus } : file);
  }

  #process(file: ProvisioningFile, faults: StruckFaults): ProvisioningFile {
    const { quirks, directory, writes } = this.#options;
    const origin = { at: file.dueAt, via: `file:${file.id}` };
    const { isSuccess, reason, rows } = applyFile({ ...file, faults, origin }, { directory, writes }, quirks);
    const status = faults.text('unknown-status') ?? (isSuccess ? quirks.doneStatus : quirks.failedStatus);
    return { ...file, isProcessed: true, status, reason, rows };
  }
}
