import { chunk } from '../core/batch.ts';
import { PlanDigest } from '../core/change.ts';
import { countOf } from '../core/count-of.ts';
import { correctSight, neverShown, type SightFacts, type VanishedField, vanishedFields } from '../core/field-sight.ts';
import { type Finding, isAboutIdentity } from '../core/finding.ts';
import { checkGuards, classNoun, type GuardVerdict } from '../core/guard.ts';
import type { LedgerEntry } from '../core/ledger.ts';
import type { ReadFact } from '../core/next-read.ts';
import type { ReadRecord, RunFacts, RunScope } from '../ports/store.ts';
import { chooseRead, type Reading, readFact } from './choose-read.ts';
import { comparePlatform } from './compare.ts';
import { confirmGone } from './confirm-gone.ts';
import { type DecisionSink, decideEveryone } from './decide-everyone.ts';
import type { EngineIo, RunContext, Sync } from './engine-io.ts';
import { PeopleIndex } from './people-index.ts';
import { pruneBeside } from './prune-old.ts';
import { type Pulled, pull } from './pull.ts';
import { recall } from './recall.ts';
import { recallConflicts } from './recall-conflicts.ts';
import { peopleOf } from './some-people.ts';
import { unusablePeople } from './source-says.ts';
import { blockedUsers, resolveUnresolved } from './unresolved.ts';

const dayMs = 86_400_000;
const keptFindings = 10_000;
const missesAtOnce = 1000;

export interface PlanJob {
  /** Id under which the changes are stored: the run's, or a new one for a plan that is only shown. */
  readonly planId: string;
  readonly sync: Sync;
  readonly scope: RunScope;
  readonly signal: AbortSignal;
  /** The run that will deliver it. Without one the plan is only shown: no miss is counted, nobody becomes ours. */
  readonly context: RunContext | undefined;
}

/** A plan that lies sealed in the store, and what was seen while making it. */
export interface Plan {
  readonly id: string;
  readonly digest: string;
  readonly findings: readonly Finding[];
  readonly facts: RunFacts;
  readonly verdict: GuardVerdict;
  /** Changes that repeat one whose fate stayed unknown. */
  readonly repeated: number;
  /** Why the source makes any run of it a failure; nothing was planned. */
  readonly failure: string | undefined;
}

