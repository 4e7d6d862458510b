import { RollcallError } from '../../../core/run/errors.ts';
import { dayOf } from '../../kit/dates.ts';
import { wordOf } from '../../kit/employment-status.ts';
import type { SourceClient } from '../../kit/http/source-client.ts';
import { partnerHeaders, type V2Config } from '../schema.ts';
import { readList } from './list.ts';

type Fields = Readonly<Record<string, unknown>>;

const name = 'GET /v2/persons/{id}/employments';

/** Highest number of persons without readable employments before the read fails. */
const maxFailures = 5;

/** Reads employments of persons. Undefined where they could not be read, which makes the read incomplete. */
export function openEmployments(
  config: V2Config,
  client: SourceClient,
): (id: string) => Promise<readonly Fields[] | undefined> {
  const headers = partnerHeaders(config);
  let failures = 0;
  const giveUp = (why: string): undefined => {
    failures += 1;
    if (failures <= maxFailures) return undefined;
    const message = `${name} failed for more than ${maxFailures} persons: ${why}`;
    throw new RollcallError(message, { code: 'SOURCE_UNAVAILABLE', retry: 'backoff' });
  };
  return async (id) => {
    const url = new URL(`/v2/persons/${encodeURIComponent(id)}/employments`, config.url).href;
    try {
      // As a continuation, so that a person deleted since the list was read (404) does not fail the read for good.
      return (await readList(client, { name, url, headers, isContinuation: true })).items;
    } catch (error) {
      if (!(error instanceof RollcallError) || error.retry === 'never') throw error;
      return giveUp(error.message);
    }
  };
}

/**
 * Returns the employment that counts on a day: a current one (active or on leave), else a future one (onboarding),
 * else an ended one. Among several, the latest start counts, then Personio's order (newest first).
 */
export function primaryEmployment(employments: readonly Fields[], today: string): Fields | undefined {
  const ranked = employments.map((employment, place) => ({ employment, place, rank: rankOf(employment, today) }));
  ranked.sort(
    (a, b) => a.rank - b.rank || compareText(startOf(b.employment), startOf(a.employment)) || a.place - b.place,
  );
  return ranked[0]?.employment;
}

function rankOf(employment: Fields, today: string): number {
  const status = wordOf(employment.status);
  if (status === 'active' || status === 'leave') return startOf(employment) <= today ? 0 : 1;
  return status === 'onboarding' ? 1 : 2;
}

function startOf({ employment_start_date: start }: Fields): string {
  return typeof start === 'string' ? dayOf(start.slice(0, 10)) : '';
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
