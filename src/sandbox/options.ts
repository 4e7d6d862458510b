import type { FaultSpec } from './faults/parse-fault.ts';
import type { SeedUser } from './people/seed-users.ts';
import type { SandboxQuirks } from './quirks.ts';

export interface SandboxOptions {
  /** @default '127.0.0.1' */
  readonly host?: string;
  /** @default 0: any free port */
  readonly port?: number;
  /** How many synthetic users to begin with. @default 0 */
  readonly users?: number;
  /** What the synthetic users, and faults by chance, come from. @default 1 */
  readonly seed?: number;
  /** Users to begin with instead of synthetic ones. */
  readonly people?: Iterable<SeedUser>;
  /** Epoch milliseconds; all the sandbox's time comes from here. */
  readonly now: () => number;
  readonly applicationToken?: string;
  readonly accessToken?: string;
  readonly refreshToken?: string;
  /** @default 3 600 000 */
  readonly accessTokenLifeMs?: number;
  /** How long a provisioning file is processed. @default 200 */
  readonly processingMs?: number;
  /** CSV text that the import job provisions from; absent: none is defined, the job is refused. */
  readonly importSource?: string;
  readonly faults?: readonly FaultSpec[];
  readonly quirks?: Partial<SandboxQuirks>;
}
