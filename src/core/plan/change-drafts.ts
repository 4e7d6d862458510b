import type { FieldValues } from '../person/fields.ts';
import type { User } from '../person/user.ts';
import { beforeOf, type ChangeClass, type ChangeDraft } from './change.ts';
import type { Difference } from './diff.ts';

/** The changes that the truth table proposes. */

export function create(identification: string, wanted: FieldValues): ChangeDraft {
  const changed = namesOf(wanted);
  return {
    identification,
    kind: 'create',
    before: undefined,
    after: wanted,
    changed,
    classes: ['creates'],
    reason: 'active, and not on the platform',
  };
}

export function update(user: User, identification: string, difference: Difference): ChangeDraft {
  const { changed, firstSight, assumed, written } = difference;
  const classes: ChangeClass[] = [];
  if (changed.length > firstSight.length) classes.push('updates');
  if (changed.includes('email')) classes.push('emailChanges');
  if (firstSight.length > 0) classes.push('firstSight');
  const reason =
    changed.length === firstSight.length
      ? `first sight of write-only ${changed.join(', ')}`
      : `differs in ${changed.join(', ')}`;
  return {
    identification,
    kind: 'update',
    before: beforeOf(user, assumed),
    after: written,
    changed,
    classes,
    reason,
  };
}

/** Gives the account of a leaver its parking address, because an employee gets its e-mail. */
export function park(user: User, identification: string, after: FieldValues, claimant: string): ChangeDraft {
  return {
    identification,
    kind: 'update',
    before: beforeOf(user),
    after,
    changed: ['email'],
    classes: ['updates', 'emailChanges'],
    reason: `left, and ${claimant} needs the e-mail, so the account gets its parking address`,
  };
}

export function enable(user: User, identification: string, difference: Difference, reason: string): ChangeDraft {
  const { changed, assumed, written } = difference;
  const classes: ChangeClass[] = changed.includes('email') ? ['enables', 'emailChanges'] : ['enables'];
  return {
    identification,
    kind: 'enable',
    before: beforeOf(user, assumed),
    after: written,
    changed,
    classes,
    reason,
  };
}

export function disable(user: User, identification: string, reason: string): ChangeDraft {
  return {
    identification,
    kind: 'disable',
    before: beforeOf(user),
    after: {},
    changed: [],
    classes: ['disables'],
    reason,
  };
}

export function remove(user: User, identification: string, reason: string): ChangeDraft {
  return {
    identification,
    kind: 'remove',
    before: beforeOf(user),
    after: {},
    changed: [],
    classes: ['removes'],
    reason,
  };
}

function namesOf(values: FieldValues): (keyof FieldValues)[] {
  return (Object.keys(values) as (keyof FieldValues)[]).filter((name) => values[name] !== '');
}
