import { execFile } from 'node:child_process';
import { appendFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { findUnpinnedImages } from '../../scripts/release/base-image.ts';
import { releaseChangelog } from '../../scripts/release/changelog.ts';
import { packageChart } from '../../scripts/release/chart.ts';
import { nextVersion } from '../../scripts/release/version.ts';
import { findHelm } from '../helm/helm-tool.ts';
import { copyProject, digest, makeReady, type ProjectCopy, release, stateOf } from './project-copy.ts';

const execute = promisify(execFile);

/** What a release makes is in package.test.ts: it takes a build of the project. */
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

  it('scans libraries and image, with a database by its name, before it signs anything', () => {
    expect(commands).toMatch(/npm audit --omit=dev --audit-level=high[\s\S]*docker buildx build/);
    expect(commands).toMatch(/trivy image --download-db-only --db-repository[\s\S]*--skip-db-update --offline-scan/);
    expect(commands).toMatch(/--exit-code 1 "\$IMAGE@\$IMAGE_DIGEST"[\s\S]*helm push[\s\S]*cosign sign/);
  });

  it('is built from what a schedule raises: libraries, the base image and the actions', async () => {
    const { updates } = parse(await readFile(join(import.meta.dirname, '../../.github/dependabot.yml'), 'utf8'));
    expect(updates).toMatchObject(
      ['npm', 'docker', 'github-actions'].map((name) => ({ 'package-ecosystem': name, schedule: expect.anything() })),
    );
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
