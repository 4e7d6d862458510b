import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const cache = join(import.meta.dirname, '../../node_modules/.cache/prometheus');

/**
 * Where promtool is: $PROMTOOL, the one on the PATH, or the one of Debian's prometheus package, unpacked under node_modules
 * and not installed. Undefined when there is none.
 */
export async function findPromtool(): Promise<string | undefined> {
  const kept = join(cache, 'promtool');
  for (const candidate of [process.env.PROMTOOL, 'promtool', kept]) {
    if (candidate !== undefined && (await works(candidate))) return candidate;
  }
  return fetchPromtool(kept).catch(() => undefined);
}

function works(promtool: string): Promise<boolean> {
  return run(promtool, ['--version']).then(
    () => true,
    () => false,
  );
}

async function fetchPromtool(target: string): Promise<string> {
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, 'fetch-'));
  try {
    await run('apt-get', ['download', 'prometheus'], { cwd: folder, timeout: 60_000 });
    await run('sh', ['-c', 'dpkg -x prometheus_*.deb .'], { cwd: folder });
    await rename(join(folder, 'usr/bin/promtool'), target);
    return target;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
