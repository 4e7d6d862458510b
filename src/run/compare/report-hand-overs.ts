import type { LedgerEntry } from '../../core/plan/ledger.ts';
import type { Release } from '../../core/plan/neighbors.ts';
import type { Finding } from '../../core/run/finding.ts';
import { countOf, formatInstant } from '../../core/run/formats.ts';

/** Reports a user whom this run takes over. */
export function findTakenOver(
  { identification }: { readonly identification: string },
  { from, standing, readAt }: Release,
): Finding {
  const how = standing === 'missing' ? 'missing' : 'out of scope';
  const message = `taken over from sync ${from}, whose full read of ${formatInstant(readAt)} shows the person as ${how}`;
  return { code: 'handed-over', identification, message };
}

export interface HandOverPeriod {
  readonly sync: string;
  /** Users who left the sync after this instant are reported (epoch ms). */
  readonly leftSince: number;
  /** Users who came to the sync at this instant or later are reported: an interrupted attempt of the run took them. */
  readonly cameSince: number;
}

/** Reports a user who moved from or to the sync since its last run. Returns undefined for every other entry. */
export function findMoved({ identification, owner, taken }: LedgerEntry, period: HandOverPeriod): Finding | undefined {
  if (taken === undefined) return undefined;
  const when = formatInstant(taken.at);
  if (owner === period.sync && taken.at >= period.cameSince) {
    return { code: 'handed-over', identification, message: `taken over from sync ${taken.from} at ${when}` };
  }
  if (taken.from !== period.sync || owner === period.sync || taken.at <= period.leftSince) return undefined;
  return { code: 'handed-over', identification, message: `belongs to sync ${owner} since ${when}` };
}

/** Counts users whose own sync is no longer configured. */
export class Inheritance {
  readonly #sync: string;
  readonly #counts = new Map<string, number>();

  constructor(sync: string) {
    this.#sync = sync;
  }

  add(owner: string): void {
    this.#counts.set(owner, (this.#counts.get(owner) ?? 0) + 1);
  }

  /** Returns one finding per former owner. */
  findings(): readonly Finding[] {
    return [...this.#counts].map(([owner, count]) => ({
      code: 'handed-over',
      message: `sync ${this.#sync} takes over ${countOf(count, 'user')} of sync ${owner}, which is no longer configured on this connection`,
    }));
  }
}
