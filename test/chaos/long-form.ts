/** `npm run chaos`: every kill, and many more seeds than in a usual test run. */
export const isLongForm = process.env.CHAOS === 'long';

/** A sweep is one test of many processes; a loaded machine may take its time. */
export const patientTimeoutMs = isLongForm ? 3_600_000 : 240_000;

/** Seeds of the random tests: always the same few, or a hundred new ones, or the one that failed (`CHAOS_SEED`). */
export function seeds(count: number): readonly number[] {
  const only = process.env.CHAOS_SEED;
  if (only !== undefined) return [Number(only)];
  const first = isLongForm ? Date.now() % 1_000_000 : 1;
  return Array.from({ length: isLongForm ? 100 : count }, (_, i) => first + i);
}
