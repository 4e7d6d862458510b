import { blockedBySource, type StoredBlocked } from '../../core/guard/blocked.ts';
import { classNoun } from '../../core/guard/guard.ts';
import type { LedgerEntry } from '../../core/plan/ledger.ts';
import { chunk } from '../../core/run/batch.ts';
import type { Hold } from '../../core/run/run.ts';
import type { NewChange } from '../../ports/store.ts';
import type { PlanCompared } from '../compare/compare-people.ts';
import type { Decided, TakenLater } from '../decide/decide-changes.ts';
import type { EngineIo } from '../engine-io.ts';
import { isConfigurationHeld, isStored, type Judged } from '../judge/judge.ts';
import { changesOf } from '../plan-changes.ts';
import type { PlanWork } from '../plan-job.ts';
import type { PlanRead } from '../read/read-people.ts';

const missesAtOnce = 1000;
const changesAtOnce = 500;

export interface RecordInput {
  readonly read: PlanRead;
  readonly compared: PlanCompared;
  readonly decided: Decided;
  readonly judged: Judged;
}

/**
 * Acts on the verdict: holds the excess, and stores the read, its people, the absences and the decisions. Repeatable.
 */
export async function record(work: PlanWork, input: RecordInput, io: EngineIo): Promise<void> {
  const { recorder, index } = work;
  const { read, compared, decided, judged } = input;
  const { snapshot } = read;
  const now = io.clock.now();
  await holdExcess(work, { decided, judged }, io);
  await withdrawDependents(work, decided, io);
  await takeLater(work, input, io);
  await recordRead(work, input, now);
  await recordConfiguration(work, input);
  if (snapshot.missing !== undefined && !judged.verdict.areMissesHeld) await recordMisses(work, decided);
  io.checkpoint('ledger-written');
  const unresolved = compared.unresolved.blocked;
  const { asked } = compared;
  await recorder.decisions({ index, snapshot, asked, unresolved, isDoubted: !judged.isAccepted, now });
  reportHolds(work, judged, io);
}

async function holdExcess(
  work: PlanWork,
  { decided, judged }: Pick<RecordInput, 'decided' | 'judged'>,
  io: EngineIo,
): Promise<void> {
  const { recorder, sync } = work;
  const { excess, verdict } = judged;
  const isFirst = ({ class: name }: Hold): boolean => name === 'configuration';
  const first = excess.filter(isFirst);
  await recorder.hold({ holds: first, fields: [] });
  if (first.length > 0) await makeInstead(work, decided);
  await recorder.hold({ holds: excess.filter((one) => !isFirst(one)), fields: verdict.fields });
  for (const { class: held, count } of excess) {
    io.logger.warn({ sync: sync.settings.name, class: held, count }, `held: ${classNoun[held]}s`);
  }
}

/** While the class `configuration` is held, people who come today get what the earlier configuration gives. */
async function makeInstead({ recorder, spool }: PlanWork, { instead }: Decided): Promise<void> {
  let made = 0;
  for (const places of chunk(instead, changesAtOnce)) {
    made += await recorder.replaceHeld(places.map((place) => JSON.parse(spool.read(place)) as NewChange));
  }
  if (made > 0) await recorder.applyApprovals();
}

/** Takes over the users whom only the class `configuration` claims: with their change, or if the class passes. */
async function takeLater(
  { recorder, spool, edit, findings }: PlanWork,
  { read, decided, judged }: RecordInput,
  io: EngineIo,
): Promise<void> {
  const isMeasured = read.snapshot.kind === 'full' || edit?.measured?.isHeld === false;
  const passes = !isConfigurationHeld(judged.verdict) && isMeasured;
  for (const places of chunk(decided.takenLater, changesAtOnce)) {
    const users = places.map((place) => JSON.parse(spool.read(place)) as TakenLater);
    const names = users.map(({ identification }) => identification);
    const changes = await io.store.plans.getMany(recorder.planId, names);
    const states = new Map(changes.map(({ identification, state }) => [identification, state]));
    const ready = users.filter(({ identification }) => {
      const state = states.get(identification);
      return state === undefined ? passes : state === 'planned';
    });
    const taken = ready.length === 0 ? new Set<string>() : await recorder.takeOver(ready);
    const lost = ready.filter(({ identification }) => !taken.has(identification));
    const reason = 'another sync took over the user in the meantime';
    await recorder.setAside(
      lost.map(({ identification }) => identification),
      { state: 'dropped', reason },
    );
    for (const { identification, finding } of ready) {
      if (finding !== undefined && taken.has(identification)) findings.find(finding);
    }
  }
}

