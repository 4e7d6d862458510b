import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { findUnpinnedImages } from './base-image.ts';
import { releaseChangelog } from './changelog.ts';
import { packageChart } from './chart.ts';
import { findMissingRepository } from './repository.ts';
import { writeSbom } from './sbom.ts';
import { nextVersion } from './version.ts';
import { setVersion, versionPlaces } from './version-places.ts';

/**
 * Makes a release on this machine: version, changelog, commit, tag, npm tarball, SBOM and chart. Pushes nothing: that does
 * .github/workflows/release.yml when it gets the tag, and for it `artifacts` makes the files of the tag again.
 *
 *   npm run release -- patch|minor|major|X.Y.Z [--dry-run]
 *   npm run release -- artifacts [--image NAME@sha256:…]      the chart then installs this image
 */
const usage = 'Usage: npm run release -- patch|minor|major|X.Y.Z [--dry-run], or: artifacts [--image NAME@sha256:…]';
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
    options: { 'dry-run': { type: 'boolean', default: false }, image: { type: 'string' } },
    allowPositionals: true,
  });
  const [step, ...others] = positionals;
  if (step === undefined || others.length > 0) throw new Error(usage);
  if (step === 'artifacts') {
    say(`In dist-release: ${(await rebuildArtifacts(values.image)).join(', ')}.`);
    return;
  }
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
  say(
    'The tag starts .github/workflows/release.yml, which publishes image, chart and files (SECURITY.md says how it is verified).',
  );
}

/** Makes the files of the release that is checked out. Throws when its tag is not here, or it could not be published. */
async function rebuildArtifacts(image: string | undefined): Promise<readonly string[]> {
  if (image !== undefined && !/^[a-z0-9./:_-]+@sha256:[0-9a-f]{64}$/.test(image))
    throw new Error(`--image ${image} has no digest: it looks like registry.example.com/rollcall@sha256:…`);
  const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
    readonly version: string;
    readonly repository?: unknown;
  };
  const tag = `v${manifest.version}`;
  const tags = await git('tag', '--points-at', 'HEAD');
  const obstacles = [
    ...(tags.split('\n').includes(tag)
      ? []
      : [`The commit that is checked out has no tag ${tag}, but package.json has this version.`]),
    ...(await findUnpublishable(manifest)),
  ];
  if (obstacles.length > 0) throw new Error(`${tag} cannot be published:\n\n${obstacles.join('\n\n')}`);
  return buildArtifacts(manifest.version, image);
}

/** Returns what a person must add to the sources before anything can be published from them. */
async function findUnpublishable(manifest: { readonly repository?: unknown }): Promise<readonly string[]> {
  const dockerfile = await readFile(join(root, 'Dockerfile'), 'utf8');
  return [...findUnpinnedImages(dockerfile), ...findMissingRepository(manifest)];
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
  const obstacles = [...(await findObstacles(tag)), ...(await findUnpublishable(manifest))];
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
async function buildArtifacts(version: string, image?: string): Promise<readonly string[]> {
  // What an older build left would be packed too.
  for (const folder of [outputFolder, join(root, 'dist')]) await rm(folder, { recursive: true, force: true });
  const tarballs = join(outputFolder, 'npm');
  await mkdir(tarballs, { recursive: true });
  await execute('npm', ['pack', '--silent', '--pack-destination', tarballs], { cwd: root, maxBuffer: 2 ** 25 });
  if (!(await packageChart(join(outputFolder, 'helm'), image)))
    say('The chart is not packaged: helm is not installed and cannot be fetched.');
  await writeSbom(root, join(outputFolder, `rollcall-${version}.cdx.json`));
  const files = await readdir(outputFolder, { recursive: true });
  return files.filter((path) => /\.(?:tgz|json)$/.test(path)).sort();
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
