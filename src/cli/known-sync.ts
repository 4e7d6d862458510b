import type { App } from '../app/app.ts';
import { RollcallError } from '../core/errors.ts';

/** Throws `USAGE`, with the names that there are, for a sync that is not configured. */
export function refuseUnknownSync(sync: string, { syncs }: Pick<App, 'syncs'>): void {
  const known = syncs.map(({ name }) => name);
  if (known.includes(sync)) return;
  throw new RollcallError(`no sync is called ${sync}; the configuration has: ${known.join(', ')}`, { code: 'USAGE' });
}
