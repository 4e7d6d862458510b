/**
 * Employment status in terms that all HR systems share. Every kind that derives it adds the field `rollcallStatus`
 * beside the raw status. `unknown` never causes a change.
 */
export type EmploymentStatus = 'prehire' | 'active' | 'leave' | 'suspended' | 'terminated' | 'unknown';

export const employmentStatuses: readonly EmploymentStatus[] = [
  'prehire',
  'active',
  'leave',
  'suspended',
  'terminated',
  'unknown',
];

/** Name of the field that holds the derived status. */
export const statusField = 'rollcallStatus';

/**
 * Returns today's date in UTC, for comparison with plain dates. Only for derivation; the mapping's lifecycle knows
 * time zones.
 */
export function utcDay(now: number): string {
  return new Date(now).toISOString().slice(0, 10);
}
