import type { User } from '../core/user.ts';
import type { PlannedChange } from '../ports/store.ts';
import type { RunContext } from './engine-io.ts';
import { scanFor } from './scan-for.ts';

/**
 * Looks at the users whose e-mails some changes take over. Returns, by identification, why a change cannot go: the change
 * that was to free the e-mail failed, was left out, or its outcome is not known.
 */
export async function stillTaken(
  changes: readonly PlannedChange[],
  { sync, signal }: RunContext,
): Promise<ReadonlyMap<string, string>> {
  const waiting = changes.filter(({ waitsFor }) => waitsFor !== undefined);
  const names = waiting.map(({ waitsFor = '' }) => waitsFor);
  const scanned = await scanFor(names, sync.platform, signal);
  const reasons = new Map<string, string>();
  const judge = async ({ identification, waitsFor = '', after }: PlannedChange): Promise<void> => {
    const email = after.email?.toLowerCase();
    const hasIt = (user: User): boolean => user.fields.email?.toLowerCase() === email;
    const lookup = scanned === undefined ? await sync.platform.find(waitsFor, signal) : undefined;
    const users = lookup === undefined ? (scanned?.get(waitsFor) ?? []) : lookup.found === true ? [lookup.user] : [];
    if (lookup?.found === 'unclear') reasons.set(identification, lookup.reason);
    else if (users.some(hasIt)) reasons.set(identification, `its e-mail is still on user ${waitsFor}`);
  };
  await Promise.all(waiting.map(judge));
  return reasons;
}
