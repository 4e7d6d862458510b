import { z } from 'zod';
import type { AppIo } from '../../app/app-io.ts';
import { findSync } from '../../app/find-named.ts';
import type { ChangeSelection } from '../../app/holds.ts';
import { identificationProblem } from '../../core/person/identification.ts';
import { normalText } from '../../core/person/text.ts';
import { RollcallError } from '../../core/run/errors.ts';
import { given } from '../../core/run/given.ts';
import type { RunScope } from '../../ports/store.ts';
import type { verdictOrder } from '../../views/orders.ts';
import type { Caller } from '../http/access.ts';
import type { Sight } from '../http/admit.ts';

/** Returns a schema for text without control characters, which no stored key contains. */
export function word(max: number) {
  return z
    .string()
    .min(1)
    .max(max)
    .refine((text) => !/\p{Cc}/u.test(text), 'must not contain control characters');
}

/** The position of a page. */
export const cursor = word(64).optional().describe('`next` of the previous page');

export const syncName = z.string().min(1).max(63).describe('Name of the sync');
export const runId = word(64).describe('Id of the run, or a unique end of the id');
export const requestId = z.string().min(1).max(64).describe('Id of the request');
export const identification = word(255).describe("The person's identification");

/** Returns a schema for a page size. It is text, because it comes from a URL. */
export function limit(max: number, standard: number) {
  return z.coerce.number().int().min(1).max(max).default(standard).describe(`Page size, at most ${max}`);
}

/** Returns an instant of a query in epoch milliseconds. */
export function instantOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Date.parse(text);
}

/** Throws NOT_FOUND for a name that is not configured. */
export function knownSync(name: string, { syncs }: AppIo): string {
  return findSync(name, new Map(syncs.map((sync) => [sync.name, sync])), 'NOT_FOUND').name;
}

/** Returns the identification in NFC and trimmed, as they compare. Throws IDENTIFICATION_INVALID without quoting it. */
export function readIdentification(text: string): string {
  const name = normalText(text);
  const fault = identificationProblem(name);
  if (fault === undefined) return name;
  throw new RollcallError(`an identification ${fault}`, { code: 'IDENTIFICATION_INVALID' });
}

export function scopeOf(users: readonly string[] | undefined, isFull = false): RunScope {
  if (users === undefined) return isFull ? { kind: 'all', isFull } : { kind: 'all' };
  return { kind: 'users', identifications: [...new Set(users.map(readIdentification))].sort() };
}

/**
 * Returns who signs an order, what they may do, and what the order says about it, for the audit. A session of the terminal's
 * link has proved no identity.
 */
export function signatureOf(
  { name: by, label, access, groups }: Caller,
  { as, reason }: { readonly as?: string | undefined; readonly reason?: string | undefined } = {},
) {
  const proven = by.startsWith('shell:') ? undefined : { access, groups };
  return { by, ...given({ label, proven, as, reason }) };
}

/** Returns whether the sync is in a list for this caller. */
export function isIn({ syncs }: Sight, sync: string): boolean {
  return syncs === undefined || syncs.includes(sync);
}

/** The parts of a body that select changes. */
export function selectionOf({ only, except, ids }: z.output<typeof verdictOrder>): ChangeSelection {
  return given({ only, except, ids });
}
