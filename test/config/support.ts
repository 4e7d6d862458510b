import type { Config } from '../../src/config/config.ts';
import { createExpressions } from '../../src/config/expressions.ts';
import { type LoadOptions, loadConfig } from '../../src/config/load-config.ts';
import { ConfigError, type ConfigProblem } from '../../src/config/report.ts';
import type { SourceKind } from '../../src/ports/source.ts';
import { offering } from '../support/source-kinds.ts';

export const key32 = Buffer.alloc(32, 7).toString('base64');

/** A source kind that wants `path`, and quotes what it found: what a careless adapter could do. */
const csv: SourceKind = {
  kind: 'csv',
  title: 'a test of the configuration',
  capabilities: { delta: false, point: false, terminated: 'unknown', future: 'unknown' },
  schema: {},
  starters: [],
  parse(config) {
    const { path, ...rest } = config as Record<string, unknown>;
    if (typeof path !== 'string') return { ok: false, problems: [{ path: ['path'], message: 'is required' }] };
    const { kind: _, ...unknown } = rest;
    const problems = Object.entries(unknown).map(([key, value]) => ({ path: [key], message: `cannot be ${value}` }));
    if (problems.length > 0) return { ok: false, problems };
    return {
      ok: true,
      open: () => {
        throw new Error('not opened here');
      },
    };
  },
};

const expressions = createExpressions();

export interface Surroundings {
  readonly env?: LoadOptions['env'];
  readonly files?: Readonly<Record<string, string>>;
}

/** Loads a text as /etc/rollcall/rollcall.yaml, among files that lie in the same folder. */
export function load(text: string, { env = {}, files = {} }: Surroundings = {}): Promise<Config> {
  const all = new Map(Object.entries({ 'rollcall.yaml': text, ...files }));
  return loadConfig('/etc/rollcall/rollcall.yaml', {
    env,
    sourceKinds: offering([csv]),
    expressions,
    readFile: async (path) => {
      const found = all.get(path.replace('/etc/rollcall/', ''));
      if (found === undefined) throw Object.assign(new Error(`no such file ${path}`), { code: 'ENOENT' });
      return found;
    },
  });
}

/** What is wrong with the text; fails when nothing is. */
export async function problemsOf(text: string, surroundings?: Surroundings): Promise<readonly ConfigProblem[]> {
  const outcome = await load(text, surroundings).catch((error: unknown) => error);
  if (outcome instanceof ConfigError) return outcome.problems;
  throw outcome instanceof Error ? outcome : new Error('the configuration was taken');
}
