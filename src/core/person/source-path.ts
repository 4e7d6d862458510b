type Fields = Readonly<Record<string, unknown>>;

/**
 * Compiles the name of a source field. A key that equals the whole path has precedence. Otherwise dots select own keys
 * of objects and indexes of lists. A path that does not exist gives undefined.
 */
export function compileSourcePath(path: string): (fields: Fields) => unknown {
  const steps = path.split('.');
  // Runs for every cell: the name of no column but these is also one of every object.
  if (steps.length === 1 && !(path in {})) return (fields) => fields[path];
  return (fields) => (Object.hasOwn(fields, path) ? fields[path] : reach(fields, steps));
}

/**
 * Compiles a check whether a record shows the path: a value, or an explicit absence (null there or above, or a list
 * that is shorter). False means that the source does not show the field: not requested, not granted or omitted.
 */
export function compileVisibility(path: string): (fields: Fields) => boolean {
  const steps = path.split('.');
  return (fields) => (Object.hasOwn(fields, path) ? fields[path] !== undefined : isVisible(fields, steps));
}

/** Returns whether a source with these field names can have a value at the path. */
export function isKnownSourcePath(path: string, names: readonly string[]): boolean {
  const [first = path] = path.split('.', 1);
  return names.includes(path) || names.includes(first);
}

function isVisible(fields: Fields, steps: readonly string[]): boolean {
  let current: unknown = fields;
  for (const step of steps) {
    if (current === null) return true;
    if (typeof current !== 'object') return false;
    if (!Object.hasOwn(current, step)) return Array.isArray(current) && /^\d+$/.test(step);
    current = (current as Fields)[step];
  }
  return current !== undefined;
}

function reach(fields: Fields, steps: readonly string[]): unknown {
  let current: unknown = fields;
  for (const step of steps) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, step)) return undefined;
    current = (current as Fields)[step];
  }
  return current;
}
