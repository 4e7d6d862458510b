import { readFileSync, statfsSync } from 'node:fs';

const place = '/dev/shm';
/** Databases, packages and spools of three workers at once take about half a gigabyte. */
const leastBytes = 2 * 1024 ** 3;

/**
 * Returns a folder in memory for what tests write, undefined where there is none or little of it. On a disk each commit
 * of a store waits for the disk, which takes longer than the rest of most tests.
 */
export function memoryFolder(): string | undefined {
  try {
    const { bavail, bsize } = statfsSync(place);
    const mount = readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .find((line) => line.includes(` ${place} tmpfs `));
    // Tests also install packages, whose programs must be able to run.
    return mount !== undefined && !mount.includes('noexec') && bavail * bsize > leastBytes ? place : undefined;
  } catch {
    return undefined;
  }
}
