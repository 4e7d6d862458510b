import type { LedgerLeaders } from '../../core/plan/ledger.ts';
import type { Finding } from '../../core/run/finding.ts';
import { countOf, formatInstant } from '../../core/run/formats.ts';
import { mark, type PeopleIndex } from '../read/people-index.ts';
import type { ResolvedWish, WaitingReference } from './resolve.ts';

export type Waits = NonNullable<LedgerLeaders['waits']>;

/** A leader that cannot be set for longer than this is reported. */
const oldMs = 7 * 86_400_000;

/** Returns the references that wait now, each with the instant since when it waits. */
export function waitsAfter(found: readonly WaitingReference[], before: Waits | undefined, now: number): Waits {
  return found.map(({ reference }) => {
    return before?.find((one) => one.reference === reference) ?? { reference, since: now };
  });
}

export function isSameWaits(one: Waits, other: Waits = []): boolean {
  return one.length === other.length && one.every(({ reference }, i) => reference === other[i]?.reference);
}

/** Returns what is reported of references that wait: the old ones, or all of them where one person is explained. */
export function waitFindings(
  { found, waits }: { readonly found: readonly WaitingReference[]; readonly waits: Waits },
  now: number,
  isExplained: boolean,
): readonly Finding[] {
  return found.flatMap(({ identification, reference, why }, i) => {
    const since = waits[i]?.since ?? now;
    if (!isExplained && now - since < oldMs) return [];
    const message = `the leader ${reference} waits since ${formatInstant(since)}: the leader ${why}. Each read of the person tries again`;
    return [{ code: 'leader-waits', identification, message } as const];
  });
}

const namedPeople = 5;

/** People whose main leader left, by that leader, with whom the source names next. */
export interface LeftLeaders {
  see(identification: string, wish: ResolvedWish, known: LedgerLeaders | undefined): void;
  findings(): readonly Finding[];
}

export function openLeftLeaders(index: PeopleIndex): LeftLeaders {
  const left = new Map<string, { readonly named: string[]; count: number; without: number }>();
  return {
    see(identification, { wanted: { main } }, known) {
      const leader = known?.main;
      if (leader === undefined) return;
      const { slot, isExact } = index.find(leader);
      if (slot === -1 || !isExact || !index.has(slot, mark.inSource | mark.leaver)) return;
      const all = left.get(leader) ?? { named: [], count: 0, without: 0 };
      left.set(leader, all);
      const next = main.says === 'leader' ? main.identification : undefined;
      all.count += 1;
      if (next === undefined) all.without += 1;
      if (all.named.length < namedPeople) all.named.push(`${identification} → ${next ?? 'no one yet'}`);
    },
    findings: () =>
      [...left].map(([identification, { named, count, without }]) => {
        const who = [...named, ...(count > named.length ? ['…'] : [])].join(', ');
        const kept =
          without === 0
            ? ''
            : `. ${countOf(without, 'person keeps', 'people keep')} this leader until the source names another one`;
        const message = `left, and leads ${countOf(count, 'person', 'people')}. The source names next: ${who}${kept}`;
        return { code: 'leader-left', identification, message };
      }),
  };
}
