/**
 * Where HR says that somebody stands, in words of all HR systems. Every kind that derives it gives it as the field
 * `rollcallStatus`, beside the raw status. `unknown` never leads to anything being done to anybody.
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

/** The field under which a derived status is given. */
export const statusField = 'rollcallStatus';

/** Today in UTC, for comparing with plain dates. The mapping's lifecycle knows zones; this is for derivation alone. */
export function utcDay(now: number): string {
  return new Date(now).toISOString().slice(0, 10);
}
