import { RollcallError } from '../core/run/errors.ts';
import type { Source, SourceBase, SourceKind } from '../ports/source.ts';
import { bamboohr } from './bamboohr/index.ts';
import { csv } from './csv/index.ts';
import { hibob } from './hibob/index.ts';
import { personio } from './personio/index.ts';
import { rest } from './rest/index.ts';
import { scim } from './scim/index.ts';
import { sql } from './sql/index.ts';
import { successfactors } from './successfactors/index.ts';
import { workday } from './workday/index.ts';

/** Every kind of source. A new kind is a folder beside this file and one line here. */
export const sourceKinds: readonly SourceKind[] = [
  bamboohr,
  csv,
  hibob,
  personio,
  rest,
  scim,
  sql,
  successfactors,
  workday,
];

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
