import { createRequire } from 'node:module';

/** Returns the version of this package, from the package.json above `src/drivers/http` or, once built, `dist/src/drivers/http`. */
export function readVersion(): string {
  const require = createRequire(import.meta.url);
  for (const path of ['../../../package.json', '../../../../package.json']) {
    try {
      return (require(path) as { readonly version: string }).version;
    } catch {
      // The package is at the other path.
    }
  }
  throw new Error('package.json of rollcall is missing: install the package again');
}
