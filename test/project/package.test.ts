import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { inPage } from '../../scripts/licenses/packages.ts';
import { startSandbox } from '../../src/sandbox/index.ts';
import { findHelm } from '../helm/helm-tool.ts';
import { slowly } from '../support/slowness.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { type Answer, copyProject, makeReady, type ProjectCopy, release, stateOf } from './project-copy.ts';

const root = join(import.meta.dirname, '../..');
const execute = promisify(execFile);

interface Manifest {
  readonly repository?: { readonly url: string };
  readonly bin: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly dependencies: Readonly<Record<string, string>>;
}

/**
 * Installs a tarball as npm does, without a registry: unpacks it, and links the packages that its manifest names. A
 * package that it uses and does not name is not found.
 */
async function install(tarball: string, app: string): Promise<Manifest> {
  const modules = join(app, 'node_modules');
  const own = join(modules, 'rollcall');
  await mkdir(own, { recursive: true });
  await execute('tar', ['xzf', tarball, '-C', own, '--strip-components=1']);
  const manifest: Manifest = JSON.parse(await readFile(join(own, 'package.json'), 'utf8'));
  for (const name of [...Object.keys(manifest.dependencies), '@types/node']) {
    await mkdir(dirname(join(modules, name)), { recursive: true });
    await symlink(join(root, 'node_modules', name), join(modules, name));
  }
  return manifest;
}

/** Programs of an installed package, in strict settings. The types of the package itself are checked too. */
const settings = {
  compilerOptions: {
    target: 'es2024',
    lib: ['es2024', 'esnext.array'],
    module: 'nodenext',
    types: ['node'],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    verbatimModuleSyntax: true,
    erasableSyntaxOnly: true,
    noEmit: true,
    skipLibCheck: true,
  },
  include: ['*.ts'],
};

const wrong = `import { connectPlatform } from 'rollcall/platform';
const platform = connectPlatform({ baseUrl: '', accessToken: '', now: Date.now });
const goal = await platform.goals.get({ code: 'G1', identification: 'E1' });
// @ts-expect-error A typo.
goal.titel;
// @ts-expect-error Undefined is not absent.
await platform.evaluations.page({ status: 'SENT' });
// @ts-expect-error Both kinds of tokens are missing.
connectPlatform({ baseUrl: '', now: Date.now });
`;

/** Declares what an example of a page takes as given. */
function prelude(code: string): string {
  const given = ['baseUrl', 'accessToken', 'applicationToken', 'refreshToken', 'encryptionKey'];
  const isOpen = code.includes('const platform');
  return `import { createReadStream } from 'node:fs';
import type { PlatformConnection } from 'rollcall/platform';
export type Used = [PlatformConnection, typeof createReadStream];
declare const ${given.map((name) => `${name}: string`).join(', ')};
${isOpen ? '' : 'declare const platform: PlatformConnection;'}
`;
}

let copy: ProjectCopy;
let dry: Answer;
let made: Answer;
/** What git and the folder say before and after the dry run. */
let states: readonly (readonly string[])[];
/** The tarball of the release, in the copy. */
const tarball = 'dist-release/npm/rollcall-1.2.3.tgz';

// It builds the project, which takes a while on a busy machine.
beforeAll(async () => {
  copy = await copyProject();
  await makeReady(copy);
  const before = await stateOf(copy);
  dry = await release(copy, '1.2.3', '--dry-run');
  states = [before, await stateOf(copy)];
  made = await copy.run('npm', 'run', '--silent', 'release', '--', '1.2.3');
  return copy.remove;
}, slowly(300_000));

