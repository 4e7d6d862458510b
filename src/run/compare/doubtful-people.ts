import { openBudget } from '../../core/person/field-rule.ts';
import type { Mapped, Person } from '../../core/person/person.ts';
import { countingRecord } from '../../core/person/prefer.ts';
import { adopted, entryOf, type MissingUser, usersAtStake } from '../../core/plan/ledger-steps.ts';
import type { SourceSays } from '../../core/plan/plan.ts';
import { absentInLookup, certifySnapshot, type MissingProof, type Snapshot } from '../../core/plan/snapshot.ts';
import type { Standing } from '../../core/plan/standing.ts';
import { chunk } from '../../core/run/batch.ts';
import { RollcallError } from '../../core/run/errors.ts';
import type { Finding } from '../../core/run/finding.ts';
import { countOf } from '../../core/run/formats.ts';
import type { Spool } from '../../ports/runtime.ts';
import { rulesOn } from '../clock-span.ts';
import type { EngineIo, Sync } from '../engine-io.ts';
import { pointRequest } from '../read/choose-read.ts';
import { mark } from '../read/marks.ts';
import type { PeopleIndex } from '../read/people-index.ts';
import { sayOf } from '../read/source-says.ts';
import { type Candidates, isEqualUser, readKept } from './kept-users.ts';

/** Asks the source again about some people. */
export interface AskJob {
  readonly sync: Sync;
  readonly index: PeopleIndex;
  readonly spool: Spool;
  readonly candidates: Candidates;
  readonly standing: Standing;
  readonly signal: AbortSignal;
  readonly find: (finding: Finding) => void;
}

/**
 * Asks the source again about people whom a delta reports as gone. A delta shows only changed records, not all records
 * of a person. A person who was hired again under the same number also has an old record, which may be edited today. A
 * person whom the second lookup does not confirm as gone is not changed, and is reported. Returns the number of such
 * people.
 */
export async function confirmGone(job: AskJob, io: EngineIo): Promise<number> {
  const { index, candidates, find } = job;
  const gone = candidates.slots.filter((slot, at) => isAtStake(slot, candidates.places[at] as number, job));
  const names = gone.map((slot) => index.person(slot).identification);
  const { answers } = await askSource(names, job, io);
  let left = 0;
  for (const [at, slot] of gone.entries()) {
    const identification = names[at] ?? '';
    const answer = answers.get(identification) ?? notAsked;
    if (answer.kind === 'known' && isGone(answer.person)) continue;
    left += 1;
    index.set(slot, mark.conflict);
    const why = answer.kind === 'known' ? 'no longer reports the person as gone' : answer.why;
    const message = `the delta read shows the person as gone, but a lookup did not confirm it: the source ${why}. The user is not changed`;
    find({ code: 'gone-unconfirmed', identification, message });
  }
  return left;
}

/** Returns whether the delta would cause a change to the person's account. */
function isAtStake(slot: number, place: number, { sync, index, spool }: AskJob): boolean {
  const { outOfScope, remove } = sync.settings;
  if (index.has(slot, mark.conflict)) return false;
  const isGone = index.has(slot, mark.outOfScope) ? outOfScope === 'disable' : index.has(slot, mark.leaver);
  if (!isGone) return false;
  if (remove !== 'never') return true;
  const user = readKept(spool, place);
  return isEqualUser(user) || user.enabled;
}

/** What lookups show of the people whom a full read lacks. */
export interface AskedAbsent {
  /** What the source says about those whose disable or remove depends on it, by slot. */
  readonly said: ReadonlyMap<number, SourceSays>;
  /** Number of people looked up. */
  readonly asked: number;
}

/** Stops a run from waiting for long for the HR system because of its own doubts. */
const defaultCap = 100;

/**
 * Looks up the people whose absence from a full read may get them disabled or removed, at most as many as
 * `guards.disables.cap`. A full read can lack a person for other reasons: a filter, a permission, a record in motion. Who
 * was not looked up, or without a clear answer, is not missing in this read.
 */
