import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { codeOnly } from './support/architecture/code-only.ts';
import {
  adapterImports,
  allowances,
  bundledPackages,
  fileCycles,
  folderCycles,
  forbiddenImports,
  laterSteps,
  packagesInCore,
  queueImports,
  typeCycles,
  undeclaredPackages,
} from './support/architecture/import-rules.ts';
import { badFileName, findNever, neverRules } from './support/architecture/never-rules.ts';
import { readSourceFiles, type SourceFile, toSourceFile, type Violation } from './support/architecture/source-file.ts';

const root = join(import.meta.dirname, '..');
const files = readSourceFiles(root, ['src', 'jobs']);
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
};
const dependencies = Object.keys(manifest.dependencies);
const developed = Object.keys(manifest.devDependencies);

const tell = (violations: readonly Violation[]) => violations.map(({ file, line, what }) => `${file}:${line} ${what}`);
const everywhere = (rule: (file: SourceFile) => readonly Violation[]) => tell(files.flatMap(rule));

/** What a rule says about one made-up file. */
const about = (rule: (file: SourceFile) => readonly Violation[], path: string, text: string) =>
  tell(rule(toSourceFile(path, text)));

it('there is something to look at', () => {
  expect(files.length).toBeGreaterThan(20);
  expect(files.some(({ imports }) => imports.length > 0)).toBe(true);
});

describe('imports', () => {
  it('run one way: core ← ports ← everything else, and only main knows all', () => {
    expect(everywhere(forbiddenImports)).toEqual([]);
  });

  it('no adapter imports another adapter', () => {
    expect(everywhere(adapterImports)).toEqual([]);
  });

  it('no step of a run imports a later step', () => {
    expect(everywhere(laterSteps)).toEqual([]);
    const text = "import { seal } from '../seal/seal-plan.ts';\nimport { read } from '../read/read-people.ts';\n";
    expect(about(laterSteps, 'src/run/judge/judge.ts', text)).toEqual([
      'src/run/judge/judge.ts:1 imports src/run/seal/seal-plan.ts: the step judge imports no later step',
    ]);
    expect(about(laterSteps, 'src/run/make-plan.ts', text)).toEqual([]);
  });

  it('core imports nothing from outside but node:crypto, ports nothing', () => {
    expect(everywhere(packagesInCore)).toEqual([]);
  });

  it('only work/queue, drivers/redis and main import the queue', () => {
    expect(everywhere(queueImports)).toEqual([]);
  });

  it('every package is declared as a dependency', () => {
    expect(everywhere((file) => undeclaredPackages(file, dependencies))).toEqual([]);
  });

  it('the page is built from development packages, and each of them is one', () => {
    expect(bundledPackages(files)).toContain('react');
    expect(bundledPackages(files).filter((name) => !developed.includes(name))).toEqual([]);
    expect(bundledPackages(files).filter((name) => dependencies.includes(name))).toEqual([]);
  });

  it('make no circle: neither of folders, nor of files, nor of their types', () => {
    expect(folderCycles(files)).toEqual([]);
    expect(fileCycles(files)).toEqual([]);
    expect(typeCycles(files)).toEqual([]);
  });

  it('lead to files that exist', () => {
    const missing = files.flatMap(({ path, imports }) =>
      imports
        .filter(({ isOwn, target }) => isOwn && !existsSync(join(root, target)))
        .map(({ line, target }) => `${path}:${line} imports ${target}, which is not there`),
    );
    expect(missing).toEqual([]);
  });

  it('every folder of src has a rule', () => {
    const folders = readdirSync(join(root, 'src')).map((name) => `src/${name}`);
    expect(folders.filter((folder) => folder !== 'src/main' && allowances[folder] === undefined)).toEqual([]);
  });
});

