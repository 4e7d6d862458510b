import type { SourceRecord } from '../person/person.ts';

/** How often one source field was present, and how often it had a value. The field is absent in all other records. */
export interface FieldFill {
  /** The path as a mapping writes it: dots select inside objects. A list is one value. */
  readonly path: string;
  readonly filled: number;
  /** Blank, null, or an empty list or object. */
  readonly empty: number;
}

/** Counts field presence over many records, for a bounded number of fields. */
export interface FillCount {
  count(record: SourceRecord): void;
  /** Returns the fields in order of first occurrence. */
  fields(): readonly FieldFill[];
  /** Whether the records have more fields than the limit, so that some are not counted. */
  readonly isCut: boolean;
}

const countedFields = 2000;
const deepest = 4;

export function openFillCount(): FillCount {
  const counts = new Map<string, { filled: number; empty: number }>();
  let isCut = false;
  const add = (path: string, value: unknown, depth: number): void => {
    if (value === undefined) return;
    if (isObject(value) && depth < deepest && Object.keys(value).length > 0) {
      for (const [name, inner] of Object.entries(value)) add(`${path}.${name}`, inner, depth + 1);
      return;
    }
    const known = counts.get(path) ?? { filled: 0, empty: 0 };
    if (isEmpty(value)) known.empty += 1;
    else known.filled += 1;
    if (counts.has(path)) return;
    if (counts.size < countedFields) counts.set(path, known);
    else isCut = true;
  };
  return {
    count({ fields }) {
      for (const [name, value] of Object.entries(fields)) add(name, value, 1);
    },
    fields: () => [...counts].map(([path, count]) => ({ path, ...count })),
    get isCut() {
      return isCut;
    },
  };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isEmpty(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() === '';
  return value === null || (typeof value === 'object' && Object.keys(value).length === 0);
}
