import type { Change } from './change.ts';

/**
 * Identifies one change as a plan showed it. Two changes of one person with the same values are different changes in
 * two cases: another rule produced them, or an accepted read interrupted the rule in between.
 */
export type ChangeName = Pick<Change, 'identification' | 'rule' | 'episode' | 'hash'>;

/**
 * An episode that the store keeps, because one of its changes was held, approved, rejected, or shown and later no
 * longer proposed.
 */
export interface KnownEpisode extends Pick<Change, 'rule' | 'episode'> {
  /** When an accepted read ended it (epoch ms); undefined while the rule still applies. */
  readonly endedAt: number | undefined;
}

/**
 * Returns the episode of a change that `rule` proposes now: the one that has not ended, else the number after the last
 * one, else `0`. It follows from the store alone, so `plan` and a later `apply` give the change the same hash.
 */
export function episodeOf(rule: string, known: readonly KnownEpisode[]): string {
  let next = 0;
  for (const episode of known) {
    if (episode.rule !== rule) continue;
    if (episode.endedAt === undefined) return episode.episode;
    next = Math.max(next, Number(episode.episode) + 1);
  }
  return String(next);
}