describe('the rules for imports catch', () => {
  it.each([
    ['src/core/plan/plan.ts', "import type { Store } from '../../ports/store.ts';", 'src/core may import only itself'],
    ['src/ports/store.ts', "import { x } from '../run/x.ts';", 'src/ports may import only itself, src/core'],
    ['src/run/run.ts', "import { x } from '../store/x.ts';", 'src/run may import'],
    ['src/store/open.ts', "export * from '../platform/x.ts';", 'src/store may import'],
    ['src/delivery/direct.ts', "import { x } from '../platform/client.ts';", 'src/delivery may import'],
    ['src/work/x.ts', "const x = await import('../store/x.ts');", 'src/work may import'],
    ['src/cli/start.ts', "import { app } from '../main/app.ts';", 'src/cli may import'],
    ['src/cli/start.ts', "import type { AppIo } from '../main/app.ts';", 'src/cli may import only itself'],
    ['src/cli/why.ts', "import type { Sync } from '../run/x.ts';", 'src/cli may import only itself'],
    ['src/app/connections.ts', "import type { Config } from '../config/config.ts';", 'src/app may import only itself'],
    ['src/work/x.ts', "import { request } from '../app/requests.ts';", 'src/work may import only itself'],
    ['src/cli/start.ts', "import type { Row } from '../store/x.ts';", 'src/cli may import'],
    ['jobs/sync.ts', "import { x } from '../src/store/x.ts';", 'jobs may import'],
    ['src/web/main.tsx', "import type { AppIo } from '../app/app-io.ts';", 'src/web may import only itself'],
    ['src/new/x.ts', '', 'no import rule knows the folder src/new'],
  ])('in %s: %s', (path, text, what) => {
    expect(about(forbiddenImports, path, `\n${text}\n`)).toEqual([expect.stringContaining(what)]);
  });

  it.each([
    ['src/cli/start.ts', "import type { AppIo } from '../app/app-io.ts';"],
    ['src/server/parts.ts', "import { findSync } from '../app/find-named.ts';"],
    ['src/app/why.ts', "import { x } from '../run/x.ts';"],
    ['src/sandbox/users.ts', "import { User } from '../platform/table/user.ts';"],
    ['src/work/in-process.ts', "import { x } from '../run/x.ts';"],
    ['src/main/app.ts', "import { x } from '../store/x.ts';"],
    ['src/core/person/text.ts', "// import { x } from '../store/x.ts';\nconst a = `import '../store/x.ts'`;"],
  ])('nothing in %s: %s', (path, text) => {
    expect(about(forbiddenImports, path, text)).toEqual([]);
  });

  it('an adapter that reaches for another one, or for the registry', () => {
    const text =
      "import {\n  a,\n} from '../csv/x.ts';\nimport { b } from '../registry.ts';\nimport { c } from './y.ts';";
    expect(about(adapterImports, 'src/sources/rest/index.ts', text)).toEqual([
      expect.stringMatching(/^src\/sources\/rest\/index\.ts:1 imports src\/sources\/csv\/x\.ts/),
      expect.stringContaining('index.ts:4 imports src/sources/registry.ts'),
    ]);
  });

  it('packages in core, the queue outside its folder, and what package.json does not name', () => {
    expect(about(packagesInCore, 'src/core/x.ts', "import { z } from 'zod';")).toHaveLength(1);
    expect(about(packagesInCore, 'src/core/x.ts', "import { readFile } from 'node:fs/promises';")).toHaveLength(1);
    expect(about(packagesInCore, 'src/core/x.ts', "import { createHash } from 'node:crypto';")).toEqual([]);
    expect(about(queueImports, 'src/run/x.ts', "import type { Queue } from 'bullmq';")).toHaveLength(1);
    expect(about(queueImports, 'src/work/queue/x.ts', "import { Queue } from 'bullmq';")).toEqual([]);
    expect(tell(undeclaredPackages(toSourceFile('src/x/y.ts', "import '@a/b/c';"), ['@a/b']))).toEqual([]);
    expect(tell(undeclaredPackages(toSourceFile('src/x/y.ts', "import '@a/b/c';"), ['@a/c']))).toHaveLength(1);
  });

  it('circles, and those of types apart', () => {
    const a = toSourceFile('src/run/a.ts', "import { b } from '../store/b.ts';");
    const b = (text: string) => toSourceFile('src/store/b.ts', text);
    const circle = ['src/run → src/store → src/run'];
    expect(folderCycles([a, b("import { a } from '../run/a.ts';")])).toEqual(circle);
    expect(fileCycles([a, b("import { a } from '../run/a.ts';")])).toHaveLength(1);
    expect(folderCycles([a, b("import type { A } from '../run/a.ts';")])).toEqual([]);
  });
});

describe('never', () => {
  it.each(neverRules)('$name', (rule) => {
    expect(everywhere((file) => findNever(rule, file))).toEqual([]);
    const example = toSourceFile('src/run/example.ts', `import 'x';\n${rule.example}\n`);
    expect(tell(findNever(rule, example))).toEqual([expect.stringContaining('src/run/example.ts:2 ')]);
  });

  it('a file called utils, helpers or common, or not in kebab-case', () => {
    expect(everywhere(badFileName)).toEqual([]);
    for (const path of [
      'src/core/utils.ts',
      'src/helpers/x.ts',
      'src/core/string-helper.ts',
      'src/core/PlanDigest.ts',
    ]) {
      expect(about(badFileName, path, '')).toHaveLength(path.includes('string-helper') ? 0 : 1);
    }
  });
});