/** Pull, recall, compare, decide, guard: everything up to the first effect outside. */
export async function makePlan(job: PlanJob, io: EngineIo): Promise<Plan> {
  const { sync, scope, signal, context } = job;
  const { name } = sync.settings;
  if (context === undefined) await pruneBeside(io);
  // What is said of the whole read comes first: it is never crowded out by what is said of its rows.
  const ofRun: Finding[] = [];
  const ofPeople: Finding[] = [];
  const identities = { found: 0, notKept: 0 };
  const find = (finding: Finding): void => {
    const isKept = ofPeople.length < keptFindings;
    if (finding.identification === undefined && finding.at === undefined) ofRun.push(finding);
    else if (isKept) ofPeople.push(finding);
    if (!isAboutIdentity(finding)) return;
    identities.found += 1;
    if (!isKept) identities.notKept += 1;
  };
  const spool = io.openSpool();
  try {
    const index = new PeopleIndex(spool, sync.mapping.fields);
    const reading = await chooseRead(sync, scope, io);
    const last = reading.kind === 'point' ? undefined : await io.store.reads.last(name);
    const previous = reading.kind === 'full' ? last : undefined;
    const pulled = await pull({ sync, reading, index, signal, find, previous }, io);
    io.checkpoint('source-read');
    const read = readFact(reading, pulled.readAt, sync);
    const sights = sightsOf(sync, pulled, last);
    const vanished = vanishedFields(sights);
    for (const { reason } of vanished) find({ code: 'field-vanished', message: reason });
    for (const message of neverShown(sights)) find({ code: 'source-note', message });
    const nothing = whyNothing(pulled);
    if (nothing !== undefined) {
      for (const finding of unusablePeople(index, pulled.snapshot)) find(finding);
      return await emptyPlan(job, { ...pulled, read }, vanished, nothing, [...ofRun, ...ofPeople], io);
    }
    await recallConflicts({ sync, reading, index, find }, io);

    const unresolved = context === undefined ? await blockedUsers(sync, io) : await resolveUnresolved(context, io);
    io.checkpoint('unresolved-seen');
    const only = peopleOf(reading, index);
    const managed = await recall({ sync, index, only }, io);
    const compared = await comparePlatform({ sync, only, index, spool, signal, find }, io);
    const { candidates } = compared;
    const unconfirmed =
      reading.kind === 'delta' ? await confirmGone({ sync, index, spool, candidates, signal, find }, io) : 0;

    // Proves that the run is still ours: what another worker has planned since must not be begun anew.
    if (context !== undefined) await io.store.runs.update(context.owned, { phase: 'planning' });
    await io.store.plans.begin(context?.owned, headerOf(job, io));
    // Places in the spool: a source that has lost half of its people would be a million entries.
    const misses: number[] = [];
    let repeated = 0;
    const sink: DecisionSink = {
      find,
      changes: async (changes) => {
        for (const { identification, kind } of changes) {
          if (!unresolved.released.has(identification)) continue;
          repeated += 1;
          find({
            code: 'repeated',
            identification,
            message: `${kind} is sent again: the fate of an earlier one stayed unknown`,
          });
        }
        await io.store.plans.add(context?.owned, job.planId, changes);
      },
      ledger: async (entries) => {
        // An outbox has no ledger: somebody else delivers, or does not.
        if (context === undefined || sync.settings.delivery === 'outbox') return;
        for (const { entry, isMiss } of entries) if (isMiss) misses.push(spool.append(JSON.stringify(entry)));
        await io.store.ledger.put(
          context.owned,
          entries.filter(({ isMiss }) => !isMiss).map(({ entry }) => entry),
        );
      },
    };
    const { blocked } = unresolved;
    await decideEveryone({ sync, snapshot: pulled.snapshot, index, spool, candidates, blocked, signal }, sink, io);

    // What no later delta would know of: who is not in this one, or what could not be kept of so many.
    const needsFull = identities.notKept > 0 || (reading.kind === 'delta' && identities.found > 0);
    if (needsFull && reading.kind === 'delta') find({ code: 'source-note', message: readsEverybody });
    const { rejected, ...verdict } = await guard(job, pulled, { managed, last, vanished }, io);
    if (context !== undefined && !verdict.areMissesHeld) {
      for (const places of chunk(misses, missesAtOnce)) {
        const entries = places.map((place) => JSON.parse(spool.read(place)) as LedgerEntry);
        await io.store.ledger.put(context.owned, entries);
      }
    }
    io.checkpoint('ledger-written');
    const reasons = new Set([...verdict.holds, ...verdict.fields].map(({ reason }) => reason));
    for (const message of reasons) find({ code: 'held', message });
    const facts: RunFacts = {
      read,
      sourceRows: pulled.snapshot.rows,
      platformUsers: compared.users,
      managedUsers: managed,
      unchanged: compared.unchanged,
      ...(compared.unmanaged === undefined ? {} : { unmanaged: compared.unmanaged }),
      blocked: blocked.size,
      postponed: compared.postponed + unconfirmed + unusableOf(reading, pulled, index),
      ...(needsFull ? { needsFull } : {}),
      rejected,
      sourceGaps: pulled.snapshot.gaps,
    };
    return {
      id: job.planId,
      digest: await seal(job, io),
      findings: [...ofRun, ...ofPeople],
      facts,
      verdict,
      repeated,
      failure: undefined,
    };
  } finally {
    spool.close();
  }
}

interface GuardGrounds {
  /** Users that were ours before. */
  readonly managed: number;
  readonly last: ReadRecord | undefined;
  readonly vanished: readonly VanishedField[];
}

