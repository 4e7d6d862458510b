import { randomBytes } from 'node:crypto';
import { type OperationId, operationIds } from '../platform/table/index.ts';
import { FaultBook } from './faults/fault-book.ts';
import type { FaultSpec } from './faults/parse-fault.ts';
import {
  type FeedbackRequest,
  GoalBoard,
  Leadership,
  type StoredEvaluation,
  type StoredFeedback,
} from './growth/records.ts';
import { type SeedUser, seededRandom, seedUsers } from './people/seed-users.ts';
import { UserDirectory } from './people/user-directory.ts';
import { UserWrites, WriteLog } from './people/user-writes.ts';
import { FileDesk } from './provisioning/file-desk.ts';
import { defaultQuirks, type SandboxQuirks } from './quirks.ts';
import { TokenIssuer } from './token-issuer.ts';

export interface SandboxOptions {
  /** @default '127.0.0.1' */
  readonly host?: string;
  /** @default 0: any free port */
  readonly port?: number;
  /** Number of synthetic users at the start. @default 0 */
  readonly users?: number;
  /** Seed of the synthetic users and of faults by chance. @default 1 */
  readonly seed?: number;
  /** Initial users instead of synthetic ones. */
  readonly people?: Iterable<SeedUser>;
  /** Whether the first users have goals, feedback and leaders at the start. @default false */
  readonly hasGrowth?: boolean;
  /** Epoch milliseconds; the only clock of the sandbox. */
  readonly now: () => number;
  readonly applicationToken?: string;
  readonly accessToken?: string;
  readonly refreshToken?: string;
  /** @default 3 600 000 */
  readonly accessTokenLifeMs?: number;
  /** Processing time of a provisioning file. @default 200 */
  readonly processingMs?: number;
  /** CSV text for the import job. Absent: none is defined, and the job is rejected. */
  readonly importSource?: string;
  readonly faults?: readonly FaultSpec[];
  readonly quirks?: Partial<SandboxQuirks>;
}

/** All state of one sandbox platform. */
export interface World {
  readonly now: () => number;
  readonly quirks: SandboxQuirks;
  readonly applicationToken: string;
  readonly accessTokenLifeMs: number;
  readonly tokens: TokenIssuer;
  readonly directory: UserDirectory;
  readonly writes: UserWrites;
  readonly log: WriteLog;
  readonly files: FileDesk;
  readonly faults: FaultBook;
  readonly leadership: Leadership;
  readonly feedback: StoredFeedback[];
  readonly feedbackRequests: FeedbackRequest[];
  readonly goals: GoalBoard;
  readonly evaluations: StoredEvaluation[];
  /** Requests by operation, including rejected ones. */
  readonly requests: Record<OperationId, number>;
  importSource(): string | undefined;
  defineImportSource(text: string | undefined): void;
}

/** Creates the platform with its first users. Nothing listens yet. */
export function createWorld(options: SandboxOptions): World {
  const { now, seed = 1, accessTokenLifeMs = 3_600_000, processingMs = 200 } = options;
  const quirks: SandboxQuirks = { ...defaultQuirks, ...options.quirks };
  const faults = new FaultBook(seededRandom(seed));
  faults.set(options.faults ?? []);
  const lateMs = () => faults.platformNumber('late') ?? 0;
  const directory = new UserDirectory(lateMs);
  const log = new WriteLog();
  const writes = new UserWrites(directory, log, quirks);
  for (const { identification, enabled, fields } of options.people ?? seedUsers(options.users ?? 0, seed)) {
    writes.seed(identification, { enabled, fields }, now());
  }
  const callsPerToken = () => faults.platformNumber('token-expire-after');
  let importSource = options.importSource;
  return {
    now,
    quirks,
    applicationToken: options.applicationToken ?? `sandbox-application-${randomBytes(12).toString('hex')}`,
    accessTokenLifeMs,
    tokens: new TokenIssuer({ now, quirks, accessTokenLifeMs, callsPerToken }),
    directory,
    writes,
    log,
    files: new FileDesk({ now, processingMs, quirks, faults, directory, writes }),
    faults,
    leadership: new Leadership(lateMs),
    feedback: [],
    feedbackRequests: [],
    goals: new GoalBoard(),
    evaluations: [],
    requests: Object.fromEntries(operationIds.map((id) => [id, 0])) as Record<OperationId, number>,
    importSource: () => importSource,
    defineImportSource: (text) => {
      importSource = text;
    },
  };
}
