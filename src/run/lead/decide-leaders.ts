import { setImmediate as nextTurn } from 'node:timers/promises';
import { isStated, leadersNamed, pseudonymPrefix, renameLeaders, unread } from '../../core/plan/leaders.ts';
import { chunk } from '../../core/run/batch.ts';
import type { LeadersLookup } from '../../ports/platform.ts';
import { leaversOf, undoneBy } from '../../ports/runs.ts';
import { applyEffects, type Decided } from '../decide/decide-changes.ts';
import { undoLeaders } from '../decide/undo.ts';
import type { EngineIo } from '../engine-io.ts';
import type { PlanWork } from '../plan-job.ts';
import type { PlanRead } from '../read/read-people.ts';
import { knownList, leaderEffects } from './effects.ts';
import { peopleAtOnce, type Wish, wishes, withoutMain } from './resolve.ts';
import { surveyPeople } from './survey.ts';

/**
 * Decides about the leaders of the people whom this read shows, after their accounts were decided: finds who must be
 * decided, reads the lists that are not known and those of the rolling check, lists what each decision asks for
 * (`leaderEffects`), and does it as for accounts. The ledger says what the platform shows.
 */
export async function decideAllLeaders(
  work: PlanWork,
  { read, decided }: { readonly read: PlanRead; readonly decided: Decided },
  io: EngineIo,
): Promise<void> {
  const { sync, index, findings, signal } = work;
  if (undoneBy(work.scope) !== undefined) {
    const effects = (await undoLeaders(work, io)).map((draft) => {
      return { slot: index.find(draft.identification).slot, findings: [], marks: 0, proposed: [{ draft }] };
    });
    return applyEffects(work, { effects, decided, isFull: true }, io);
  }
  if (leaversOf(work.scope) !== undefined) return;
  if (sync.settings.mapping.leaders === undefined || sync.settings.delivery === 'outbox') return;
  const { toDecide, rolling, cycles, isFull, needsFull } = await surveyPeople(work, read, io);
  decided.needsFull ||= needsFull;
  const readSome = openLists(work);
  for (const slots of chunk(toDecide, peopleAtOnce)) {
    signal.throwIfAborted();
    const found = await Array.fromAsync(wishes({ ...work, slots, isFull }, io));
    const wished = found.map((one) => (cycles.has(one.slot) ? withoutMain(one) : one));
    const mustList = (one: Wish): boolean => isStated(one.wish.wanted) && knownList(one, work) === undefined;
    const lists = await readSome(wished.filter((one) => rolling.has(one.slot) || mustList(one)));
    const now = io.clock.now();
    const named = await withNames(wished, lists, { sync, io });
    const effects = named.map((one) => leaderEffects(one, lists.get(one.slot), { work, now }));
    await applyEffects(work, { effects, decided, isFull: true }, io);
    await nextTurn();
  }
  for (const finding of cycles.findings()) findings.find(finding);
}

/** Finds forgotten leaders of ours again in the lists that were read. The ledger has only pseudonyms of them. */
async function withNames(
  people: readonly Wish[],
  lists: ReadonlyMap<number, LeadersLookup>,
  { sync, io }: Pick<PlanWork, 'sync'> & { readonly io: EngineIo },
): Promise<readonly Wish[]> {
  const listed = people.flatMap(({ slot, entry }) => {
    const list = lists.get(slot);
    return list?.found === 'complete' &&
      leadersNamed(entry?.leaders ?? unread).some((name) => name.startsWith(pseudonymPrefix))
      ? leadersNamed({ ...unread, shown: list.leaders })
      : [];
  });
  if (listed.length === 0) return people;
  const names = new Map<string, string>();
  for (const [name, { pseudonym }] of await io.store.ledger.getMany(sync.settings.connection, [...new Set(listed)])) {
    if (pseudonym !== undefined) names.set(pseudonym, name);
  }
  return people.map((one) => {
    if (one.entry?.leaders === undefined) return one;
    const leaders = renameLeaders(one.entry.leaders, (name) => names.get(name) ?? name);
    return { ...one, entry: { ...one.entry, leaders } };
  });
}

const listsAtOnce = 50;

/** Returns what reads the lists of leaders, by slot. A platform without such lists is not asked once for each person. */
function openLists({
  sync,
  signal,
}: PlanWork): (people: readonly Wish[]) => Promise<ReadonlyMap<number, LeadersLookup>> {
  const reason = `none of the last ${listsAtOnce} lists could be read, so this one was not requested`;
  const notRead: LeadersLookup = { found: 'unclear', reason };
  let unclearInRow = 0;
  return async (people) => {
    const lists = new Map<number, LeadersLookup>();
    for (const some of chunk(people, listsAtOnce)) {
      const isHopeless = unclearInRow >= listsAtOnce;
      const read = some.map(async ({ slot, person }) => {
        return [slot, isHopeless ? notRead : await sync.platform.leaders(person.identification, signal)] as const;
      });
      for (const [slot, list] of await Promise.all(read)) {
        unclearInRow = list.found === 'unclear' ? unclearInRow + 1 : 0;
        lists.set(slot, list);
      }
    }
    return lists;
  };
}
