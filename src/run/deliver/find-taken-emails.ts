import type { User } from '../../core/person/user.ts';
import type { PlannedChange } from '../../ports/store.ts';
import type { EngineIo, RunContext } from '../engine-io.ts';
import { openLookups } from '../prove/lookups.ts';

/**
 * Looks up the users whose e-mails some changes take over. Returns, by identification, why a change cannot go: the
 * change that was to free the e-mail failed, was left out, or its outcome is not known.
 */
export async function findTakenEmails(
  changes: readonly PlannedChange[],
  context: RunContext,
  io: EngineIo,
): Promise<ReadonlyMap<string, string>> {
  const reasons = new Map<string, string>();
  const waiting = changes.filter(({ waitsFor }) => waitsFor !== undefined);
  if (waiting.length === 0) return reasons;
  const holders = waiting.map(({ waitsFor: identification = '' }) => ({ identification, before: undefined }));
  const question = {
    step: 'looking-up',
    count: holders.length,
    async *names() {
      for (const { identification } of holders) yield identification;
    },
  } as const;
  const lookups = await openLookups(question, context, io);
  try {
    const users = await lookups.of(holders);
    for (const { identification, waitsFor = '', after } of waiting) {
      const lookup = users.get(waitsFor);
      const email = after.email?.toLowerCase();
      const hasIt = (user: User): boolean => user.fields.email?.toLowerCase() === email;
      if (lookup?.found === 'unclear') reasons.set(identification, lookup.reason);
      else if (lookup?.found === true && hasIt(lookup.user)) {
        reasons.set(identification, `its e-mail is still on user ${waitsFor}`);
      }
    }
    return reasons;
  } finally {
    lookups.close();
  }
}
