import type { ChangeKind } from '../core/plan/change.ts';
import type { ChangeState } from '../core/run/run.ts';

/* No changes, by kind and by state: where a count begins. */

export const noKinds: Readonly<Record<ChangeKind, number>> = { create: 0, update: 0, enable: 0, disable: 0, remove: 0 };

export const noStates: Readonly<Record<ChangeState, number>> = {
  planned: 0,
  held: 0,
  sent: 0,
  applied: 0,
  failed: 0,
  unverified: 0,
  unresolved: 0,
  exported: 0,
  dropped: 0,
};
