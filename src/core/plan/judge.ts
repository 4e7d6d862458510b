import { type FieldName, fieldTraits, type Leaders, type User } from '../person/fields.ts';
import type { Change } from './change.ts';
import { isAlteration, isSameValue } from './diff.ts';
import type { LedgerEntry, Quirk } from './ledger.ts';

/** What the read-back of a user shows about the sent change. */
export type Verdict =
  | {
      readonly kind: 'applied';
      readonly quirks: Readonly<Partial<Record<FieldName, Quirk>>>;
      /** The list that shows a change of leaders. */
      readonly leaders?: Leaders;
    }
  /** Only write-only fields were written, and nothing shows whether the platform applied them. */
  | { readonly kind: 'unverified' }
  /** Part was applied. The platform ignored the readable `fields` for good. Another writer set the `overwritten` fields. */
  | {
      readonly kind: 'ignored';
      readonly fields: readonly FieldName[];
      readonly overwritten?: readonly FieldName[];
      readonly quirks: Readonly<Partial<Record<FieldName, Quirk>>>;
    }
  /**
   * No sign of the change yet. `overwritten`: fields that another writer set, so the change must not be sent again
   * unchanged.
   */
  | { readonly kind: 'not-seen'; readonly what: string; readonly overwritten?: readonly FieldName[] };

/**
 * Judges one change by the user as the platform shows it now; `undefined`: the platform has no such user. Pure: the
 * caller decides how long `not-seen` is acceptable.
 */
export function judgeChange(change: Change, user: User | undefined, known: LedgerEntry | undefined): Verdict {
  if (change.kind === 'remove')
    return user === undefined ? applied() : { kind: 'not-seen', what: 'the user is still there' };
  if (user === undefined) return { kind: 'not-seen', what: 'the platform has no such user' };
  if (change.kind === 'disable')
    return user.enabled ? { kind: 'not-seen', what: 'the user is still enabled' } : applied();
  if (change.kind === 'enable' && !user.enabled) return { kind: 'not-seen', what: 'the user is still disabled' };
  return judgeFields(change, user, known);
}

/**
 * Judges each readable field that the change writes:
 *
 *  shown is                                            | then
 *  ----------------------------------------------------+--------------------------------------------------
 *  what was sent                                       | taken
 *  what was before, and not known to be kept so        | ignored, counted
 *  an alteration of what was sent, or known to be one  | taken, and kept differently: both are remembered
 *  anything else                                       | changed by another writer: not taken, not remembered
 */
function judgeFields(change: Change, user: User, known: LedgerEntry | undefined): Verdict {
  const quirks: Partial<Record<FieldName, Quirk>> = {};
  const ignored: FieldName[] = [];
  const overwritten: FieldName[] = [];
  const written = Object.keys(change.after) as FieldName[];
  const readable = written.filter((name) => fieldTraits(name).isReadable && !user.unreadable.includes(name));
  const isMeant = (name: FieldName): boolean => change.kind === 'create' || change.changed.includes(name);
  let taken = 0;
  for (const name of readable) {
    const sent = change.after[name] ?? '';
    const shown = user.fields[name] ?? '';
    const before = change.before?.fields[name] ?? '';
    const quirk = known?.quirks[name];
    const isKnown = quirk?.sent === sent && quirk.observed === shown;
    const isKept = quirk !== undefined && quirk.ignored === undefined;
    if (isSameValue(name, shown, sent)) {
      if (isMeant(name)) taken += 1;
    } else if (!isMeant(name)) {
      // The field was sent unchanged, so the shown value is the platform's form of it, unless another writer changed it.
      if (!isKnown && isAlteration(name, sent, shown)) quirks[name] = { sent, observed: shown };
    } else if (isSameValue(name, shown, before) && !(isKept && (isKnown || isAlteration(name, sent, shown)))) {
      ignored.push(name);
      quirks[name] = { sent, observed: shown, ignored: (isKnown ? (quirk.ignored ?? 0) : 0) + 1 };
    } else if ((isKept && isKnown) || isAlteration(name, sent, shown)) {
      taken += 1;
      quirks[name] = { sent, observed: shown };
    } else overwritten.push(name);
  }
  const hasMoved = user.lastUpdate !== undefined && change.before?.lastUpdate !== user.lastUpdate;
  if (overwritten.length > 0) {
    // That change also moved `lastUpdate`, so `lastUpdate` is no sign of our change.
    return change.kind !== 'update' || taken > 0
      ? { kind: 'ignored', fields: ignored, overwritten, quirks }
      : { kind: 'not-seen', what: `${overwritten.join(', ')} was changed by another person or system`, overwritten };
  }
  if (ignored.length > 0) {
    const isPartly = change.kind !== 'update' || taken > 0 || hasMoved;
    if (isPartly) return { kind: 'ignored', fields: ignored, quirks };
    return { kind: 'not-seen', what: `the platform still shows the former ${ignored.join(', ')}` };
  }
  const hasSign = change.kind !== 'update' || readable.some(isMeant) || hasMoved;
  return hasSign ? { kind: 'applied', quirks } : { kind: 'unverified' };
}

const applied = (): Verdict => ({ kind: 'applied', quirks: {} });
