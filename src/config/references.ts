import { resolve } from 'node:path';
import type { KeyPath } from './key-path.ts';
import type { Report } from './report.ts';

export interface ReferenceSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Folder of the configuration file, from which `${file:…}` is resolved. */
  readonly folder: string;
  readonly readFile: (path: string) => Promise<string>;
}

export interface ResolvedReferences {
  readonly value: unknown;
  /** All values from outside the file. None of them may be shown. */
  readonly secrets: ReadonlySet<string>;
}

// `$${` is a literal `${`. Any other unknown `${…}` is refused, because a typo would otherwise be sent as a token.
const pattern = /\$\$\{|\$\{([^{}]*)\}|\$\{/g;

/**
 * Replaces `${env:NAME}` and `${file:path}` in every text of `tree`, also inside longer texts. Reports and mutes the path
 * of a reference that cannot be resolved. JSONata texts may contain `${`.
 */
export async function resolveReferences(
  tree: unknown,
  from: ReferenceSources,
  report: Report,
): Promise<ResolvedReferences> {
  const secrets = new Set<string>();
  const walk = async (value: unknown, path: KeyPath): Promise<unknown> => {
    if (typeof value === 'string') return expand(value, path);
    if (Array.isArray(value)) return Promise.all(value.map((item, i) => walk(item, [...path, i])));
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value).map(async ([key, item]) => [key, await walk(item, [...path, key])] as const);
    return Object.fromEntries(await Promise.all(entries));
  };
  const expand = async (text: string, path: KeyPath): Promise<string> => {
    let result = '';
    let end = 0;
    for (const match of text.matchAll(pattern)) {
      result += text.slice(end, match.index);
      end = match.index + match[0].length;
      const value = await resolveOne(match, path);
      if (value === undefined) {
        report.mute(path);
        return text;
      }
      result += value;
    }
    return result + text.slice(end);
  };
  const resolveOne = async (match: RegExpExecArray, path: KeyPath): Promise<string | undefined> => {
    if (match[0] === '$${') return '${';
    const found = await lookUp(match[1] ?? '', from);
    if (found.kind === 'value') {
      secrets.add(found.value);
      return found.value;
    }
    if (found.kind === 'unknown' && isExpressionPath(path)) return match[0];
    report.add(path, found.message);
    return undefined;
  };
  return { value: await walk(tree, []), secrets };
}

type Lookup =
  | { readonly kind: 'value'; readonly value: string }
  | { readonly kind: 'absent' | 'unknown'; readonly message: string };

async function lookUp(reference: string, { env, folder, readFile }: ReferenceSources): Promise<Lookup> {
  const [, scheme, name] = /^(env|file):(.+)$/.exec(reference) ?? [];
  if (scheme === undefined || name === undefined) {
    const message = `contains an unknown \${…}; allowed are \${env:NAME} and \${file:path}, and $\${ for a literal \${`;
    return { kind: 'unknown', message };
  }
  if (scheme === 'env') {
    const value = env[name];
    if (value === undefined) {
      return {
        kind: 'absent',
        message: `the environment variable ${name} is not set; set it before you start Rollcall`,
      };
    }
    if (value === '') return { kind: 'absent', message: `the environment variable ${name} is set but empty` };
    return { kind: 'value', value };
  }
  try {
    const value = (await readFile(resolve(folder, name))).replace(/^\uFEFF/, '').replace(/[\r\n]+$/, '');
    return value === '' ? { kind: 'absent', message: `the file ${name} is empty` } : { kind: 'value', value };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
    const why = code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})`;
    return { kind: 'absent', message: `the file ${name} ${why}; its path is resolved from the configuration's folder` };
  }
}

function isExpressionPath(path: KeyPath): boolean {
  return path.at(-1) === 'expression' || (path.length === 3 && path[0] === 'syncs' && path[2] === 'scope');
}
