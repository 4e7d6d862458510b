import type { acceptsOnly } from '../../source-kit/pages.ts';
import type { HibobConfig } from './schema.ts';
import type { personReader } from './to-employee.ts';

/** What one read requests, and how it uses the answers. */
export interface PeopleRead {
  readonly config: HibobConfig;
  readonly fields: readonly string[];
  readonly toPerson: ReturnType<typeof personReader>;
  readonly accepts: ReturnType<typeof acceptsOnly>;
  readonly mayBeEmpty: boolean;
  /** Fields that at least one employee must have; none in a lookup. */
  readonly expected: readonly string[];
}
