import { Refusal } from '../call.ts';
import type { Account } from '../people/account.ts';
import type { World } from '../world.ts';

/** Returns the user with this identification. Throws 404 without one. */
export function knownUser(identification: string | undefined, { directory }: World): Account {
  const account = identification === undefined ? undefined : directory.get(identification);
  if (account === undefined) throw new Refusal(404, 'User not found', 'There is no such user');
  return account;
}