export async function askAbsent(
  job: AskJob,
  { snapshot, blocked }: { readonly snapshot: Snapshot; readonly blocked: ReadonlyMap<string, unknown> },
  io: EngineIo,
): Promise<AskedAbsent> {
  const { sync, find, standing } = job;
  const { missing, leavers } = snapshot;
  const said = new Map<number, SourceSays>();
  if (missing === undefined || leavers === undefined || !canLookUp(sync)) return { said, asked: 0 };
  const absent = (await absentUsers(job, io)).filter(({ identification }) => !blocked.has(identification));
  const due = usersAtStake(absent, rulesOn(io.clock, sync.settings), io.clock.now());
  const atStake = [
    ...new Set([...absent.filter((one) => one.isEnabled && standing.disables(one.identification)), ...due]),
  ];
  const cap = sync.settings.guards.disables.cap ?? defaultCap;
  const chosen = atStake.slice(0, cap);
  const { answers, lookup, refusal } = await askSource(
    chosen.map(({ identification }) => identification),
    job,
    io,
  );
  if (refusal !== undefined) {
    const message = `people who are missing cannot be looked up by id, so only full reads count their absence: ${refusal}`;
    find({ code: 'lookup-refused', message });
    return { said, asked: chosen.length };
  }
  for (const { slot, identification } of chosen) {
    const answer = answers.get(identification) ?? notAsked;
    const says = lookup === undefined ? undefined : sayAfter(answer, missing, lookup);
    const reason = 'missing from the full read';
    if (says?.says === 'active' || says?.says === 'nothing') {
      const found = says.says === 'active' ? says.person.standingReason : says.reason;
      const message = `${reason}, but found by a lookup by id: ${found}. The user is not changed. Check what the full read leaves out`;
      said.set(slot, { says: 'nothing', reason: message, isSeen: true });
      find({ code: 'missing-found', identification, message });
    } else if (says === undefined || says.says === 'unusable') {
      // A reason may be a sentence of its own.
      const why = (says?.reason ?? (answer.kind === 'known' ? '' : `the source ${answer.why}`)).replace(/\.$/, '');
      const message = `${reason}, and a lookup by id was inconclusive: ${why}. The absence is not counted`;
      said.set(slot, { says: 'unconfirmed', reason: message });
      find({ code: 'missing-unconfirmed', identification, message });
    } else said.set(slot, says);
  }
  const others = atStake.slice(cap);
  const reason = `missing from the full read, and not looked up by id in this run, which looks up ${cap} people`;
  for (const { slot } of others) said.set(slot, { says: 'unconfirmed', reason });
  if (others.length > 0) {
    const message = `${countOf(others.length, 'person', 'people')} missing from the full read: not looked up, because a run looks up at most ${cap} (guards.disables.cap). Their absence is not counted`;
    find({ code: 'missing-unconfirmed', message });
  }
  return { said, asked: chosen.length };
}

/** Returns what the source says about a missing person after a lookup. Undefined when the answer is not clear. */
function sayAfter(answer: Answer, missing: MissingProof, lookup: Snapshot): SourceSays | undefined {
  if (answer.kind === 'known') return sayOf(answer.person, lookup);
  const proof = answer.kind === 'absent' ? absentInLookup(missing, lookup) : undefined;
  return proof && { says: 'missing', proof };
}

/** Returns whether the source can look people up by the key of the mapping, without reading everyone again. */
export function canLookUp({ source, mapping }: Sync): boolean {
  const field = mapping.identificationField;
  return source.capabilities.point && field !== undefined && source.looksUp?.(field) !== false;
}

/** Returns the users on the platform whom no record of the source names: ours, and those that a person decided to disable. */
async function absentUsers({ sync, index, spool, candidates, standing }: AskJob, io: EngineIo) {
  const places = new Map<number, number>();
  for (const [at, slot] of candidates.slots.entries()) {
    const isAbsent = !index.hasAny(slot, mark.inSource | mark.conflict | mark.bystander);
    const isMeant = index.has(slot, mark.ours) || standing.disables(index.person(slot).identification);
    if (isAbsent && isMeant) places.set(slot, candidates.places[at] as number);
  }
  const found: (MissingUser & { readonly slot: number })[] = [];
  for (const some of chunk([...places.keys()], ledgerAtOnce)) {
    const names = some.map((slot) => index.person(slot).identification);
    const ledger = await io.store.ledger.getMany(sync.settings.connection, names);
    const decisions = await io.store.decisions.ofMany(sync.settings.name, names);
    for (const [at, slot] of some.entries()) {
      const identification = names[at] ?? '';
      const user = readKept(spool, places.get(slot) as number);
      const stored = ledger.get(identification);
      const asOurs = standing.disables(identification) ? adopted(sync.settings.name, identification, {}) : undefined;
      const entry = isEqualUser(user) ? undefined : (entryOf(user.id, stored) ?? asOurs);
      if (isEqualUser(user) || entry === undefined) continue;
      const known = decisions.get(identification)?.find(({ rule, endedAt }) => {
        return endedAt === undefined && (rule === 'missing-disable' || rule === 'missing-remove');
      });
      const decided = known?.state === 'open' ? undefined : known?.state;
      found.push({ slot, identification, isEnabled: user.enabled, entry, decided });
    }
  }
  return found;
}

const ledgerAtOnce = 100;

const notAsked = { kind: 'unclear', why: 'was not asked, because earlier lookups of this run failed' } as const;

type Known = Exclude<Mapped, { kind: 'unreadable' }>;

/** What a lookup by id shows of one person. `why` continues "the source". */
type Answer =
  | { readonly kind: 'known'; readonly person: Person }
  | { readonly kind: 'absent' | 'unclear'; readonly why: string };

interface Answers {
  readonly answers: ReadonlyMap<string, Answer>;
  /** What the complete lookups prove. Undefined when none was complete. */
  readonly lookup: Snapshot | undefined;
  /** Why the source refuses every lookup, even of a person whom the full read shows. */
  readonly refusal?: string;
}

