import type { RunScope } from '../ports/store.ts';

/** Everybody, or the people named by `--user`. */
export function scopeOf(identifications: readonly string[] | undefined): RunScope {
  return identifications === undefined
    ? { kind: 'all' }
    : { kind: 'users', identifications: [...new Set(identifications)] };
}
