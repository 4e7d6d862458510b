import type { FaultSpec } from './faults/parse-fault.ts';
import type { SeedUser } from './people/seed-users.ts';
import type { SandboxQuirks } from './quirks.ts';

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
