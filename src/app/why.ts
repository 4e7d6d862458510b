import type { Change } from '../core/plan/change.ts';
import { decisionAbout } from '../core/plan/decision.ts';
import type { DecisionRecord, PastChange } from '../ports/store.ts';
import type { EngineIo, Sync } from '../run/engine-io.ts';
import { type Explained, explain } from '../run/why.ts';
import type { PersonTrace } from '../views/people.ts';
import { renamesOf } from './accounts.ts';
import type { AppIo } from './app-io.ts';
import { findSync } from './find-named.ts';
import { personSteps, waitWords } from './person-steps.ts';

const shownChanges = 20;

/** Explains what the next full run decides about one person: the rule, its inputs, and what prevents the change. */
export async function tracePerson(
  { engine: io }: AppIo,
  of: string,
  identification: string,
  signal: AbortSignal,
): Promise<PersonTrace> {
  const sync = findSync(of, io.syncs);
  const { name, connection } = sync.settings;
  const now = io.clock.now();
  const explanation = await explain(identification, sync, io, signal);
  const { records, subject, change, expected, ...explained } = explanation;
  const { decision } = explained;
  const traced = await Promise.all(
    records.map(async ({ record }) => ({ record, trace: await sync.mapping.explain(record, now) })),
  );
  const user = subject?.user;
  const lookup =
    user === undefined ? await sync.platform.find(identification, signal) : ({ found: true, user } as const);
  const renames = await renamesOf(identification, connection, io.store);
  const names = [identification, ...renames.map(({ from }) => from)];
  const past = await Promise.all([...new Set(names)].map((one) => io.store.plans.history(name, one, shownChanges)));
  const history = past.flat().toSorted((a, b) => b.at - a.at);
  const [last] = history;
  const batch = last?.batch === undefined ? undefined : await io.store.batches.get(last.batch);
  const decided = change && (await decisionOf(name, change, io));
  const isExpected = expected !== undefined;
  return {
    identification,
    ...explained,
    records: traced,
    change,
    steps: personSteps({ ...explanation, records: traced, isExpected, decided, last, batch }),
    says: subject?.source,
    lookup,
    ledger: await io.store.ledger.get(connection, identification),
    renames,
    history: history.slice(0, shownChanges),
    next: await nextRun(sync, { change, decided, decision, expected, failure: explained.failure }, io),
  };
}

/** Returns the valid decision of an operator, or of a guard, about the change. */
async function decisionOf(
  sync: string,
  change: Change,
  { store, clock }: EngineIo,
): Promise<DecisionRecord | undefined> {
  const decisions = await store.decisions.of(sync, change.identification);
  const decided = decisionAbout(
    change,
    decisions.filter(({ endedAt }) => endedAt === undefined),
  );
  const isExpired = decided?.expiresAt !== undefined && decided.expiresAt <= clock.now();
  return isExpired ? undefined : decided;
}

interface NextInput extends Pick<Explained, 'change' | 'decision' | 'expected' | 'failure'> {
  readonly decided: DecisionRecord | undefined;
}

/** Says what the next whole run does with the change, and what keeps it from doing it. Guards count only in the run itself. */
async function nextRun(
  { settings: { name } }: Sync,
  { change, decided, decision, expected, failure }: NextInput,
  { store }: EngineIo,
): Promise<string> {
  const pause = await store.pauses.get(name);
  const paused =
    pause === undefined ? '' : `; the sync is paused by ${pause.by}, so no run starts before "rollcall resume"`;
  if (failure !== undefined) return `the next run fails and changes nothing: ${failure}${paused}`;
  if (change === undefined && expected !== undefined) {
    return `the next run sends no ${expected.kind}, because another sync is expected to take the user over; it holds the ${expected.kind} if there are more such users than guards.handOvers allows${paused}`;
  }
  if (change === undefined && decision?.wait !== undefined) {
    return `the next run counts the absence and changes nothing: the person is ${waitWords(decision.wait)}${paused}`;
  }
  if (change === undefined) return `the next run changes nothing for this person${paused}`;
  const by = decided?.by === undefined ? '' : ` by ${decided.by}`;
  switch (decided?.state) {
    case 'rejected':
      return `the next run drops the ${change.kind}: it was rejected${by}${paused}`;
    case 'approved':
      return `the next run sends the ${change.kind}: it was approved${by}${paused}`;
    case 'open':
      return `the next run holds the ${change.kind} again until it is approved: see "rollcall holds"${paused}`;
    default:
      return `the next run sends the ${change.kind}, unless a guard holds it${paused}`;
  }
}

/** Lists the changes of one person in earlier runs of the sync, newest first. */
export async function readHistory(
  { engine: { store, syncs } }: AppIo,
  sync: string,
  identification: string,
  limit: number,
): Promise<readonly PastChange[]> {
  return store.plans.history(findSync(sync, syncs).settings.name, identification, limit);
}
