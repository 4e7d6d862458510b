import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Builds the page before tests that open it, unless it is up to date. In a process of its own, as users build it. */
export async function setup(): Promise<void> {
  await promisify(execFile)(process.execPath, [join(import.meta.dirname, '../../scripts/web/build-page.ts')]);
}
