import type { SourceRecord } from './person.ts';

/** How often one source field came, and how often with a value. The rest of the records do not show it. */
export interface FieldFill {
  /** As a mapping names it: dots reach into objects. Lists stand for themselves. */
  readonly path: string;
  readonly filled: number;
  /** Blank, null, or an empty list or object. */
  readonly empty: number;
}

/** Counts the fields of many records, a bounded number of fields. */
export interface FillCount {
  count(record: SourceRecord): void;
  /** In the order in which they came first. */
  fields(): readonly FieldFill[];
  /** Whether there were more fields than are counted. */
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
