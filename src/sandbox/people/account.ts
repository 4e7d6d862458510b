import type { FieldName, FieldValues } from '../../core/person/fields.ts';

/** A user as stored, with write-only fields. Immutable: a write creates a new one. */
export interface Account {
  readonly id: number;
  readonly uid: string;
  readonly identification: string;
  readonly enabled: boolean;
  /** An absent key is an empty field. */
  readonly fields: FieldValues;
  /** Epoch ms. */
  readonly createdAt: number;
  /** Epoch ms in whole seconds. Each write advances it by at least a second, because the API shows no fractions. */
  readonly lastUpdateAt: number;
}

/** The values of a write. `''` clears a field, an absent key keeps it. */
export interface AccountPatch {
  readonly identification?: string;
  readonly enabled?: boolean;
  readonly fields?: FieldValues;
}

/** Returns the account after the patch, with the same `lastUpdateAt`. */
export function patchAccount(account: Account, patch: AccountPatch): Account {
  const fields = patch.fields === undefined ? account.fields : mergeFields(account.fields, patch.fields);
  return {
    ...account,
    identification: patch.identification ?? account.identification,
    enabled: patch.enabled ?? account.enabled,
    fields,
  };
}

function mergeFields(before: FieldValues, patch: FieldValues): FieldValues {
  const merged: Partial<Record<FieldName, string>> = { ...before };
  for (const [name, value] of Object.entries(patch) as [FieldName, string][]) {
    if (value === '') delete merged[name];
    else merged[name] = value;
  }
  return merged;
}

export function filled(fields: FieldValues): FieldValues {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''));
}

/** Returns the names of what differs between two states, including `identification` and `enabled`. */
export function changedNames(before: Account, after: Account): string[] {
  const names = new Set([...Object.keys(before.fields), ...Object.keys(after.fields)]) as Set<FieldName>;
  const changed: string[] = [...names].filter((name) => before.fields[name] !== after.fields[name]);
  if (before.enabled !== after.enabled) changed.push('enabled');
  if (before.identification !== after.identification) changed.push('identification');
  return changed;
}

/** Returns the next `lastUpdateAt`: now in whole seconds, and later than the previous one. */
export function nextUpdateAt(before: number, now: number): number {
  return Math.max(Math.floor(now / 1000) * 1000, before + 1000);
}
