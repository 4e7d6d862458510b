import { findProgram, installPackages } from './programs.ts';

const names = ['chromium', 'chromium-browser', 'google-chrome'];

/**
 * Where a Chromium is: in PATH, or Debian's, installed now where that is allowed. Undefined, with a line that says so, when
 * none is to be had: the caller skips its tests.
 */
export async function findChromium(test: string): Promise<string | undefined> {
  for (const name of names) {
    const found = await findProgram(name);
    if (found !== undefined) return found;
  }
  if (await installPackages(['chromium'])) return findProgram('chromium');
  process.stderr.write(`${test} is skipped: no Chromium here; install it with "apt-get install chromium"\n`);
  return undefined;
}
