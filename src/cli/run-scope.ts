import type { RunScope } from '../ports/store.ts';

/** Returns the scope: all employees, or those of `--user`. */
export function scopeOf(identifications: readonly string[] | undefined): RunScope {
  return identifications === undefined
    ? { kind: 'all' }
    : { kind: 'users', identifications: [...new Set(identifications)] };
}
