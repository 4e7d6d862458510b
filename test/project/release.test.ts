import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { appendFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { inPage } from '../../scripts/licenses/packages.ts';
import { findUnpinnedImages } from '../../scripts/release/base-image.ts';
import { releaseChangelog } from '../../scripts/release/changelog.ts';
import { packageChart } from '../../scripts/release/chart.ts';
import { nextVersion } from '../../scripts/release/version.ts';
import { findHelm } from '../helm/helm-tool.ts';
import { type Answer, copyProject, type ProjectCopy } from './project-copy.ts';

const release = (copy: ProjectCopy, ...words: readonly string[]): Promise<Answer> =>
  copy.run('npm', 'run', '--silent', 'release', '--', ...words);

async function stateOf(copy: ProjectCopy): Promise<readonly string[]> {
  const { stdout: commit } = await copy.run('git', 'rev-parse', 'HEAD');
  const { stdout: changes } = await copy.run('git', 'status', '--porcelain');
  const { stdout: tags } = await copy.run('git', 'tag', '--list');
  return [commit, changes, tags, (await readdir(copy.folder)).join()];
}

const execute = promisify(execFile);
const digest = `sha256:${'0123456789abcdef'.repeat(4)}`;

/** Commits a base image with a digest, and a repository. Neither is a real one: nothing is built or published from them. */
async function makeReady(copy: ProjectCopy): Promise<void> {
  const path = join(copy.folder, 'Dockerfile');
  const text = await readFile(path, 'utf8');
  await writeFile(path, text.replace(/^(ARG BASE_IMAGE=[^@\n]+).*$/m, `$1@${digest}`));
  await copy.run('npm', 'pkg', 'set', 'repository.type=git', 'repository.url=git+https://example.com/any/rollcall.git');
  await copy.run('git', 'commit', '--quiet', '--allow-empty', '--all', '--message', 'Pin');
}

describe('npm run release', () => {
  let copy: ProjectCopy;
  let first = '';
  beforeAll(async () => {
    copy = await copyProject();
    first = (await copy.run('git', 'rev-parse', 'HEAD')).stdout.trim();
    return copy.remove;
  });
  // As it was copied: without commits, tags and files of the test before.
  beforeEach(async () => {
    await copy.run('git', 'checkout', '--quiet', '--force', '-B', 'main', first);
    await copy.run('git', 'clean', '--quiet', '-xdf', '--exclude', '/node_modules');
    const { stdout: tags } = await copy.run('git', 'tag', '--list');
    for (const tag of tags.split('\n').filter((one) => one !== '')) await copy.run('git', 'tag', '--delete', tag);
  });

  it('sets the version everywhere, dates the changelog, commits, tags and builds; a dry run changes nothing', {
    timeout: 240_000,
  }, async () => {
    await makeReady(copy);
    const read = (path: string): Promise<string> => readFile(join(copy.folder, path), 'utf8');
    const before = await stateOf(copy);

    const dry = await release(copy, '1.2.3', '--dry-run');
    expect(dry).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringMatching(/^Dry run: v1\.2\.3 would change/),
    });
    expect(await stateOf(copy)).toEqual(before);

    const made = await release(copy, '1.2.3');
    expect(made).toMatchObject({ code: 0, stderr: '' });
    expect(made.stdout).toContain('git push --atomic origin main v1.2.3');
    expect((await copy.run('git', 'log', '-1', '--format=%s', 'v1.2.3')).stdout).toBe('Release 1.2.3\n');
    expect((await copy.run('git', 'cat-file', '-t', 'v1.2.3')).stdout).toBe('tag\n');
    expect((await copy.run('git', 'status', '--porcelain')).stdout).toBe('');

    const lock = JSON.parse(await read('package-lock.json'));
    const versions = [JSON.parse(await read('package.json')).version, lock.version, lock.packages[''].version];
    expect(versions).toEqual(['1.2.3', '1.2.3', '1.2.3']);
    expect(parse(await read('helm/rollcall/Chart.yaml'))).toMatchObject({ version: '1.2.3', appVersion: '1.2.3' });
    expect(await read('Dockerfile')).toContain('ARG VERSION=1.2.3\n');
    expect(await read('CHANGELOG.md')).toMatch(/\n## \[Unreleased\]\n\n## \[1\.2\.3\] - \d{4}-\d\d-\d\d\n/);

    const { stdout: packed } = await copy.run('tar', 'tzf', 'dist-release/npm/rollcall-1.2.3.tgz');
    expect(packed.split('\n')).toEqual(
      expect.arrayContaining(
        [
          'package.json',
          'bin/rollcall.cjs',
          'dist/src/main/cli.js',
          'schema/rollcall.schema.json',
          'CHANGELOG.md',
          'LICENSE',
        ].map((path) => `package/${path}`),
      ),
    );
    expect(packed).not.toMatch(/^package\/(?:src|test|scripts|node_modules|\.[a-z])/m);
    const { stdout: manifest } = await copy.run(
      'tar',
      'xzOf',
      'dist-release/npm/rollcall-1.2.3.tgz',
      'package/package.json',
    );
    expect(JSON.parse(manifest)).toMatchObject({ version: '1.2.3', publishConfig: { provenance: true } });
    expect(made.stdout).toContain('The tag starts .github/workflows/release.yml');
    expectBillOfMaterials(JSON.parse(await read('dist-release/rollcall-1.2.3.cdx.json')), lock);
    const isHelmThere = (await findHelm()) !== undefined;
    expect(existsSync(join(copy.folder, 'dist-release/helm/rollcall-1.2.3.tgz'))).toBe(isHelmThere);

    const again = await release(copy, 'patch');
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('nothing to release') });
  });

  it('makes the files again only where the tag is, and for an image with a digest', async () => {
    await makeReady(copy);
    const untagged = await release(copy, 'artifacts');
    const moving = await release(copy, 'artifacts', '--image', 'ghcr.io/any/rollcall:1.2.3');
    expect(untagged).toMatchObject({ code: 1, stderr: expect.stringMatching(/checked out has no tag v\d+\.\d+\.\d+/) });
    expect(moving).toMatchObject({ code: 1, stderr: expect.stringContaining('has no digest') });
  });

  it('refuses a dirty work tree, another branch and a tag that exists', async () => {
    await makeReady(copy);
    await copy.run('git', 'tag', 'v9.0.0');
    const taken = await release(copy, '9.0.0');
    await appendFile(join(copy.folder, 'README.md'), '\n');
    const dirty = await release(copy, 'patch');
    await copy.run('git', 'checkout', '--quiet', '-B', 'topic');
    const elsewhere = await release(copy, 'patch', '--dry-run');

    expect(taken).toMatchObject({ code: 1, stderr: expect.stringContaining('The tag v9.0.0 exists already') });
    expect(dirty).toMatchObject({ code: 1, stderr: expect.stringMatching(/work tree has changes.*\n.*README\.md/) });
    expect(elsewhere).toMatchObject({ code: 1, stderr: expect.stringContaining('this is topic') });
  });

  it('refuses a base image without a digest, and says how to get it', async () => {
    const path = join(copy.folder, 'Dockerfile');
    await writeFile(path, (await readFile(path, 'utf8')).replace(/^(ARG BASE_IMAGE=[^@\n]+).*$/m, '$1'));
    await copy.run('git', 'commit', '--quiet', '--allow-empty', '--all', '--message', 'Unpin');
    const before = await stateOf(copy);
    const refused = await release(copy, 'patch');
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/starts from node:24\S+, which has no digest.*imagetools inspect node:24/s),
    });
    expect(await stateOf(copy)).toEqual(before);
  });

  it('refuses a package without a repository, and says how to set it', async () => {
    await makeReady(copy);
    await copy.run('npm', 'pkg', 'delete', 'repository');
    await copy.run('git', 'commit', '--quiet', '--all', '--message', 'No repository');
    const before = await stateOf(copy);
    const refused = await release(copy, 'patch');
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/package\.json names no repository\..*provenance.*npm pkg set repository\.type/s),
    });
    expect(await stateOf(copy)).toEqual(before);
  });

  it('of which a dry run shows version, files and notes names everything that is left to do', async () => {
    await appendFile(join(copy.folder, 'README.md'), '\n');
    const dry = await release(copy, '1.2.3', '--dry-run');
    expect(dry).toMatchObject({ code: 1, stdout: expect.stringMatching(/^Dry run: v1\.2\.3 would change .*Added/s) });
    // The digest and the repository are the owner's to add: with them, only the work tree is left.
    expect(dry.stderr).toMatch(/^v1\.2\.3 cannot be released yet:.*work tree has changes/s);
  });

  it('without a step says how it is used', async () => {
    expect(await release(copy)).toMatchObject({ code: 1, stderr: expect.stringContaining('Usage: npm run release') });
  });
});