/** So many people are looked up by one read: kinds that ask for each by a request of its own read everyone above it. */
const askedAtOnce = 50;
/** After so many failed lookups, the remaining people are not asked: repeated refusals may lock the account. */
const mostFailures = 6;

/**
 * Looks people up by id in the source. A refused lookup is split, so that one person whom the source protects does not
 * hide the others. A source that does not answer is not asked again.
 */
export async function askSource(names: readonly string[], job: AskJob, io: EngineIo): Promise<Answers> {
  const answers = new Map<string, Answer>();
  let lookup: Snapshot | undefined;
  let failures = 0;
  const queue = [...chunk(names, askedAtOnce)];
  for (let some = queue.shift(); some !== undefined && failures < mostFailures; some = queue.shift()) {
    try {
      const { records, snapshot } = await lookUp(some, job, io);
      if (snapshot.leavers === undefined && some.length > 1) {
        failures += 1;
        queue.unshift(...chunk(some, Math.ceil(some.length / 2)));
        continue;
      }
      if (snapshot.leavers !== undefined) lookup = snapshot;
      for (const name of some) answers.set(name, answerAbout(records.get(name.toLowerCase()), name, snapshot));
    } catch (error) {
      job.signal.throwIfAborted();
      if (!(error instanceof RollcallError)) throw error;
      failures += 1;
      const isRefused = error.retry === 'never';
      if (error.code === 'SOURCE_REFUSED' && failures === 1 && !(await knowsAnyone(job, io))) {
        return { answers, lookup, refusal: error.message };
      }
      if (isRefused && some.length > 1) queue.unshift(...chunk(some, Math.ceil(some.length / 2)));
      else for (const name of some) answers.set(name, { kind: 'unclear', why: `did not answer: ${error.message}` });
      if (!isRefused) break;
    }
  }
  return { answers, lookup };
}

/** Returns whether the source lets us look up a person whom it has just shown. */
async function knowsAnyone(job: AskJob, io: EngineIo): Promise<boolean> {
  const { index } = job;
  const slots = Array.from({ length: index.size }, (_, slot) => slot);
  const isUsable = (one: number): boolean =>
    index.hasAny(one, mark.active | mark.leaver) && !index.has(one, mark.conflict);
  const slot = slots.find(isUsable);
  if (slot === undefined) return false;
  try {
    await lookUp([index.person(slot).identification], job, io);
    return true;
  } catch (error) {
    job.signal.throwIfAborted();
    if (error instanceof RollcallError && error.code === 'SOURCE_REFUSED') return false;
    if (error instanceof RollcallError) return true;
    throw error;
  }
}

async function lookUp(names: readonly string[], { sync, signal }: AskJob, io: EngineIo) {
  const wanted = new Set(names.map((name) => name.toLowerCase()));
  const records = new Map<string, Known[]>();
  const now = io.clock.now();
  const budget = openBudget(signal);
  let unreadable = 0;
  const sourceIo = { clock: io.clock, logger: io.logger, signal, previous: undefined };
  const reading = sync.source.read(pointRequest(names, sync), sourceIo);
  try {
    for (;;) {
      const next = await reading.next();
      if (next.done === true) {
        const facts = { kind: 'point', end: next.value, unreadable, readAt: now, runAt: undefined } as const;
        return {
          /** By identification, case-insensitive. */
          records,
          snapshot: certifySnapshot(facts),
        };
      }
      unreadable += next.value.broken.length;
      const page = await Promise.all(next.value.records.map((record) => sync.mapping.map(record, now, budget)));
      signal.throwIfAborted();
      for (const mapped of page) {
        if (mapped.kind === 'unreadable') {
          unreadable += 1;
          continue;
        }
        const key = mapped.identification.toLowerCase();
        if (wanted.has(key)) records.set(key, [...(records.get(key) ?? []), mapped]);
      }
    }
  } finally {
    await reading.return({ complete: false, rows: 0, reasons: ['stopped'] });
  }
}

/** Judges the records that a lookup returned for one person. */
function answerAbout(records: readonly Known[] | undefined, name: string, snapshot: Snapshot): Answer {
  if (snapshot.leavers === undefined) return { kind: 'unclear', why: 'did not answer the lookup completely' };
  const [first, ...others] = records ?? [];
  if (first === undefined) {
    // A record without an identification may be about the person.
    return snapshot.gaps.length > 0
      ? { kind: 'unclear', why: 'has a record that cannot be used' }
      : { kind: 'absent', why: 'does not know the person' };
  }
  if ([first, ...others].some(({ identification }) => identification !== name)) {
    const why =
      others.length > 0
        ? `has ${countOf(others.length + 1, 'record')} of the person`
        : 'has the person with another spelling of the identification';
    return { kind: 'unclear', why };
  }
  const person = countingRecord([first, ...others]);
  if (person === undefined) {
    const why =
      others.length > 0
        ? `has ${countOf(others.length + 1, 'record')} of the person, which contradict each other`
        : 'has a record that cannot be used';
    return { kind: 'unclear', why };
  }
  return { kind: 'known', person };
}

function isGone({ standing, isInScope }: Person): boolean {
  return standing === 'leaver' || !isInScope;
}
