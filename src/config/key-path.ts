/** The position of a value: keys of mappings and indices of lists, from the top of the file. */
export type KeyPath = readonly (string | number)[];

/** Returns the path as text: `syncs.people.protected[2]`. */
export function renderKeyPath(path: KeyPath): string {
  return path
    .map((part, i) => (typeof part === 'number' ? `[${part}]` : `${i === 0 ? '' : '.'}${shown(part)}`))
    .join('');
}

/** Cuts a key at a colon: `key:value` without a blank parses as one key, and the value may be a secret. */
function shown(key: string): string {
  return key.replace(/:.+$/s, ':…');
}

/** Returns a map key for the path. */
export function keyOf(path: KeyPath): string {
  return JSON.stringify(path.map(String));
}
