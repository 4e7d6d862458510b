import type { Import, SourceFile, Violation } from './source-file.ts';

/** What a folder may import besides itself, node's own modules and packages (design, section 3). */
interface Allowance {
  readonly folders: readonly string[];
}

const contracts = ['src/core', 'src/ports'];

export const allowances: Readonly<Record<string, Allowance>> = {
  'src/core': { folders: [] },
  'src/ports': { folders: ['src/core'] },
  'src/run': { folders: contracts },
  'src/drivers': { folders: contracts },
  'src/platform': { folders: [...contracts, 'src/drivers'] },
  'src/sources': { folders: [...contracts, 'src/drivers'] },
  'src/delivery': { folders: [...contracts, 'src/drivers', 'src/platform/table'] },
  'src/store': { folders: [...contracts, 'src/drivers'] },
  'src/watch': { folders: [...contracts, 'src/drivers'] },
  'src/config': { folders: contracts },
  'src/views': { folders: contracts },
  'src/sandbox': { folders: [...contracts, 'src/platform/table'] },
  'src/app': { folders: [...contracts, 'src/run', 'src/views'] },
  'src/work': { folders: [...contracts, 'src/run', 'src/drivers/redis'] },
  'src/server': { folders: [...contracts, 'src/app', 'src/views'] },
  'src/cli': { folders: [...contracts, 'src/app', 'src/views'] },
  // A program for browsers: it knows the server by its HTTP API only. How durations are written, and
  // which addresses the page has, the server tells in the same words.
  'src/web': { folders: ['src/core/run/formats.ts', 'src/views/page-routes.ts'] },
  jobs: { folders: [...contracts, 'src/run'] },
};

/** The folder a file answers for: `src/core`, `jobs`; main is nobody's. */
export function folderOf(path: string): string {
  const [first = '', second = ''] = path.split('/');
  return first === 'src' ? `${first}/${second}` : first;
}

const isBelow = (path: string, folder: string) => path.startsWith(`${folder}/`);

/** core ← ports ← everything else; only main knows all. */
export function forbiddenImports(file: SourceFile): Violation[] {
  const folder = folderOf(file.path);
  if (folder === 'src/main') return [];
  const allowance = allowances[folder];
  if (allowance === undefined) {
    return [
      { file: file.path, line: 1, what: `no import rule knows the folder ${folder}: add it to the design first` },
    ];
  }
  const isAllowed = ({ target }: Import) =>
    isBelow(target, folder) || allowance.folders.some((one) => one === target || isBelow(target, one));
  return file.imports
    .filter((one) => one.isOwn && !isAllowed(one))
    .map((one) => violation(file, one, `${folder} may import only ${describe(allowance)}`));
}

function describe({ folders }: Allowance): string {
  return ['itself', ...folders].join(', ');
}

/** A source kind is one folder; it knows no other kind and not the registry. */
export function adapterImports(file: SourceFile): Violation[] {
  const kind = adapterFolder(file.path);
  if (kind === undefined) return [];
  return file.imports
    .filter(({ target }) => {
      const other = adapterFolder(target);
      return (
        (other !== undefined && other !== kind) || ['src/sources/kinds.ts', 'src/sources/registry.ts'].includes(target)
      );
    })
    .map((one) => violation(file, one, 'an adapter imports no other adapter and not the registry'));
}

/** What the source kinds share. */
const kit = 'src/sources/kit';

function adapterFolder(path: string): string | undefined {
  return /^src\/sources\/(?!kit\/)[^/]+\//.exec(path)?.[0];
}

const nodeModulesOfCore = ['node:crypto'];

/** core computes: nothing from outside but hashing. ports are words: nothing at all. */
export function packagesInCore(file: SourceFile): Violation[] {
  const folder = folderOf(file.path);
  if (folder !== 'src/core' && folder !== 'src/ports') return [];
  const allowed = folder === 'src/core' ? nodeModulesOfCore : [];
  return file.imports
    .filter((one) => !one.isOwn && !allowed.includes(one.target))
    .map((one) =>
      violation(file, one, `${folder} imports nothing from outside but ${allowed.join(', ') || 'nothing'}`),
    );
}

