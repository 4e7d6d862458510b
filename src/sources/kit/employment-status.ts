/**
 * Employment status in terms that all HR systems share. Every kind that derives it adds the field `rollcallStatus`
 * beside the raw status. `unknown` never causes a change.
 */
export const employmentStatuses = ['prehire', 'active', 'leave', 'suspended', 'terminated', 'unknown'] as const;
export type EmploymentStatus = (typeof employmentStatuses)[number];

/** Name of the field that holds the derived status. */
export const statusField = 'rollcallStatus';

/** Returns a raw status in lower case: `ACTIVE` and `active` are the same. */
export function wordOf(value: unknown): string {
  return String(value ?? '')
    .trim()
    .toLowerCase();
}

/**
 * Returns today's date in UTC, for comparison with plain dates. Only for derivation; the mapping's lifecycle knows
 * time zones.
 */
export function utcDay(now: number): string {
  return new Date(now).toISOString().slice(0, 10);
}
