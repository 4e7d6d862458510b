import type { SeedUser } from '../src/sandbox/people/seed-users.ts';

/** Synthetic users of a load, in order: U1, U2, … */
export function* loadPeople(count: number): Generator<SeedUser, void> {
  for (let i = 1; i <= count; i += 1) {
    const identification = `U${i}`;
    const fields = { firstName: `Ana${i}`, lastName: 'Díaz', email: `u${i}@example.com`, area: 'North' };
    yield { identification, enabled: true, fields };
  }
}
