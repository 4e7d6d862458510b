type Fields = Readonly<Record<string, unknown>>;

/**
 * Compiles the name of a source field. A key that is spelled like the whole path wins; else dots reach inside, through
 * own keys of objects and indexes of lists only. What is not there reads as undefined.
 */
export function compileSourcePath(path: string): (fields: Fields) => unknown {
  const steps = path.split('.');
  if (steps.length === 1) return (fields) => (Object.hasOwn(fields, path) ? fields[path] : undefined);
  return (fields) => (Object.hasOwn(fields, path) ? fields[path] : reach(fields, steps));
}

/** Whether a source with these field names may hold something at the path. */
export function isKnownSourcePath(path: string, names: readonly string[]): boolean {
  const [first = path] = path.split('.', 1);
  return names.includes(path) || names.includes(first);
}

function reach(fields: Fields, steps: readonly string[]): unknown {
  let current: unknown = fields;
  for (const step of steps) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, step)) return undefined;
    current = (current as Fields)[step];
  }
  return current;
}