/** The steps of a run, in their order (design, section 3). */
const steps = ['read', 'compare', 'decide', 'lead', 'judge', 'record', 'seal', 'deliver', 'prove'];

const stepOf = (path: string): number => steps.indexOf(/^src\/run\/([^/]+)\//.exec(path)?.[1] ?? '');

/** A run goes forward: no step knows a later one. What several of them use stands beside the steps. */
export function laterSteps(file: SourceFile): Violation[] {
  const step = stepOf(file.path);
  if (step === -1) return [];
  return file.imports
    .filter(({ target }) => stepOf(target) > step)
    .map((one) => violation(file, one, `the step ${steps[step]} imports no later step`));
}

const queuePackages = ['bullmq', 'ioredis'];

const queueFolders = ['src/work/queue', 'src/drivers/redis', 'src/main'];

/** The queue can be taken away: only these folders speak to it. */
export function queueImports(file: SourceFile): Violation[] {
  if (queueFolders.some((folder) => isBelow(file.path, folder))) return [];
  return file.imports
    .filter(({ target }) => queuePackages.includes(packageOf(target)))
    .map((one) => violation(file, one, `only ${queueFolders.join(', ')} import the queue`));
}

/** What runs in production stands in `dependencies`. The page is built with its packages inside: see `bundledPackages`. */
export function undeclaredPackages(file: SourceFile, declared: readonly string[]): Violation[] {
  if (isBelow(file.path, 'src/web')) return [];
  return file.imports
    .filter(({ isOwn, target }) => !isOwn && !target.startsWith('node:') && !declared.includes(packageOf(target)))
    .map((one) => violation(file, one, 'not in the dependencies of package.json'));
}

/** The packages that the built page contains. */
export function bundledPackages(files: readonly SourceFile[]): readonly string[] {
  const imported = files.filter(({ path }) => isBelow(path, 'src/web')).flatMap(({ imports }) => imports);
  return [...new Set(imported.filter(({ isOwn }) => !isOwn).map(({ target }) => packageOf(target)))].sort();
}

/** Node's own modules carry `node:`, so that no package can take their place. */
function packageOf(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

/** Circles of run-time imports between folders, each as `a → b → a`. A source kind is a folder of its own. */
export function folderCycles(files: readonly SourceFile[]): string[] {
  return cycles(files, (path) => adapterFolder(path) ?? (isBelow(path, kit) ? kit : folderOf(path)));
}

/** Circles of run-time imports between files. */
export function fileCycles(files: readonly SourceFile[]): string[] {
  return cycles(files, (path) => path);
}

/** Circles between files that imports of types alone close. */
export function typeCycles(files: readonly SourceFile[]): string[] {
  return cycles(files, (path) => path, true);
}

function cycles(files: readonly SourceFile[], nodeOf: (path: string) => string, withTypes = false): string[] {
  const edges = new Map<string, Set<string>>();
  for (const file of files) {
    const from = nodeOf(file.path);
    const targets = edges.get(from) ?? new Set<string>();
    edges.set(from, targets);
    for (const { target, isOwn, isTypeOnly } of file.imports) {
      if (isOwn && (withTypes || !isTypeOnly) && nodeOf(target) !== from) targets.add(nodeOf(target));
    }
  }
  const found: string[] = [];
  const done = new Set<string>();
  const walk = (node: string, way: readonly string[]): void => {
    const start = way.indexOf(node);
    if (start !== -1) found.push([...way.slice(start), node].join(' → '));
    if (start !== -1 || done.has(node)) return;
    for (const next of edges.get(node) ?? []) walk(next, [...way, node]);
    done.add(node);
  };
  for (const node of edges.keys()) walk(node, []);
  return found;
}

function violation(file: SourceFile, { line, target }: Import, rule: string): Violation {
  return { file: file.path, line, what: `imports ${target}: ${rule}` };
}