it('a release sets the version everywhere, dates the changelog, commits, tags and builds; a dry run changes nothing', async () => {
  const read = (path: string): Promise<string> => readFile(join(copy.folder, path), 'utf8');
  expect(dry).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/^Dry run: v1\.2\.3 would change/) });
  expect(states[1]).toEqual(states[0]);
  expect(made).toMatchObject({ code: 0, stderr: '' });
  expect(made.stdout).toContain('git push --atomic origin main v1.2.3');
  expect(made.stdout).toContain('The tag starts .github/workflows/release.yml');
  expect((await copy.run('git', 'log', '-1', '--format=%s', 'v1.2.3')).stdout).toBe('Release 1.2.3\n');
  expect((await copy.run('git', 'cat-file', '-t', 'v1.2.3')).stdout).toBe('tag\n');
  expect((await copy.run('git', 'status', '--porcelain')).stdout).toBe('');

  const lock = JSON.parse(await read('package-lock.json'));
  const versions = [JSON.parse(await read('package.json')).version, lock.version, lock.packages[''].version];
  expect(versions).toEqual(['1.2.3', '1.2.3', '1.2.3']);
  expect(parse(await read('helm/rollcall/Chart.yaml'))).toMatchObject({ version: '1.2.3', appVersion: '1.2.3' });
  expect(await read('Dockerfile')).toContain('ARG VERSION=1.2.3\n');
  expect(await read('CHANGELOG.md')).toMatch(/\n## \[Unreleased\]\n\n## \[1\.2\.3\] - \d{4}-\d\d-\d\d\n/);
  expectBillOfMaterials(JSON.parse(await read('dist-release/rollcall-1.2.3.cdx.json')), lock);
  const isHelmThere = (await findHelm()) !== undefined;
  expect(existsSync(join(copy.folder, 'dist-release/helm/rollcall-1.2.3.tgz'))).toBe(isHelmThere);

  const again = await release(copy, 'patch');
  expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('nothing to release') });
});

interface BillOfMaterials {
  readonly bomFormat: string;
  readonly specVersion: string;
  readonly metadata: { readonly component: { readonly name: string; readonly version: string } };
  readonly components: readonly { readonly name: string; readonly version: string; readonly licenses?: unknown }[];
}

interface Lock {
  readonly packages: Readonly<
    Record<string, { readonly version: string; readonly dev?: boolean; readonly devOptional?: boolean }>
  >;
}

