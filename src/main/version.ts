import { createRequire } from 'node:module';

/** The version of this package. Its package.json lies above `src/main`, and above `dist/src/main` once built. */
export function readVersion(): string {
  const require = createRequire(import.meta.url);
  for (const path of ['../../package.json', '../../../package.json']) {
    try {
      return (require(path) as { readonly version: string }).version;
    } catch {
      // Not there: the other one is.
    }
  }
  throw new Error('package.json of rollcall is missing: install the package again');
}