describe('size', () => {
  const sources = files.filter(({ path }) => path.startsWith('src/'));

  it('no source file has more than 500 lines', () => {
    expect(
      sources.filter(({ lineCount }) => lineCount > 500).map(({ path, lineCount }) => `${path}: ${lineCount}`),
    ).toEqual([]);
  });

  it('no folder has more than 20 files', () => {
    const sizes = Map.groupBy(files, ({ path }) => dirname(path));
    expect([...sizes].filter(([, inIt]) => inIt.length > 20).map(([path]) => path)).toEqual([]);
  });

  it('no file below 30 lines has a single importer in its own folder', () => {
    const importers = Map.groupBy(
      files.flatMap(({ path, imports }) =>
        [...new Set(imports.filter(({ isOwn }) => isOwn).map(({ target }) => target))].map((to) => ({
          from: path,
          to,
        })),
      ),
      ({ to }) => to,
    );
    const crumbs = sources.filter(({ path, lineCount }) => {
      const from = importers.get(path) ?? [];
      return (
        lineCount < 30 &&
        !path.endsWith('/index.ts') &&
        from.length === 1 &&
        dirname(from[0]?.from ?? '') === dirname(path)
      );
    });
    expect(crumbs.map(({ path, lineCount }) => `${path}: ${lineCount}`)).toEqual([]);
  });

  it('a job has fewer than 50 lines', () => {
    const long = files.filter(({ path, lineCount }) => path.startsWith('jobs/') && lineCount >= 50);
    expect(long.map(({ path, lineCount }) => `${path}: ${lineCount}`)).toEqual([]);
  });
});

describe('main only wires', () => {
  const main = files.filter(({ path }) => path.startsWith('src/main/'));
  /** Waits or computes: a loop other than over a list, a minimum, a rounding. What decides belongs to a folder with a rule. */
  const computes = /\bMath\s*\.|\bwhile\s*\(|\bfor\s*\((?!const\b)/;

  it('no file of it waits in a loop or computes', () => {
    const busy = main.filter(({ code }) => computes.test(code));
    expect(busy.map(({ path }) => path)).toEqual([]);
    expect(
      ['while (true) f();', 'for (let i = 0; ; ) f();', 'f(Math.max(a, b));'].every((code) => computes.test(code)),
    ).toBe(true);
  });
});

describe('registries', () => {
  /** Names of what lies in a folder beside the registry: sub-folders, or else files. */
  const imported = (registry: string) =>
    files
      .find(({ path }) => path === registry)
      ?.imports.filter(({ isOwn }) => isOwn)
      .map(({ target }) => target) ?? [];

  it('of sources: every folder has the same files, and no folder more than fifteen', () => {
    const paths = files.map(({ path }) => path).filter((path) => /^src\/sources\/(?!kit\/)[^/]+\//.test(path));
    const kinds = new Set(paths.map((path) => path.split('/').slice(0, 3).join('/')));
    const lacking = [...kinds].flatMap((kind) => {
      const names = ['index.ts', 'config.ts'].map((name) => `${kind}/${name}`);
      const starter = existsSync(join(root, kind, 'starter.yaml')) ? [] : [`${kind}/starter.yaml`];
      return [...names.filter((path) => !paths.includes(path)), ...starter];
    });
    expect(lacking).toEqual([]);
    const sizes = new Map<string, number>();
    for (const path of paths) sizes.set(dirname(path), (sizes.get(dirname(path)) ?? 0) + 1);
    expect([...sizes].filter(([, size]) => size > 15)).toEqual([]);
  });

  it('of sources: one line per folder, and the folder is named after its kind', () => {
    const kinds = new Set(
      files.map(({ path }) => /^src\/sources\/(?!kit\/)([^/]+)\//.exec(path)?.[1]).filter((kind) => kind !== undefined),
    );
    const registered = imported('src/sources/kinds.ts').filter((target) => /^src\/sources\/[^/]+\//.test(target));
    expect(registered.toSorted()).toEqual([...kinds].sort().map((kind) => `src/sources/${kind}/index.ts`));
    for (const kind of kinds) {
      const texts = files.filter(({ path }) => path.startsWith(`src/sources/${kind}/`)).map(({ text }) => text);
      expect(texts.join('\n'), `src/sources/${kind} names its kind`).toMatch(
        new RegExp(`\\bkind(?:: '[\\w-]+')?\\s*[:=]\\s*'${kind}'`),
      );
    }
  });
});

describe('codeOnly', () => {
  it.each([
    ['a // b', 'a     '],
    ['a /* b\nc */ d', 'a     \n     d'],
    ["f('x // y')", "f('      ')"],
    ["'it\\'s' + b", "'     ' + b"],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text is code.
    ['`a ${b + `c ${d} e`} f` + g', '`  ${b + `  ${d}  `}  ` + g'],
    ['x = /["\'`/]/.test(y)', 'x = /["\'`/]/.test(y)'.replace('["\'`/]', '      ')],
    ['a / b / c', 'a / b / c'],
    ['return /a b/.exec(c)', 'return /   /.exec(c)'],
    ['${`', '${`'],
  ])('%j is %j', (text, code) => {
    expect(codeOnly(text)).toBe(code);
  });
});
