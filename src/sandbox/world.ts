import { randomBytes } from 'node:crypto';
import { type OperationId, operationIds } from '../platform/table/index.ts';
import { FaultBook } from './faults/fault-book.ts';
import { FeedbackBox, GoalBoard, Leadership, type StoredEvaluation, seedEvaluations } from './growth/records.ts';
import type { SandboxOptions } from './options.ts';
import { seededRandom, seedUsers } from './people/seed-users.ts';
import { UserDirectory } from './people/user-directory.ts';
import { UserWrites } from './people/user-writes.ts';
import { WriteLog } from './people/write-log.ts';
import { FileDesk } from './provisioning/file-desk.ts';
import { defaultQuirks, type SandboxQuirks } from './quirks.ts';
import { TokenIssuer } from './token-issuer.ts';

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
  readonly feedback: FeedbackBox;
  readonly goals: GoalBoard;
  readonly evaluations: StoredEvaluation[];
  /** Requests by operation, including rejected ones. */
  readonly requests: Record<OperationId, number>;
  importSource(): string | undefined;
  defineImportSource(text: string | undefined): void;
}

const maxSeededEvaluations = 30;

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
    feedback: new FeedbackBox(),
    goals: new GoalBoard(),
    evaluations: seedEvaluations([...directory.all.keys()].slice(0, maxSeededEvaluations), now()),
    requests: Object.fromEntries(operationIds.map((id) => [id, 0])) as Record<OperationId, number>,
    importSource: () => importSource,
    defineImportSource: (text) => {
      importSource = text;
    },
  };
}
