/** One element: text alone, or attributes as `@name`, text as `#text`, children by name. Repeated names are a list. */
export type Element = unknown;

/** Returns the first element at the path; undefined where a step is missing. */
export function at(element: Element, ...path: readonly string[]): Element {
  let current = element;
  for (const step of path) {
    const [first] = all(current);
    if (typeof first !== 'object' || first === null || !Object.hasOwn(first, step)) return undefined;
    current = (first as Readonly<Record<string, unknown>>)[step];
  }
  return current;
}

/** Returns one element or many as a list. */
export function all(element: Element): readonly Element[] {
  if (element === undefined) return [];
  return Array.isArray(element) ? element : [element];
}

/** Returns the trimmed text of the first element at the path; undefined when it is missing or blank. */
export function textAt(element: Element, ...path: readonly string[]): string | undefined {
  const [found] = all(at(element, ...path));
  const text = typeof found === 'object' ? at(found, '#text') : found;
  if (typeof text !== 'string' || text.trim() === '') return undefined;
  return text.trim();
}

/** Returns the `ID` of a reference with this type: `WID`, `Employee_ID`. */
export function referenceId(reference: Element, type: string): string | undefined {
  const found = all(at(reference, 'ID')).find((id) => at(id, '@type') === type);
  return found === undefined ? undefined : textAt(found);
}
