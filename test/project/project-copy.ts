import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '../..');
const execute = promisify(execFile);

export interface Answer {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A git repository of its own with the project's files as they are in the work tree, in one commit on `main`. */
export interface ProjectCopy {
  readonly folder: string;
  /** Runs a program in the copy. Never rejects because of its exit code. */
  run(program: string, ...words: readonly string[]): Promise<Answer>;
  remove(): Promise<void>;
}

/** Copies the project; its packages are linked. The caller removes the copy. */
export async function copyProject(): Promise<ProjectCopy> {
  const folder = await mkdtemp(join(tmpdir(), 'rollcall-copy-'));
  // Neither the caller's git settings nor the variables of git's hooks and of this test runner reach the copy.
  const own = Object.entries(process.env).filter(([name]) => !/^(?:GIT|VITEST|VITE)_?/.test(name));
  const env = { ...Object.fromEntries(own), GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' };
  const run = async (program: string, ...words: readonly string[]): Promise<Answer> => {
    try {
      const { stdout, stderr } = await execute(program, [...words], { cwd: folder, env, maxBuffer: 2 ** 25 });
      return { code: 0, stdout, stderr };
    } catch (error) {
      const failed = error as { readonly code?: unknown; readonly stdout?: string; readonly stderr?: string };
      if (typeof failed.code !== 'number') throw error;
      return { code: failed.code, stdout: failed.stdout ?? '', stderr: failed.stderr ?? '' };
    }
  };
  const listed = await execute(
    'git',
    ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--deduplicate'],
    {
      cwd: root,
      env,
      maxBuffer: 2 ** 25,
    },
  );
  for (const path of listed.stdout.split('\0').filter((each) => each !== '')) {
    await cp(join(root, path), join(folder, path), { force: true, preserveTimestamps: true }).catch(ignoreMissing);
  }
  for (const path of ['node_modules', 'scripts/node_modules']) await symlink(join(root, path), join(folder, path));
  const git = async (...words: readonly string[]): Promise<void> => {
    const { code, stderr } = await run('git', ...words);
    if (code !== 0) throw new Error(`git ${words.join(' ')} failed: ${stderr}`);
  };
  await git('init', '--quiet', '--initial-branch', 'main');
  await git('config', 'user.name', 'Test');
  await git('config', 'user.email', 'test@example.com');
  // .gitignore excludes the folder node_modules, and here it is a link.
  await writeFile(join(folder, '.git/info/exclude'), 'node_modules\n');
  await git('add', '.');
  await git('commit', '--quiet', '--message', 'The project');
  return { folder, run, remove: () => rm(folder, { recursive: true, force: true, maxRetries: 3 }) };
}

/** A file that is deleted in the work tree and not yet in git. */
function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}

/** A digest of an image that is nowhere. */
export const digest = `sha256:${'0123456789abcdef'.repeat(4)}`;

/** Commits a base image with a digest, and a repository. Neither is a real one: nothing is built or published from them. */
export async function makeReady(copy: ProjectCopy): Promise<void> {
  const path = join(copy.folder, 'Dockerfile');
  const text = await readFile(path, 'utf8');
  await writeFile(path, text.replace(/^(ARG BASE_IMAGE=[^@\n]+).*$/m, `$1@${digest}`));
  await copy.run('npm', 'pkg', 'set', 'repository.type=git', 'repository.url=git+https://example.com/any/rollcall.git');
  await copy.run('git', 'commit', '--quiet', '--allow-empty', '--all', '--message', 'Pin');
}

/** What `npm run release` starts. */
export const release = (copy: ProjectCopy, ...words: readonly string[]): Promise<Answer> =>
  copy.run(process.execPath, 'scripts/release/release.ts', ...words);

export async function stateOf(copy: ProjectCopy): Promise<readonly string[]> {
  const { stdout: commit } = await copy.run('git', 'rev-parse', 'HEAD');
  const { stdout: changes } = await copy.run('git', 'status', '--porcelain');
  const { stdout: tags } = await copy.run('git', 'tag', '--list');
  return [commit, changes, tags, (await readdir(copy.folder)).join()];
}