it.skipIf((await findHelm()) === undefined)('a chart that is packaged with an image installs this image', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'rollcall-packaged-'));
  try {
    await packageChart(folder, `ghcr.io/any/rollcall@${digest}`);
    const [file = ''] = await readdir(folder);
    const { stdout } = await execute('tar', ['xzOf', join(folder, file), 'rollcall/values.yaml']);
    expect(parse(stdout).image).toMatchObject({ repository: 'ghcr.io/any/rollcall', digest, tag: '' });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

describe('the workflow that publishes a release', async () => {
  const text = await readFile(join(import.meta.dirname, '../../.github/workflows/release.yml'), 'utf8');
  const { on, permissions, jobs } = parse(text) as Workflow;
  const steps = Object.values(jobs).flatMap(({ steps }) => steps);
  const commands = steps.map(({ run = '' }) => run).join('\n');

  it('runs for tags of releases alone, and has no right that it does not need', () => {
    expect(on).toEqual({ push: { tags: ['v[0-9]+.[0-9]+.[0-9]+'] } });
    expect(permissions).toEqual({});
    expect(Object.values(jobs).map((job) => job.permissions)).toEqual([
      { contents: 'write', packages: 'write', 'id-token': 'write', attestations: 'write' },
    ]);
  });

  it('uses actions by digest, and puts nothing of an event into a command', () => {
    for (const { uses } of steps) if (uses !== undefined) expect(uses).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/);
    expect(text.match(/uses: \S+$/gm)).toBeNull();
    expect(commands).not.toMatch(/\$\{\{/);
  });

  it('builds for both architectures, signs image and chart, and verifies what it published', () => {
    expect(commands).toMatch(/--platform linux\/amd64,linux\/arm64[\s\S]*--sbom=true --provenance=mode=max/);
    expect(commands.match(/cosign sign --yes "\$(IMAGE|CHART)@\$\w+"/g)).toHaveLength(2);
    expect(commands).toMatch(/cosign attest --yes --type cyclonedx/);
    expect(commands).toMatch(/cosign verify .*\$IMAGE@[\s\S]*cosign verify .*\$CHART@/);
    expect(commands.indexOf('npm run release -- artifacts')).toBeLessThan(commands.indexOf('helm push'));
  });
});

interface Workflow {
  readonly on: unknown;
  readonly permissions: unknown;
  readonly jobs: Readonly<
    Record<
      string,
      { readonly permissions: unknown; readonly steps: readonly { readonly uses?: string; readonly run?: string }[] }
    >
  >;
}

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

describe('the images of a Dockerfile', () => {
  it.each([
    ['a digest', `FROM node:24@${digest}\n`],
    ['a variable with a digest', `ARG BASE=node:24@${digest}\nFROM \${BASE} AS build\nFROM $BASE\n`],
    ['a stage', `FROM node:24@${digest} AS build\nFROM build\n`],
  ])('are pinned by %s', (_, text) => {
    expect(findUnpinnedImages(text)).toEqual([]);
  });

  it.each([
    ['a tag', 'FROM node:24\n', 'node:24'],
    ['a short digest', 'FROM node:24@sha256:abc\n', 'node:24@sha256:abc'],
    ['a variable without a default', 'ARG BASE\nFROM --platform=linux/amd64 $BASE\n', '$BASE'],
    ['a second image', `FROM node:24@${digest} AS build\nfrom debian:12 as last\n`, 'debian:12'],
  ])('are not pinned by %s', (_, text, image) => {
    expect(findUnpinnedImages(text)).toEqual([expect.stringContaining(`starts from ${image}, which has no digest`)]);
  });
});

describe('the next version', () => {
  it.each([
    ['0.1.9', 'patch', '0.1.10'],
    ['0.1.9', 'minor', '0.2.0'],
    ['0.1.9', 'major', '1.0.0'],
    ['0.1.9', '0.1.9', '0.1.9'],
  ])('after %s by %s is %s', (current, step, next) => {
    expect(nextVersion(current, step)).toBe(next);
  });

  it.each(['0.1.8', 'bigger', '1.2', 'v1.2.3', '1.2.3-beta.1'])('cannot be %s', (step) => {
    expect(() => nextVersion('0.1.9', step)).toThrow(step);
  });
});

describe('the changelog of a release', () => {
  const older = '## [0.1.0] - 2026-01-02\n\n### Added\n\n- All.\n';

  it('keeps what is above and below, and begins a new empty section', () => {
    const { text, notes } = releaseChangelog(
      `# C\n\nIntro.\n\n## [Unreleased]\n\n### Fixed\n\n- A.\n\n${older}`,
      '0.1.1',
      '2026-02-03',
    );
    expect(notes).toBe('### Fixed\n\n- A.');
    expect(text).toBe(`# C\n\nIntro.\n\n## [Unreleased]\n\n## [0.1.1] - 2026-02-03\n\n### Fixed\n\n- A.\n\n${older}`);
  });

  it.each([
    ['no section', `# C\n\n${older}`],
    ['an empty section', `# C\n\n## [Unreleased]\n\n### Added\n\n${older}`],
  ])('with %s throws', (_, text) => {
    expect(() => releaseChangelog(text, '0.1.1', '2026-02-03')).toThrow('CHANGELOG.md has no');
  });
});
