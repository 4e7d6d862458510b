import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');

/** A folder with packages of its own, which a start of the product and most work on it do without. */
type Part = 'scripts' | 'site';

/** Installs the packages of a part, unless they are as its lock file says. */
export function installParts(part: Part): void {
  const folder = join(root, part);
  if (changedAt(join(folder, 'node_modules/.package-lock.json')) > changedAt(join(folder, 'package-lock.json'))) return;
  process.stderr.write(`Installing the packages of ${part}/\n`);
  const words = ['ci', '--no-audit', '--no-fund', '--silent'];
  execFileSync('npm', words, { cwd: folder, stdio: ['ignore', 2, 2] });
}

/** Returns 0 for a file that does not exist. */
function changedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

if (process.argv[1] === import.meta.filename) installParts(process.argv[2] === 'site' ? 'site' : 'scripts');