/** Holds what is too much, after taking out what a person has approved or rejected. */
async function guard(
  job: PlanJob,
  pulled: Pulled,
  { managed, last, vanished }: GuardGrounds,
  io: EngineIo,
): Promise<GuardVerdict & { readonly rejected: number }> {
  const { settings } = job.sync;
  const owned = job.context?.owned;
  const now = io.clock.now();
  const { rejected } = await io.store.plans.applyApprovals(owned, job.planId, settings.name, now);
  const { open } = await io.store.plans.count(job.planId);
  const recent = await io.store.plans.appliedSince(settings.name, now - dayMs);
  const { snapshot, fillRates, sight } = pulled;
  const isFull = snapshot.kind === 'full';
  const verdict = checkGuards(
    {
      sync: settings.name,
      classes: open,
      recent,
      managed,
      rows: snapshot.rows,
      fillRates,
      vanished,
      previous: isFull ? last : undefined,
    },
    settings.guards,
  );
  for (const { class: held, reason } of verdict.holds) {
    const count = await io.store.plans.hold(owned, job.planId, [held], reason);
    io.logger.warn({ sync: settings.name, class: held, count }, `held: ${classNoun[held]}s`);
  }
  for (const { field, reason } of verdict.fields) await io.store.plans.holdFields(owned, job.planId, [field], reason);
  const isShrunk = snapshot.isShrunk === true;
  const isProven = snapshot.missing !== undefined;
  if (job.context !== undefined && isFull && (isProven || isShrunk)) {
    const stamp = snapshot.missing?.stamp ?? '';
    // Only approving the run itself makes a doubted read the measure: what was approved may be about something else.
    const isAccepted = isProven && !verdict.areMissesHeld && verdict.fields.length === 0;
    const read = {
      sync: settings.name,
      run: job.planId,
      at: now,
      rows: snapshot.rows,
      stamp,
      fillRates,
      sight,
      isAccepted,
    };
    await io.store.reads.put(job.context.owned, read);
  }
  // A read that proves nothing has no misses to hold, and there is nothing in it for a person to approve.
  const areMissesHeld = isShrunk || (isProven && verdict.areMissesHeld);
  return { ...verdict, areMissesHeld, rejected };
}

async function seal({ planId, context }: PlanJob, io: EngineIo): Promise<string> {
  const digest = new PlanDigest();
  for await (const hash of io.store.plans.hashes(planId)) digest.add(hash);
  const text = digest.end();
  await io.store.plans.seal(context?.owned, planId, text);
  return text;
}

/**
 * What a full read, whole or not, shows of the fields that the mapping reads, beside the last one. What a few people do not
 * show says nothing: of a delta only the source's own word counts.
 */
function sightsOf({ mapping }: Sync, pulled: Pulled, last: ReadRecord | undefined): SightFacts {
  const { snapshot, sight, notReturned } = pulled;
  const everything = Object.fromEntries(mapping.reads.map((read) => [read, true]));
  if (snapshot.kind === 'point' || snapshot.rows === 0)
    return { readers: mapping.readers, now: everything, before: undefined, notReturned: [] };
  const now = snapshot.kind === 'full' ? sight : correctSight(everything, notReturned);
  return { readers: mapping.readers, now, before: last?.sight, notReturned };
}

/** Why this read is no ground for any plan. A file of which not one row can be used is as good as none. */
function whyNothing({ snapshot, usable }: Pulled): string | undefined {
  const { kind, rows } = snapshot;
  if (kind === 'delta' || (rows > 0 && (usable > 0 || kind === 'point'))) return undefined;
  if (kind === 'point') return 'the source knows none of the named people';
  if (rows === 0) return 'the source gave no employee at all';
  return `the source gave ${countOf(rows, 'row')}, and none can be used; the findings say why`;
}

const readsEverybody = 'two records claim one person, as said below: the next run reads everybody';

/** A delta of which nothing can be used may be a right that was taken away for an hour: it is asked for again. */
function unusableOf({ kind }: Reading, { usable }: Pulled, { size }: PeopleIndex): number {
  return kind === 'delta' && usable === 0 ? size : 0;
}

async function emptyPlan(
  job: PlanJob,
  { snapshot, read }: Pulled & { readonly read: ReadFact },
  vanished: readonly VanishedField[],
  why: string,
  findings: Finding[],
  io: EngineIo,
): Promise<Plan> {
  await io.store.plans.begin(job.context?.owned, headerOf(job, io));
  return {
    id: job.planId,
    digest: await seal(job, io),
    findings,
    facts: { read, sourceRows: snapshot.rows, sourceGaps: snapshot.gaps },
    verdict: { holds: [], fields: [], areMissesHeld: false },
    repeated: 0,
    failure:
      `${why}: nothing was changed. ${[...vanished.map(({ reason }) => reason), ...snapshot.gaps].join('; ')}`.trim(),
  };
}

function headerOf(job: PlanJob, io: EngineIo) {
  return { id: job.planId, sync: job.sync.settings.name, run: job.context?.owned.run.id, madeAt: io.clock.now() };
}
