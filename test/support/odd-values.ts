type Item = Readonly<Record<string, unknown>>;

/** What a member may hold that nobody expects: nothing, another type, a new word, too long. */
export const oddValues = [
  null,
  undefined,
  7,
  -1.5,
  true,
  'NEW_WORD',
  'x'.repeat(10_000),
  '',
  [],
  ['a'],
  {},
  { a: { b: 1 } },
];

/** The item with each member, also within its objects and lists, replaced by each value; and the values in its place. */
export function damaged(item: Item, values: readonly unknown[] = oddValues): readonly unknown[] {
  const inside = Object.entries(item).flatMap(([name, value]) => {
    const under = Array.isArray(value) ? Object.fromEntries(value.entries()) : value;
    const deeper = typeof under === 'object' && under !== null ? damaged(under as Item, values) : values;
    const isList = (one: unknown): one is object => Array.isArray(value) && typeof one === 'object' && one !== null;
    const all = deeper === values ? values : [...values, ...deeper];
    return all.map((one) => ({ ...item, [name]: isList(one) && !Array.isArray(one) ? Object.values(one) : one }));
  });
  return [...values, ...inside];
}

/** The same in fewer values, for readers of whole lists. */
const fewValues = [null, undefined, 1_234_567, true, 'NEW_WORD', 'x'.repeat(2_000), [], { a: { b: 1 } }];

const fewElements = ['', 'NEW_WORD', 'x'.repeat(2_000), '<a>1</a>'];

/**
 * Rewrites bodies: of each person, the record has the damage of the given number; a number below 0 only counts. `owners`:
 * everybody. `counts.most`: how many damages a record of the bodies so far has.
 */
export function spoiler(owners: readonly string[], numbers: ReadonlyMap<string, number>) {
  const counts = { most: 0 };
  const numberOf = (record: string): number | undefined => {
    const words = record.match(/[^"<>:,;{}[\]\n]+/g) ?? [];
    return numbers.get(words.find((word) => owners.includes(word)) ?? '');
  };
  const choose = <T>(number: number, whole: T, damages: readonly T[]): T => {
    counts.most = Math.max(counts.most, damages.length);
    return number < 0 ? whole : (damages[number % damages.length] as T);
  };
  const inJson = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(ofOne);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, inJson(inner)]));
  };
  const ofOne = (one: unknown): unknown => {
    // A list of ids alone names people, and describes nobody.
    if (typeof one !== 'object' || one === null || damaged(one as Item, [0]).length < 6) return one;
    const number = numberOf(JSON.stringify(one));
    return number === undefined ? one : choose<unknown>(number, one, damaged(one as Item, fewValues));
  };
  const inXml = (worker: string): string => {
    const number = numberOf(worker);
    if (number === undefined) return worker;
    const leaves = [...worker.matchAll(/>[^<>]+<(?=\/)/g)];
    const damages = leaves.flatMap(({ 0: leaf, index }) =>
      fewElements.map((text) => `${worker.slice(0, index)}>${text}<${worker.slice(index + leaf.length)}`),
    );
    return choose(number, worker, damages);
  };
  const rewrite = (body: string): string => {
    if (/^\s*[[{]/.test(body)) return JSON.stringify(inJson(JSON.parse(body)));
    return body.replaceAll(/<((?:\w+:)?Worker)>[\s\S]*?<\/\1>/g, inXml);
  };
  return { counts, rewrite };
}
