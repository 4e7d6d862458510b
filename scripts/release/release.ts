import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { chart, findHelm, runHelm } from '../../test/helm/helm-tool.ts';
import { findUnpinnedImages } from './base-image.ts';
import { releaseChangelog } from './changelog.ts';
import { findMissingRepository } from './repository.ts';
import { writeSbom } from './sbom.ts';
import { nextVersion } from './version.ts';
import { setVersion, versionPlaces } from './version-places.ts';

/**
 * Makes a release on this machine: version, changelog, commit, tag, npm tarball, SBOM and chart. Pushes nothing.
 *
 *   npm run release -- patch|minor|major|X.Y.Z [--dry-run]
 */
const usage = 'Usage: npm run release -- patch|minor|major|X.Y.Z [--dry-run]';
const root = join(import.meta.dirname, '../..');
const outputFolder = join(root, 'dist-release');
const execute = promisify(execFile);

interface Release {
  readonly version: string;
  readonly tag: string;
  /** The files that the release changes, by path, with their new text. */
  readonly texts: ReadonlyMap<string, string>;
  readonly notes: string;
  /** What a person must do before the release can be made. */
  readonly obstacles: readonly string[];
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: { 'dry-run': { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  const [step, ...others] = positionals;
  if (step === undefined || others.length > 0) throw new Error(usage);
  const release = await prepare(step, new Date());
  if (values['dry-run']) {
    say(`Dry run: ${release.tag} would change ${[...release.texts.keys()].join(', ')}. Its notes:\n\n${release.notes}`);
  }
  const { obstacles } = release;
  if (obstacles.length > 0) throw new Error(`${release.tag} cannot be released yet:\n\n${obstacles.join('\n\n')}`);
  if (values['dry-run']) return;
  const artifacts = await buildAndCommit(release);
  await git('tag', '--annotate', release.tag, '--message', `Rollcall ${release.version}`);
  say(`Released ${release.tag} on this machine. In dist-release: ${artifacts.join(', ')}.`);
  say(`To publish it:\n  git push --atomic origin main ${release.tag}`);
  say(`In a CI job that npm trusts for provenance (CONTRIBUTING.md, "Release"):`);
  say(`  npm publish dist-release/npm/rollcall-${release.version}.tgz --provenance`);
}

/** Returns why no release can be made now: another branch, uncommitted changes, or the tag. */
async function findObstacles(tag: string): Promise<readonly string[]> {
  const branch = await git('branch', '--show-current');
  const changes = await git('status', '--porcelain');
  const tags = await git('tag', '--list', tag);
  return [
    ...(branch === 'main'
      ? []
      : [`A release is made from the branch main; this is ${branch || 'no branch'}. Run: git switch main`]),
    ...(changes === '' ? [] : [`The work tree has changes. Commit or remove them first:\n${changes}`]),
    ...(tags === '' ? [] : [`The tag ${tag} exists already.`]),
  ];
}

async function prepare(step: string, now: Date): Promise<Release> {
  const read = (path: string): Promise<string> => readFile(join(root, path), 'utf8');
  const manifest = JSON.parse(await read('package.json')) as {
    readonly version: string;
    readonly repository?: unknown;
  };
  const current = manifest.version;
  const version = nextVersion(current, step);
  const tag = `v${version}`;
  const obstacles = [
    ...(await findObstacles(tag)),
    ...findUnpinnedImages(await read('Dockerfile')),
    ...findMissingRepository(manifest),
  ];
  const texts = new Map<string, string>();
  for (const place of versionPlaces) texts.set(place.path, setVersion(await read(place.path), place, version));
  const { text, notes } = releaseChangelog(await read('CHANGELOG.md'), version, now.toISOString().slice(0, 10));
  return { version, tag, texts: texts.set('CHANGELOG.md', text), notes, obstacles };
}

/** Returns the names of the artifacts. On any error the files are restored and nothing is committed. */
async function buildAndCommit({ version, texts }: Release): Promise<readonly string[]> {
  try {
    for (const [path, text] of texts) await writeFile(join(root, path), text);
    const artifacts = await buildArtifacts(version);
    await git('add', ...texts.keys());
    await git('commit', '--quiet', '--message', `Release ${version}`);
    return artifacts;
  } catch (error) {
    await git('restore', '--staged', '--worktree', ...texts.keys());
    throw error;
  }
}

/** Both tools name their package `rollcall-X.Y.Z.tgz`, so each has a folder of its own. */
async function buildArtifacts(version: string): Promise<readonly string[]> {
  // What an older build left would be packed too.
  for (const folder of [outputFolder, join(root, 'dist')]) await rm(folder, { recursive: true, force: true });
  const tarballs = join(outputFolder, 'npm');
  await mkdir(tarballs, { recursive: true });
  await execute('npm', ['pack', '--silent', '--pack-destination', tarballs], { cwd: root, maxBuffer: 2 ** 25 });
  await packageChart(join(outputFolder, 'helm'));
  await writeSbom(root, join(outputFolder, `rollcall-${version}.cdx.json`));
  const files = await readdir(outputFolder, { recursive: true });
  return files.filter((path) => /\.(?:tgz|json)$/.test(path)).sort();
}

async function packageChart(folder: string): Promise<void> {
  const helm = await findHelm();
  if (helm === undefined) {
    say('The chart is not packaged: helm is not installed and cannot be fetched.');
    return;
  }
  const { code, stderr } = await runHelm(helm, ['package', chart, '--destination', folder]);
  if (code !== 0) throw new Error(`helm package failed:\n${stderr}`);
}

async function git(...words: readonly string[]): Promise<string> {
  return (await execute('git', [...words], { cwd: root, maxBuffer: 2 ** 25 })).stdout.trim();
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

await main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