/** Stores what an accepted full read shows of the configuration: a baseline, or how much an edit changes. */
async function recordConfiguration(
  { recorder, baseline, edit }: PlanWork,
  { read, compared, decided, judged }: RecordInput,
): Promise<void> {
  const { snapshot, focus } = read;
  if (!judged.isAccepted || focus !== undefined || snapshot.kind !== 'full' || snapshot.missing === undefined) return;
  if (baseline.accepted === undefined) return recorder.configuration({ kind: 'accepted' });
  if (edit === undefined) return;
  const { changed, coming, rejected, givenBack } = decided.differing;
  const isHeld = isConfigurationHeld(judged.verdict);
  // A later run decides about people whose outcome is unknown, or who did not get their values back.
  const isOpen = isHeld || rejected + givenBack + compared.unresolved.blocked.size > 0;
  if (changed.people + coming.people === 0 && !isOpen) return recorder.configuration({ kind: 'accepted' });
  if (!edit.isReverted) return recorder.configuration({ kind: 'measured', isOpen, isHeld });
}

/** Stores a full read that proves absence. It becomes the baseline for later reads if no guard doubts it. */
async function recordRead(work: PlanWork, { read, judged }: RecordInput, now: number): Promise<void> {
  const { recorder } = work;
  const { snapshot, fillRates, visibility, profile } = read;
  if (!isStored(snapshot)) return;
  // Only approving this run accepts a doubted read. Changes that were approved earlier may be about something else.
  const proof = judged.isAccepted ? snapshot.missing : undefined;
  const { rows } = snapshot;
  const stamp = snapshot.missing?.stamp ?? '';
  const found = { at: now, rows, stamp, fillRates, visibility, blocked: blockedToStore(work, read), profile };
  await recorder.read(found, work, proof);
}

/** A person with one record needs no count of rows. */
function blockedToStore({ blocked }: PlanWork, read: Pick<PlanRead, 'cells' | 'filled'>): StoredBlocked {
  const counts = blocked.counts();
  const rows = blocked.rows();
  const found = Object.entries(read.cells).map(([use, cells]) => [use, cells?.count ?? 0] as const);
  const cells = found.length === 0 ? {} : { cells: Object.fromEntries(found) };
  const { filled } = read;
  return rows === blockedBySource(counts) ? { ...counts, ...cells, filled } : { ...counts, rows, ...cells, filled };
}

/** Stores how often each person was missing. */
async function recordMisses({ recorder, spool }: PlanWork, { misses }: Decided): Promise<void> {
  for (const places of chunk(misses, missesAtOnce)) {
    await recorder.ledger(places.map((place) => JSON.parse(spool.read(place)) as LedgerEntry));
  }
}

/** Reports each reason for a hold once. */
function reportHolds(work: PlanWork, { verdict, doubt }: Judged, io: EngineIo): void {
  const reasons = new Set([...verdict.holds, ...verdict.fields].map(({ reason }) => reason));
  if (doubt !== undefined) {
    reasons.add(doubt);
    io.logger.warn({ sync: work.sync.settings.name, ...work.blocked.counts() }, 'held: too many people are blocked');
  }
  for (const message of reasons) work.findings.find({ code: 'held', message });
}

/**
 * Takes changes out of a plan whose e-mail does not become free because the change that they wait for is held or was
 * rejected. `waits`: identification to the one that it waits for; in a cycle, each waits for all.
 */
async function withdrawDependents(
  { recorder, findings }: PlanWork,
  { waits, keptEmails }: Pick<Decided, 'waits' | 'keptEmails'>,
  io: EngineIo,
): Promise<void> {
  if (waits.size === 0) return;
  const claimantOf = new Map([...waits].map(([claimant, holder]) => [holder, claimant]));
  const stopped = new Map<string, 'held' | 'dropped'>();
  for (const identification of keptEmails) stopped.set(identification, 'dropped');
  for await (const { identification, state } of changesOf(recorder.planId, io, { states: ['held', 'dropped'] })) {
    const isLinked = waits.has(identification) || claimantOf.has(identification);
    if (isLinked) stopped.set(identification, state === 'held' ? 'held' : 'dropped');
  }
  for (const [first, state] of [...stopped]) {
    let holder = first;
    for (let next = claimantOf.get(holder); next !== undefined && !stopped.has(next); next = claimantOf.get(next)) {
      stopped.set(next, state);
      const what = state === 'held' ? 'held' : 'rejected';
      const reason = `${what} with the change of ${holder}, whose e-mail it takes over`;
      await recorder.setAside([next], { state, reason });
      const message = `${next} takes over the e-mail of ${holder}, whose change is ${what}: both wait`;
      findings.find({ code: state === 'held' ? 'held' : 'email-conflict', identification: next, message });
      holder = next;
    }
  }
}