/** Expects CycloneDX with every production package of the lock file, each with a license, and no other package. */
function expectBillOfMaterials(sbom: BillOfMaterials, { packages }: Lock): void {
  expect(sbom).toMatchObject({ bomFormat: 'CycloneDX', specVersion: expect.stringMatching(/^1\.\d$/) });
  expect(sbom.metadata.component).toMatchObject({ name: 'rollcall', version: '1.2.3' });
  const nameAt = (path: string): string => path.replace(/^.*node_modules\//, '');
  const locked = Object.entries(packages)
    .filter(
      ([path, { dev, devOptional }]) =>
        path !== '' && ((dev !== true && devOptional !== true) || inPage.has(nameAt(path))),
    )
    .map(([path, { version }]) => `${nameAt(path)}@${version}`);
  expect(sbom.components.map(({ name, version }) => `${name}@${version}`).sort()).toEqual([...new Set(locked)].sort());
  expect(sbom.components.filter(({ licenses }) => licenses === undefined)).toEqual([]);
}

it('the packed package holds what it names, its README leads nowhere wrong, and its library works in an empty folder', {
  timeout: slowly(300_000),
}, async () => {
  const { stdout: listed } = await copy.run('tar', 'tzf', tarball);
  const paths = new Set(listed.split('\n').map((path) => path.replace(/^package\//, '')));
  const published = await copy.run('npm', 'publish', tarball, '--dry-run', '--provenance=false', '--tag=next');
  expect(published).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\+ rollcall@/m) });
  const app = await temporaryFolder();
  const manifest = await install(join(copy.folder, tarball), app);

  expect(manifest).toMatchObject({ version: '1.2.3', publishConfig: { provenance: true } });
  const named = [
    'schema/rollcall.schema.json',
    'CHANGELOG.md',
    'LICENSE',
    ...Object.values(manifest.bin),
    ...Object.values(manifest.exports).flatMap(Object.values),
  ];
  expect(named.map((path) => path.replace(/^\.\//, '')).filter((path) => !paths.has(path))).toEqual([]);
  expect([...paths].filter((path) => /^(?:src|test|scripts|bench|helm|node_modules|\.)/.test(path))).toEqual([]);
  expect([...paths].filter((path) => /\.(?:env|pem|key|db|sqlite|log|tgz)$/.test(path))).toEqual([]);

  const readme = await readFile(join(app, 'node_modules/rollcall/README.md'), 'utf8');
  const links = [...readme.matchAll(/\]\(([^)#\s]+)[^)]*\)/g)].map(([, link = '']) => link);
  const isThere = (link: string): boolean =>
    paths.has(link) || [...paths].some((path) => path.startsWith(`${link.replace(/\/$/, '')}/`));
  expect(links.length).toBeGreaterThan(20);
  expect(links.filter((link) => !/^https?:/.test(link) && !isThere(link))).toEqual([]);

  const examples = join(app, 'node_modules/rollcall/examples');
  for (const name of (await readdir(examples)).filter((file) => file.endsWith('.ts'))) {
    await cp(join(examples, name), join(app, name));
  }
  await writeFile(join(app, 'package.json'), '{"type":"module"}');
  await writeFile(join(app, 'tsconfig.json'), JSON.stringify(settings));
  await writeFile(join(app, 'wrong.ts'), wrong);
  for (const page of ['README.md', 'docs/library.md']) {
    const text = await readFile(join(app, 'node_modules/rollcall', page), 'utf8');
    for (const [i, [, code = '']] of [...text.matchAll(/```ts\n(.*?)```/gs)].entries()) {
      await writeFile(join(app, `${page.replace(/\W/g, '-')}-${i}.ts`), prelude(code) + code);
    }
  }
  const checked = execute(join(root, 'node_modules/.bin/tsc'), ['-p', app]).catch((error) => error);

  const sandbox = await startSandbox({ users: 5, now: () => Date.UTC(2026, 4, 20, 12), accessTokenLifeMs: 1e12 });
  try {
    const key = Buffer.alloc(32, 7).toString('base64');
    const child = spawn(process.execPath, [join(app, 'rotate-tokens.ts'), join(app, 'tokens.json')], {
      cwd: app,
      env: {
        PLATFORM_URL: sandbox.url,
        APPLICATION_TOKEN: sandbox.applicationToken,
        REFRESH_TOKEN: sandbox.refreshToken,
        TOKEN_KEY: key,
      },
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => (output += text));
    const [exit] = await once(child, 'close');
    expect({ exit, output }).toEqual({ exit: 0, output: expect.stringMatching(/E000005.*5 of 5.*tokens: ready/s) });
  } finally {
    await sandbox.close();
  }
  const { stdout: problems } = await checked;
  expect(problems).toBe('');
});

describe('the packed tarball, installed with npm install --global into an empty prefix', () => {
  let place: string;
  let folder: string;
  let env: Readonly<Record<string, string>>;

  const rollcall = (...words: readonly string[]) => execute('rollcall', words, { cwd: folder, env });

  beforeAll(async () => {
    place = await mkdtemp(join(tmpdir(), 'rollcall-installed-'));
    folder = join(place, 'some where else');
    await mkdir(folder);
    const flags = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'];
    await execute('npm', [
      'install',
      '--global',
      '--prefix',
      join(place, 'prefix'),
      ...flags,
      join(copy.folder, tarball),
    ]);
    const PATH = [join(place, 'prefix/bin'), dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter);
    env = { PATH, HOME: place, ROLLCALL_ACCESS_TOKEN: 'token-of-the-test' };
  }, slowly(300_000));

  afterAll(() => rm(place, { recursive: true, force: true }));

  it('says its version', async () => {
    expect((await rollcall('--version')).stdout.trim()).toBe('1.2.3');
  });

  it('writes a configuration into the folder of the shell, and reads it there', async () => {
    await rollcall('init');

    expect(await readdir(folder)).toEqual(expect.arrayContaining(['rollcall.yaml', 'employees.csv']));
    expect((await rollcall('source', 'try', 'people')).stdout).toContain('1001');
  });

  it('starts a platform, and syncs to it from the first plan to the empty one', async () => {
    const sandbox = spawn('rollcall', ['sandbox', '--port', '0', '--access-token', 'token-of-the-test'], {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [first] = (await once(sandbox.stdout, 'data')) as [Buffer];
    const url = /http:\/\/\S+/.exec(first.toString())?.[0] ?? '';
    const config = await readFile(join(folder, 'rollcall.yaml'), 'utf8');
    await writeFile(join(folder, 'rollcall.yaml'), config.replace('https://platform.example.com', url));

    expect((await rollcall('apply', 'people')).stdout).toContain('3 applied');
    expect((await rollcall('plan', 'people')).stdout).toContain('nothing to do');

    const ended = once(sandbox, 'exit');
    sandbox.kill('SIGTERM');
    await ended;
  });
});

it('an older Node.js gets an answer that it can read, and exit code 2', async () => {
  const bin = join(root, 'bin/rollcall.cjs');
  // The version is all that the check reads, so this process plays an older one.
  const play = `Object.defineProperty(process.versions, 'node', { value: '20.20.2' }); require(${JSON.stringify(bin)});`;

  const refusal = await execute(process.execPath, ['-e', play]).catch((error: unknown) => error);

  expect(refusal).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('rollcall needs Node.js 24 or newer, and this is Node.js 20.20.2'),
  });
});
