import type { FieldName, FieldValues } from '../person/fields.ts';
import { countOf } from '../run/formats.ts';

/** A disable, with the fields of the account as they were before. */
export interface SegmentDisable {
  readonly identification: string;
  readonly fields: FieldValues;
}

/** Number of people by value of each field. */
export type SegmentCounts = ReadonlyMap<FieldName, ReadonlyMap<string, number>>;

export interface SegmentFacts {
  /** The fields whose values are the segments. */
  readonly fields: readonly FieldName[];
  /** Planned disables without approval. */
  readonly open: readonly SegmentDisable[];
  /** Disables without approval of the last 24 hours. */
  readonly recent: readonly SegmentDisable[];
  /** Enabled managed users. */
  readonly managed: SegmentCounts;
}

/** Planned disables of one segment that are held. */
export interface SegmentHold {
  readonly names: readonly string[];
  readonly reason: string;
}

/** A smaller segment has no limit of its own. */
const leastPeople = 5;
/** Disables that pass in every segment in 24 hours, and the share that passes in a large one. */
const leastAllowed = 3;
const allowedPercent = 30;

/** Returns whether a segment has more disables than always pass, so that its size matters. */
export function mayExceed({ fields, open, recent }: Pick<SegmentFacts, 'fields' | 'open' | 'recent'>): boolean {
  return fields.some((field) => {
    const counts = countBy(field, [...open, ...recent]);
    return [...counts.values()].some((count) => count > leastAllowed);
  });
}

/**
 * Returns the planned disables that are held because too many people of one segment would lose access in 24 hours,
 * however few they are of all people.
 */
export function segmentsToHold({ fields, open, recent, managed }: SegmentFacts): readonly SegmentHold[] {
  return fields.flatMap((field) => {
    const before = countBy(field, recent);
    return [...countBy(field, open)].flatMap(([value, count]) => {
      const earlier = before.get(value) ?? 0;
      // The users disabled in the last 24 hours were enabled before.
      const people = (managed.get(field)?.get(value) ?? 0) + earlier;
      const allowed = Math.max(leastAllowed, Math.floor((people * allowedPercent) / 100));
      if (people < leastPeople || count + earlier <= allowed) return [];
      const after = earlier === 0 ? '' : `, and ${earlier} already passed`;
      const reason = `${countOf(count, 'disable')} where ${field} is ${value}: up to ${allowed} of ${countOf(people, 'managed user')} there in 24 hours need no approval${after} (guards.segments)`;
      return [{ names: open.filter((one) => one.fields[field] === value).map((one) => one.identification), reason }];
    });
  });
}

function countBy(field: FieldName, people: readonly SegmentDisable[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { fields } of people) {
    const value = fields[field];
    if (value !== undefined && value !== '') counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return counts;
}

/** Counts people by segment while they are read. */
export function openSegmentCounts(fields: readonly FieldName[]) {
  const counts = new Map(fields.map((field) => [field, new Map<string, number>()]));
  return {
    counts: counts as SegmentCounts,
    add(values: FieldValues): void {
      for (const [field, known] of counts) {
        const value = values[field];
        if (value !== undefined && value !== '') known.set(value, (known.get(value) ?? 0) + 1);
      }
    },
  };
}
