import type { LeaderField } from '../../core/person/fields.ts';
import type { Person } from '../../core/person/person.ts';
import type { LedgerLeaders, WaitingLeader } from '../../core/plan/ledger.ts';
import { type Finding, isAboutIdentity } from '../../core/run/finding.ts';
import { countOf, formatInstant } from '../../core/run/formats.ts';
import { given } from '../../core/run/given.ts';
import type { EngineIo } from '../engine-io.ts';
import type { PlanWork } from '../plan-job.ts';
import { mark } from '../read/marks.ts';
import type { PeopleIndex } from '../read/people-index.ts';
import type { PlanRead } from '../read/read-people.ts';
import type { ResolvedWish, WaitingReference } from './resolve.ts';

/** A leader that cannot be set for longer than this is reported. */
const oldMs = 7 * 86_400_000;

/** Returns the references that wait now, each with the instant since when it waits. */
export function waitsAfter(
  found: readonly WaitingReference[],
  before: readonly WaitingLeader[] | undefined,
  now: number,
): readonly WaitingLeader[] {
  return found.map(({ why: _, ...one }) => {
    return before?.find(({ value, of }) => value === one.value && of === one.of) ?? { ...one, since: now };
  });
}

/** Returns what is reported of references that wait: the old ones, or all of them where one person is explained. */
export function waitFindings(
  identification: string,
  { found, waits }: { readonly found: readonly WaitingReference[]; readonly waits: readonly WaitingLeader[] },
  now: number,
  isExplained: boolean,
): readonly Finding[] {
  return found.flatMap(({ value, why }, i) => {
    const { since } = waits[i] as WaitingLeader;
    if (!isExplained && now - since < oldMs) return [];
    const message = `the leader ${value} waits since ${formatInstant(since)}: the leader ${why}. Each run tries again`;
    return [{ code: 'leader-waits', identification, message } as const];
  });
}

/**
 * Adds the people whose leaders wait to a read of those who changed, with what the ledger knows that the source wants of
 * them: a manager who comes is then set, although only the manager changed. Returns their slots. People in a conflict of
 * the last full read are left out.
 */
export async function addWaitingPeople(
  { sync, index }: Pick<PlanWork, 'sync' | 'index'>,
  { reading }: Pick<PlanRead, 'reading'>,
  { store }: EngineIo,
): Promise<readonly number[]> {
  if (reading.kind !== 'delta') return [];
  const { connection, name } = sync.settings;
  const waiting = (await store.ledger.waiting(connection, name)).filter(
    ({ identification }) => index.find(identification).slot === -1,
  );
  if (waiting.length === 0) return [];
  const found = await store.runs.findings(reading.from.fullRun);
  const troubled = new Set(found.filter(isAboutIdentity).map(({ identification }) => identification));
  return waiting.flatMap(({ identification, leaders }) => {
    if (troubled.has(identification)) return [];
    const slot = index.add(identification);
    index.fill(slot, personOf(identification, leaders?.waits ?? []));
    index.set(slot, mark.bystander | mark.seen);
    return [slot];
  });
}

function personOf(identification: string, waits: readonly WaitingLeader[]): Person {
  const ofField = (field: LeaderField) =>
    waits.filter(({ of }) => of === field).map(({ since: _, of: _of, ...reference }) => reference);
  const [main] = ofField('mainLeader');
  const references = ofField('secondaryLeaders');
  const said = references.flatMap(({ column }) => column ?? []);
  const leaders = { ...given({ main }), secondary: { references, said, isWhole: false } };
  const nothing = { fields: {}, unreadable: [], troubles: [], notes: [] } as const;
  const active = { standing: 'active', standingReason: '', isInScope: true } as const;
  return { kind: 'person', at: 'the ledger', identification, ...nothing, ...active, leaders };
}

const namedPeople = 5;

/** Collects people whose main leader left, by that leader, with whom the source names next. */
export function openLeftLeaders(index: PeopleIndex) {
  const left = new Map<string, { readonly named: string[]; count: number; without: number }>();
  return {
    see(identification: string, { wanted: { main } }: ResolvedWish, known: LedgerLeaders | undefined) {
      const leader = known?.main;
      if (leader === undefined) return;
      const { slot, isExact } = index.find(leader);
      if (!isExact || !index.has(slot, mark.inSource | mark.leaver)) return;
      const all = left.get(leader) ?? { named: [], count: 0, without: 0 };
      left.set(leader, all);
      const next = main.says === 'leader' ? main.identification : undefined;
      all.count += 1;
      if (next === undefined) all.without += 1;
      if (all.named.length < namedPeople) all.named.push(`${identification} → ${next ?? 'no one yet'}`);
    },
    findings: (): readonly Finding[] =>
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

/** People who lead themselves through others. */
export type Cycles = ReturnType<typeof findCycles>;

const namedMembers = 5;

/**
 * Finds the cycles of main leaders at or above `starts`. `leaderOf`: the slot of the wanted leader by slot; -1 for none. A
 * finding names the person first from whom the cycle was reached.
 */
export function findCycles(leaderOf: Int32Array, starts: readonly number[], index: Pick<PeopleIndex, 'person'>) {
  /** 0: not seen. Otherwise the walk that saw the slot first. */
  const seen = new Int32Array(leaderOf.length);
  const members = new Set<number>();
  const cycles: number[][] = [];
  for (const start of new Set(starts)) {
    let slot = start;
    while (seen[slot] === 0) {
      seen[slot] = start + 1;
      slot = leaderOf[slot] as number;
    }
    // The walk ended at a person without a leader (-1), or met an earlier walk.
    if (seen[slot] !== start + 1) continue;
    const cycle: number[] = [];
    for (let next = slot; cycle.length === 0 || next !== slot; next = leaderOf[next] as number) cycle.push(next);
    for (const member of cycle) members.add(member);
    cycles.push(cycle);
  }
  return { has: (slot: number) => members.has(slot), findings: () => cycles.map((cycle) => findingOf(cycle, index)) };
}

function findingOf(cycle: readonly number[], index: Pick<PeopleIndex, 'person'>): Finding {
  const names = cycle.slice(0, namedMembers).map((slot) => index.person(slot).identification);
  const more = cycle.length > namedMembers ? ' → …' : '';
  const message = `these people lead each other in a circle: ${[...names].join(' → ')}${more} → ${names[0]}. Their main leaders are not changed. Correct the source`;
  return { code: 'leader-cycle', identification: names[0] ?? '', message };
}
