import type { Leaders } from '../../core/person/fields.ts';
import type { Person } from '../../core/person/person.ts';
import type { Proposal } from '../../core/plan/change.ts';
import { decideLeaders, isSameKnown, takeOverOf, unread, withoutList } from '../../core/plan/leaders.ts';
import type { LedgerEntry } from '../../core/plan/ledger.ts';
import { given } from '../../core/run/given.ts';
import type { LeadersLookup } from '../../ports/platform.ts';
import { markLeaders } from '../decide/decide-both.ts';
import type { Effects } from '../decide/effects.ts';
import type { PlanWork } from '../plan-job.ts';
import { mark } from '../read/marks.ts';
import type { Wish } from './resolve.ts';
import { waitsAfter } from './waiting.ts';

/**
 * Returns what the decision about one person's leaders asks for. Pure, as `effectsOf` of accounts. `list`: as it was read
 * just now; undefined: what the ledger knows of it counts.
 */
export function leaderEffects(
  one: Wish,
  list: LeadersLookup | undefined,
  { work, now }: { readonly work: PlanWork; readonly now: number },
): Effects {
  const { slot, person, wish, entry, earlier, isInCircle = false } = one;
  const { edit } = work;
  const { wanted } = wish;
  const { mapping, policy, name } = work.sync.settings;
  const { identification } = person;
  const own = isOurs(entry, name) ? entry : undefined;
  if (list?.found === 'unclear') {
    const message = `no leader is changed: ${list.reason}`;
    return {
      ...{ slot, marks: 0, proposed: [], findings: [{ code: 'leaders-unclear', identification, message }] },
      ...(own?.leaders?.shown === undefined ? {} : learns(withoutList(own))),
    };
  }
  const known = entry?.leaders;
  const waits = waitsAfter(wish.waits, known?.waits, now);
  const shown = list === undefined ? knownList(one, work) : { shown: list.leaders, checkedAt: now };
  const subject = shown && { identification, known, ...shown, waits };
  const decision = subject && decideLeaders({ ...subject, wanted, takeOver: takeOverOf(mapping), policy });
  const { change, byHand } = decision ?? {};
  const before = edit && { takeOver: takeOverOf(edit.before.mapping), policy: edit.before.policy };
  const asBefore = change && subject && earlier && before && decideLeaders({ ...subject, wanted: earlier, ...before });
  const { waits: _, ...unchanged } = known ?? unread;
  const leaders = decision?.known ?? { ...unchanged, ...(waits.length === 0 ? {} : { waits }) };
  const message = `the main leader ${byHand} was set by hand and stays. To replace leaders that were set by hand, set takeOver: true in mapping.manager`;
  return {
    slot,
    findings: byHand === undefined ? [] : [{ code: 'leader-by-hand', identification, message }],
    marks: wish.trouble !== undefined || waits.length > 0 || isInCircle ? 0 : mark.led,
    proposed:
      change === undefined
        ? []
        : [{ ...markLeaders(edit, withPerson(change, person), asBefore?.change), ...given({ known }) }],
    // What was listed is kept, so that a held change costs no further list.
    ...(own !== undefined && (list !== undefined || !isSameKnown(leaders, known)) ? learns({ ...own, leaders }) : {}),
  };
}

function learns(entry: LedgerEntry): Pick<Effects, 'entry'> {
  return { entry: { entry, isMiss: false } };
}

export function isOurs(entry: LedgerEntry | undefined, sync: string): entry is LedgerEntry {
  return entry?.owner === sync && entry.removed === undefined;
}

interface ShownLeaders {
  readonly shown: Leaders;
  /** When that was read. */
  readonly checkedAt: number;
}

/** Returns what the platform shows without a request: accounts that this plan creates have no leaders. */
export function knownList({ slot, entry }: Wish, { index }: Pick<PlanWork, 'index'>): ShownLeaders | undefined {
  if (!index.has(slot, mark.seen)) return { shown: { main: undefined, secondary: [] }, checkedAt: 0 };
  const { shown, checkedAt = 0 } = entry?.leaders ?? {};
  return shown && { shown, checkedAt };
}

/** Adds who the person is: an operator who decides about a held change sees a name and an area. */
function withPerson(change: Proposal, { fields: { firstName, lastName, email, area } }: Person): Proposal {
  const { before } = change;
  if (before === undefined) return change;
  const fields = { ...given({ firstName, lastName, email, area }), ...before.fields };
  return { ...change, before: { ...before, fields } };
}
