import { z } from 'zod';
import { findSync } from '../../app/find-named.ts';
import { RollcallError } from '../../core/errors.ts';
import { identificationProblem } from '../../core/identification.ts';
import type { RunScope } from '../../ports/store.ts';
import type { ServerApp } from '../server-parts.ts';

export const nothing = z.object({});

/** Text without control characters, which no store is asked for. */
function word(most: number) {
  return z
    .string()
    .min(1)
    .max(most)
    .refine((text) => !/\p{Cc}/u.test(text), 'it holds control characters');
}

/** Where a page begins. */
export const cursor = word(64).optional().meta({ description: '`next` of the page before' });

export const syncName = z.string().min(1).max(63).meta({ description: 'Name of the sync' });
export const runId = word(64).meta({ description: 'Id of the run; a unique end of it is enough' });
export const identification = word(255).meta({ description: "The person's identification" });

/** A page's size; text, because it comes from a URL. */
export function limit(most: number, usual: number) {
  return z.coerce
    .number()
    .int()
    .min(1)
    .max(most)
    .default(usual)
    .meta({ description: `At most so many, up to ${most}` });
}

/** Throws NOT_FOUND for a name that the configuration does not have. */
export function knownSync(name: string, { syncs }: ServerApp): string {
  return findSync(name, new Map(syncs.map((sync) => [sync.name, sync])), 'NOT_FOUND').name;
}

/** NFC and trimmed, as identifications compare. Throws IDENTIFICATION_INVALID without repeating what was sent. */
export function readIdentification(text: string): string {
  const name = text.normalize('NFC').trim();
  const fault = identificationProblem(name);
  if (fault === undefined) return name;
  throw new RollcallError(`an identification ${fault}`, { code: 'IDENTIFICATION_INVALID' });
}

export function scopeOf(users: readonly string[] | undefined, isFull = false): RunScope {
  if (users === undefined) return isFull ? { kind: 'all', isFull } : { kind: 'all' };
  return { kind: 'users', identifications: [...new Set(users.map(readIdentification))] };
}
