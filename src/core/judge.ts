import type { Change } from './change.ts';
import { type FieldName, fieldTraits } from './fields.ts';
import type { LedgerEntry, Quirk } from './ledger.ts';
import type { User } from './user.ts';

/** What reading a user back says of the change that was sent. */
export type Verdict =
  | { readonly kind: 'applied'; readonly quirks: Readonly<Partial<Record<FieldName, Quirk>>> }
  /** Write-only fields alone were written and nothing shows whether they were taken. */
  | { readonly kind: 'unverified' }
  /** Part was taken and readable fields were ignored: the rest will not come. */
  | {
      readonly kind: 'ignored';
      readonly fields: readonly FieldName[];
      readonly quirks: Readonly<Partial<Record<FieldName, Quirk>>>;
    }
  /** No sign of the change, yet. */
  | { readonly kind: 'not-seen'; readonly what: string };

/**
 * Judges one change by the user as the platform shows it now; `undefined`: the platform has no such user.
 * Pure and without patience: the caller decides how long `not-seen` may last.
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

function judgeFields(change: Change, user: User, known: LedgerEntry | undefined): Verdict {
  const quirks: Partial<Record<FieldName, Quirk>> = {};
  const ignored: FieldName[] = [];
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
    if (!isMeant(name)) {
      // Sent along unchanged. What is shown now is the platform's way of keeping it, unless somebody else wrote meanwhile.
      if (shown !== sent && !isKnown && isAltered(sent, shown)) quirks[name] = { sent, observed: shown };
    } else if (shown === sent) taken += 1;
    else if (
      shown === before &&
      !(quirk !== undefined && quirk.ignored === undefined && (isKnown || isAltered(sent, shown)))
    ) {
      ignored.push(name);
      quirks[name] = { sent, observed: shown, ignored: (isKnown ? (quirk.ignored ?? 0) : 0) + 1 };
    } else {
      taken += 1;
      quirks[name] = { sent, observed: shown };
    }
  }
  const hasMoved = user.lastUpdate !== undefined && change.before?.lastUpdate !== user.lastUpdate;
  if (ignored.length > 0) {
    const isPartly = change.kind !== 'update' || taken > 0 || hasMoved;
    return isPartly
      ? { kind: 'ignored', fields: ignored, quirks }
      : { kind: 'not-seen', what: `${ignored.join(', ')} as before` };
  }
  const hasSign = change.kind !== 'update' || readable.some(isMeant) || hasMoved;
  return hasSign ? { kind: 'applied', quirks } : { kind: 'unverified' };
}

/** Whether `shown` may be what a platform makes of `sent`: cut, trimmed or re-cased. */
function isAltered(sent: string, shown: string): boolean {
  return sent.trim().toLowerCase().startsWith(shown.trim().toLowerCase());
}

const applied = (): Verdict => ({ kind: 'applied', quirks: {} });
