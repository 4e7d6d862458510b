import type { User } from '../../core/person/fields.ts';
import { lookAlikeKey } from '../../core/person/identification.ts';
import { formatDuration, outOf } from '../../core/run/formats.ts';
import { type Dialect, type MonthLanguage, monthLanguages } from '../../core/run/settings.ts';
import { readPlatformDate } from '../user-record.ts';

/** What a search for a text that no user has came to, with its parameters in one place. */
export interface SearchProbe {
  readonly rows: number;
  readonly total: number | undefined;
}

/**
 * Returns where the platform reads the parameters of a search: where a text that no user has finds no user, while the
 * other place finds some. `refused`: the platform refuses such a call.
 */
export function placeOfParameters(
  query: SearchProbe | 'refused',
  body: SearchProbe | 'refused',
): 'query' | 'body' | undefined {
  const finds = (probe: SearchProbe | 'refused') => probe !== 'refused' && probe.rows > 0;
  const isRead = (probe: SearchProbe | 'refused') => probe !== 'refused' && probe.rows === 0;
  if (isRead(query) && (finds(body) || body === 'refused')) return 'query';
  if (isRead(body) && (finds(query) || query === 'refused')) return 'body';
  return undefined;
}

/** A first page, with the requested size. `refused`: the platform refuses that size. */
export interface PageProbe {
  readonly asked: number;
  readonly seen: SearchProbe | 'refused';
}

/** Returns the largest page, or why it did not show. A page is cut where fewer rows than asked came, and more exist. */
export function largestPage(probes: readonly PageProbe[]): { readonly size?: number; readonly evidence: string } {
  const last = probes.findLast(({ seen }) => seen !== 'refused');
  if (last === undefined || last.seen === 'refused') return { evidence: 'no page of any size was answered' };
  const { rows, total = rows } = last.seen;
  const isRefusedAbove = probes.some(({ seen, asked }) => seen === 'refused' && asked > last.asked);
  if (rows < last.asked && rows < total) {
    return {
      size: rows,
      evidence: `a page of ${last.asked} was requested, and ${outOf(rows, `${total} users`, 'was', 'were')} returned`,
    };
  }
  if (isRefusedAbove) return { size: last.asked, evidence: `a larger page than ${last.asked} is refused` };
  if (rows === last.asked && rows < total) {
    return { size: rows, evidence: `a page of ${rows} was returned; larger pages were not tested` };
  }
  return { evidence: `all ${total} users fit on one page` };
}

const secondMs = 1000;
const minuteMs = 60_000;

/**
 * Returns the unit of `expires_in`. `told`: the number that the platform sent; `lifeMs`: how long the token really
 * lives, by its own claims; `acceptedAgeMs`: the age at which it was last accepted.
 */
export function unitOfLife(
  told: number,
  { lifeMs, acceptedAgeMs }: { readonly lifeMs: number | undefined; readonly acceptedAgeMs: number },
): { readonly unit: Dialect['expiresIn']; readonly evidence: string } {
  if (lifeMs !== undefined) {
    const unit = Math.abs(told * secondMs - lifeMs) < Math.abs(told - lifeMs) ? 'seconds' : 'milliseconds';
    return {
      unit,
      evidence: `expires_in is ${told}, and the token itself states a lifetime of ${formatDuration(lifeMs)}`,
    };
  }
  if (acceptedAgeMs > told) {
    return {
      unit: 'seconds',
      evidence: `expires_in is ${told}, and the token works after ${formatDuration(acceptedAgeMs)}`,
    };
  }
  if (told < minuteMs) {
    return { unit: 'seconds', evidence: `expires_in is ${told}; in milliseconds that is less than a minute` };
  }
  if (told % minuteMs === 0) {
    const life = formatDuration(told);
    return {
      unit: 'milliseconds',
      evidence: `expires_in is ${told}: as milliseconds that is ${life}, a round lifetime`,
    };
  }
  return { unit: 'seconds', evidence: `expires_in is ${told}: not a round lifetime in milliseconds` };
}

/** What a counted scan shows of a user, and whose keys they are. */
export interface Census {
  /** By identification: id, enabled flag and `lastUpdate`. */
  readonly marks: ReadonlyMap<string, string>;
  /** The given keys that another user has as id, uid or identification. */
  readonly taken: ReadonlySet<string>;
}

export function markOf({ id, enabled, lastUpdate }: User): string {
  return `${id} ${enabled} ${lastUpdate ?? ''}`;
}

/** Returns the users whose account, enabled flag or `lastUpdate` differs between two scans, or who are gone. */
export function movedUsers(before: Census, after: Census, testUser: string): readonly string[] {
  return [...before.marks].flatMap(([name, mark]) =>
    name === testUser || after.marks.get(name) === mark ? [] : [name],
  );
}

/** Keys that a platform may take for the same one: case, look-alikes and zeros in front do not tell them apart. */
export function keyOf(value: string): string {
  return lookAlikeKey(value.trim()).replace(/^0+(?=\d)/, '');
}

/** Returns the words of a list with one more in front, unless it has the word. Words of `not` leave the list. */
export function withWord(word: string, list: readonly string[], not: readonly string[] = []): readonly string[] {
  const same = (a: string) => (b: string) => a.trim().toLowerCase() === b.trim().toLowerCase();
  const kept = list.filter((one) => !not.some(same(one)));
  return kept.some(same(word)) ? kept : [word, ...kept];
}

/** Returns the fewest languages that read every date that any language reads; `en` where none is needed. */
export function languagesOf(shown: readonly string[]): readonly MonthLanguage[] {
  const needed = monthLanguages.filter((language) =>
    shown.some((text) => readPlatformDate(text, []) === undefined && readPlatformDate(text, [language]) !== undefined),
  );
  const readBy = (some: readonly MonthLanguage[]) =>
    shown.filter((text) => readPlatformDate(text, some) !== undefined).length;
  const all = readBy(monthLanguages);
  // A name that two languages share needs only one of them.
  return needed.reduceRight<readonly MonthLanguage[]>((kept, language) => {
    const fewer = kept.filter((one) => one !== language);
    return readBy(fewer) === all ? fewer : kept;
  }, needed);
}

/** Returns `settle.visibleWithin` for writes that showed this late: three times as long, and at least the default. */
export function visibleWithin(lateMs: number): string {
  return `${Math.max(2, Math.ceil((3 * lateMs) / minuteMs))}m`;
}
