import { z } from 'zod';
import type { FoundPeople } from '../../app/people/search-people.ts';
import { count, instant } from '../schema.ts';

export const foundPeople = z.object({
  people: z
    .array(
      z.object({
        sync: z.string(),
        identification: z.string(),
        name: z.string().meta({ description: 'Empty: not known' }),
        email: z.string(),
        side: z.enum(['source', 'platform', 'ledger']).meta({
          description:
            '`source`: a record names the person; `platform`: only an account; `ledger`: only an entry in the ledger',
        }),
        standing: z.string().meta({
          description:
            'What the source says: active, leaver, future, unknown, out-of-scope, unusable; empty for an account only',
        }),
        isOnPlatform: z.boolean().meta({ description: 'As the last complete read of the sync saw it' }),
      }),
    )
    .meta({ description: 'An equal identification comes first, then the rest in order of name' }),
  total: count,
  next: count.nullable().meta({ description: 'Send it as `offset` for the next page; null: this is the last page' }),
  syncs: z
    .array(z.object({ sync: z.string(), readAt: instant.nullable(), people: count }))
    .meta({ description: 'What was searched; `readAt` null: no complete read yet, so no person is found by name' }),
});

export function foundPeopleView({ people, total, syncs }: FoundPeople, offset: number): z.input<typeof foundPeople> {
  const end = offset + people.length;
  return {
    people: [...people],
    total,
    next: end < total && people.length > 0 ? end : null,
    syncs: syncs.map(({ sync, at, people: size }) => ({
      sync,
      readAt: at === undefined ? null : new Date(at).toISOString(),
      people: size,
    })),
  };
}
