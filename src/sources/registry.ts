import { RollcallError } from '../core/run/errors.ts';
import type { Source, SourceBase, SourceKind } from '../ports/source.ts';
import { knownKinds } from './kinds.ts';

/** All kinds, loaded. */
export const sourceKinds: readonly SourceKind[] = await knownKinds.load(() => true);

/** Checks `syncs.*.source` with the kind that it names. Problems have the path below `source`. */
export function parseSource(config: unknown): ReturnType<SourceKind['parse']> {
  const named = typeof config === 'object' && config !== null && 'kind' in config ? config.kind : undefined;
  const found = sourceKinds.find(({ kind }) => kind === named);
  if (found !== undefined) return found.parse(config);
  const known = sourceKinds.map(({ kind }) => kind).join(', ');
  const what = named === undefined ? 'is missing' : `${JSON.stringify(named)} is unknown`;
  return { ok: false, problems: [{ path: ['kind'], message: `${what}; known kinds: ${known}` }] };
}

/** Opens the source of a checked configuration. Throws `CONFIG_INVALID` with every problem when it is invalid. */
export function openSource(config: unknown, base: SourceBase): Source {
  const parsed = parseSource(config);
  if (parsed.ok) return parsed.open(base);
  const problems = parsed.problems.map(({ path, message }) => `${['source', ...path].join('.')}: ${message}`);
  throw new RollcallError(problems.join('; '), { code: 'CONFIG_INVALID' });
}
