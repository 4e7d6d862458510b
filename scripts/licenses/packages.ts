import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** One package that a production installation holds. */
export interface ProductionPackage {
  readonly name: string;
  readonly version: string;
  /** SPDX expression; undefined when the package states none. */
  readonly license: string | undefined;
}

interface Locked {
  readonly version?: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly devOptional?: boolean;
}

/** What `package.json` may say; `licenses` is the form of before 2015. */
interface Stated {
  readonly license?: string | { readonly type?: string };
  readonly licenses?: readonly { readonly type?: string }[];
}

/**
 * Optional packages whose license the lock file does not repeat, because they state it in the old form. They are missing
 * from an installation that could not compile them, and the list has to be the same there.
 */
const oldForm: Readonly<Record<string, string>> = { buildcheck: 'MIT', 'cpu-features': 'MIT' };

/** Development packages whose code the built page contains: who installs Rollcall gets it too. */
export const inPage: ReadonlySet<string> = new Set([
  '@tanstack/query-core',
  '@tanstack/react-query',
  '@tanstack/react-virtual',
  '@tanstack/virtual-core',
  'openapi-fetch',
  'openapi-typescript-helpers',
  'react',
  'react-dom',
  'regexparam',
  'scheduler',
  'use-sync-external-store',
  'wouter',
]);

/** Reads the production packages of the lock file in `root`, and their licenses from node_modules. Sorted by name and version. */
export async function readProductionPackages(root: string): Promise<readonly ProductionPackage[]> {
  const lock = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, Locked>>;
  };
  const found = new Map<string, ProductionPackage>();
  for (const [path, locked] of Object.entries(lock.packages)) {
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    const isLeftOut = (locked.dev === true || locked.devOptional === true) && !inPage.has(name);
    if (path === '' || isLeftOut) continue;
    const license = (await readStated(join(root, path))) ?? locked.license ?? oldForm[name];
    const version = locked.version ?? '';
    found.set(`${name}@${version}`, { name, version, license });
  }
  return [...found.values()].sort((a, b) => compare(a.name, b.name) || compare(a.version, b.version));
}

async function readStated(folder: string): Promise<string | undefined> {
  const text = await readFile(join(folder, 'package.json'), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const { license, licenses } = JSON.parse(text) as Stated;
  if (typeof license === 'string') return license;
  const types = (license === undefined ? (licenses ?? []) : [license]).flatMap(({ type }) => type ?? []);
  // The old form lists licenses to choose from.
  return types.length === 0 ? undefined : types.join(' OR ');
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
