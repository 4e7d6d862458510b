import type { Leaders } from '../../core/person/user.ts';
import type { Change } from '../../core/plan/change.ts';
import { afterLeaders, leaderStates } from '../../core/plan/leaders.ts';
import type { LedgerEntry } from '../../core/plan/ledger.ts';
import { rejectionBy, type UndoneRecord } from '../../core/plan/undo.ts';
import type { Finding } from '../../core/run/finding.ts';
import type { ChangeMark } from '../../ports/store.ts';

/** The results of changes of leaders, collected to be stored together. */
export interface Leads {
  readonly marks: ChangeMark[];
  readonly ledger: LedgerEntry[];
  readonly undone: UndoneRecord[];
  readonly findings: Finding[];
  /** `shown`: the list that shows it. */
  applied(change: Change, shown: Leaders, entry: LedgerEntry | undefined, now: number): void;
  /** `unclear`: why the list says nothing. Undefined: others changed the main leader. */
  failed(change: Change, unclear: string | undefined): void;
}

export function openLeads(): Leads {
  const leads: Leads = {
    marks: [],
    ledger: [],
    undone: [],
    findings: [],
    applied(change, shown, entry, now) {
      const { identification } = change;
      leads.marks.push({ identification, part: 'leaders', state: 'applied', appliedAt: now });
      if (entry !== undefined) leads.ledger.push(afterLeaders(entry, change, shown, now));
      const record = rejectionBy(change, [], now);
      if (record !== undefined) leads.undone.push(record);
    },
    failed({ identification }, unclear) {
      const edited = 'the main leader was changed by someone else; the next run plans again';
      const reason = unclear ?? edited;
      leads.marks.push({ identification, part: 'leaders', state: 'failed', reason });
      const code = unclear === undefined ? 'edited-elsewhere' : 'leaders-unclear';
      leads.findings.push({ code, identification, message: reason });
    },
  };
  return leads;
}

/** Returns the person of a change and the leaders that it sets: all need an account. */
export function leaderNames(change: Change): readonly string[] {
  const { from, to } = leaderStates(change);
  const main = to.main === undefined || to.main === from.main ? [] : [to.main];
  return [change.identification, ...main, ...to.secondary.filter((name) => !from.secondary.includes(name))];
}
