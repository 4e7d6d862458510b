/** Where a value lies: keys of mappings and indices of lists, from the top of the file. */
export type KeyPath = readonly (string | number)[];

/** `syncs.people.protected[2]`. */
export function renderKeyPath(path: KeyPath): string {
  return path
    .map((part, i) => (typeof part === 'number' ? `[${part}]` : `${i === 0 ? '' : '.'}${shown(part)}`))
    .join('');
}

/** `key:value` without its blank reads as one key; what follows the colon may be a secret. */
function shown(key: string): string {
  return key.replace(/:.+$/s, ':…');
}

/** One key for one path, for maps. */
export function keyOf(path: KeyPath): string {
  return JSON.stringify(path.map(String));
}
