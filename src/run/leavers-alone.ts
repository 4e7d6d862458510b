import { classAllowance } from '../core/guard/guard.ts';
import type { FieldValues } from '../core/person/fields.ts';
import { likenessKey, nameKey } from '../core/person/same-person.ts';
import { isOpenAccount } from '../core/plan/ledger.ts';
import { chunk } from '../core/run/batch.ts';
import { type ErrorCode, RollcallError } from '../core/run/errors.ts';
import { countOf } from '../core/run/formats.ts';
import { canLookUp } from './compare/doubtful-people.ts';
import type { EngineIo } from './engine-io.ts';
import type { Judged } from './judge/judge.ts';
import type { PlanWork } from './plan-job.ts';
import { mark } from './read/marks.ts';
import type { PeopleIndex } from './read/people-index.ts';
import type { PlanRead } from './read/read-people.ts';

/** What a plan found before it ended: `judged` is absent where an error ended it. */
type Ended =
  | { readonly read: PlanRead; readonly judged: Judged }
  | { readonly read: PlanRead; readonly error: unknown };

/**
 * Stated leavers do not wait for the rest. Where a run about everyone cannot disable those whom its readable rows state,
 * this requests a run about them alone. That run reads each of them again from the source and from the platform, and
 * disables those who are still stated, by the same rules, guards and approvals. Missing people always wait.
 *
 * Not requested: where the column of the identification, the status or a date looks wrong, because every row may be wrong then; without an
 * accepted read under this configuration, which tells who claims what; in a freeze.
 */
export async function leaversAlone(work: PlanWork, ended: Ended, io: EngineIo): Promise<void> {
  const { sync, index, recorder, findings, scope, signal } = work;
  const because = whyNotHere(ended);
  if (because === undefined) return 'judged' in ended ? recorder.leavers([], '') : undefined;
  if (signal.aborted) return;
  const stated = statedLeavers(index);
  const mayAsk = scope.kind === 'all' && mayAskAgain(work, ended.read, io);
  const going = mayAsk ? await whoMayGo(work, [...stated, ...(await knownLeavers(work, io))], io) : [];
  // As if the rows that were read were the whole company: a status column that is read wrongly makes everyone a leaver.
  const { rows } = ended.read.snapshot;
  const most = classAllowance('disables', sync.settings.guards.disables, { managed: rows, enabled: rows });
  const names = going.length > most ? [] : going;
  await recorder.leavers(names, because);
  if (names.length > 0) {
    const message = `${countOf(names.length, 'person', 'people')} left. A separate run reads only these people and their accounts, because ${because}`;
    findings.find({ code: 'leavers-alone', message });
  }
  const asked = new Set(names);
  const waiting = stated.filter(({ identification }) => !asked.has(identification)).length;
  if (waiting > 0 && ended.read.snapshot.leavers === undefined) {
    const who = countOf(waiting, 'person', 'people');
    const message = `${who} in this read left. Their enabled accounts stay enabled until a complete read`;
    findings.find({ code: 'source-incomplete', message });
  }
}

/** Errors that also end a run about named people, or that a person must settle first. */
const hopeless: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  ...(['SOURCE_REFUSED', 'PLATFORM_UNAUTHORIZED', 'REAUTH_REQUIRED', 'TOKEN_REVOKED', 'TOKEN_RESTORED'] as const),
  ...(['TOKEN_UNAVAILABLE', 'CONFIG_INVALID', 'STORE_INVALID', 'LEASE_LOST', 'CONFLICT', 'CANCELLED'] as const),
]);

/** Returns why the run cannot disable leavers, as a sentence without its full stop; undefined where it can. */
function whyNotHere(ended: Ended): string | undefined {
  if ('error' in ended) {
    const { error } = ended;
    if (!(error instanceof RollcallError)) return 'the run ended with an unexpected error';
    return hopeless.has(error.code) ? undefined : firstSentence(error.message);
  }
  const { snapshot } = ended.read;
  if (snapshot.leavers === undefined) return snapshot.gaps[0] ?? 'the read was not complete';
  const { holds, lost } = ended.judged.verdict;
  return lost !== undefined && holds.some((hold) => hold.class === 'disables' && hold.reason === lost)
    ? lost
    : undefined;
}

function firstSentence(text: string): string {
  return /^.*?(?=\.(?: [A-Z]|$))/s.exec(text)?.[0] ?? text;
}

/** A leaver with the fields of the record; none for one whom only an earlier read shows. */
interface Stated {
  readonly identification: string;
  readonly fields: FieldValues;
}

/**
 * Returns the people who left by their own record, and about whom no other record or account claims something else.
 * Leaves out those whose account this run saw disabled: another user did it, and the ledger does not know.
 */
function statedLeavers(index: PeopleIndex): readonly Stated[] {
  const others = mark.outOfScope | mark.bystander | mark.conflict | mark.stranger;
  const slots = Array.from({ length: index.size }, (_, slot) => slot);
  return slots.flatMap((slot) => {
    if (!index.has(slot, mark.leaver) || index.hasAny(slot, others)) return [];
    return index.has(slot, mark.seen) && !index.has(slot, mark.enabled) ? [] : [statedIn(index, slot)];
  });
}

function statedIn(index: PeopleIndex, slot: number): Stated {
  const person = index.person(slot);
  return { identification: person.identification, fields: person.kind === 'person' ? person.fields : {} };
}

/** Returns the leavers of earlier reads whose clock counts, and whom this read did not reach. */
async function knownLeavers({ index, sync }: PlanWork, { store, clock }: EngineIo): Promise<readonly Stated[]> {
  const now = clock.now();
  const all = await store.leavers.list(sync.settings.name, now);
  return all.flatMap(({ identification, ending, clockAt }) => {
    const { slot } = index.find(identification);
    const isReached = slot !== -1 && index.has(slot, mark.inSource);
    return ending !== undefined || clockAt > now || isReached ? [] : [{ identification, fields: {} }];
  });
}

/** Returns whether a second read of some people can show more than the first read of all did. */
function mayAskAgain({ sync, roster }: PlanWork, read: PlanRead, { clock }: EngineIo): boolean {
  if (roster?.fingerprint !== sync.fingerprint || sync.frozenUntil?.(clock.now()) !== undefined) return false;
  const { columns, vanished, snapshot, profile, last } = read;
  const { leaveDate, leaveOrder, emptied, encoding } = columns;
  if ((leaveDate ?? leaveOrder ?? emptied ?? encoding) !== undefined) return false;
  if (vanished.some(({ readers }) => readers.some((reader) => deciding.test(reader)))) return false;
  if (canLookUp(sync)) return true;
  // A file is read again as a whole. Where a person has several rows, the part that lacks may hold the row that counts.
  const isWhole = snapshot.leavers !== undefined || snapshot.isAcceptable === true;
  return isWhole && profile.doubled === 0 && last?.profile?.doubled === 0;
}

/** What reads the columns that decide who works here. */
const deciding = /^(?:identification|scope|lifecycle\..*)$/;

const peopleAtOnce = 500;

/**
 * Returns the leavers whose accounts Rollcall manages and did not disable. Leaves out those whose disable a person rejected,
 * and those who may work under another identification: in this read, or by the e-mail in the last accepted one.
 */
async function whoMayGo(work: PlanWork, leavers: readonly Stated[], io: EngineIo): Promise<readonly string[]> {
  const { roster, sync } = work;
  const { name, connection } = sync.settings;
  const going: Stated[] = [];
  for (const some of chunk(leavers, peopleAtOnce)) {
    const names = some.map(({ identification }) => identification);
    const ledger = await io.store.ledger.getMany(connection, names);
    const decisions = await io.store.decisions.ofMany(name, names);
    const claims = await roster?.claims(some.flatMap(({ fields: { email = '' } }) => (email === '' ? [] : [email])));
    for (const one of some) {
      const { identification, fields } = one;
      const entry = ledger.get(identification);
      const isEnabled = isOpenAccount(entry) && entry.owner === name;
      const isRejected = decisions
        .get(identification)
        ?.some(
          ({ rule, state, endedAt }) => rule === 'leaver-enabled' && state === 'rejected' && endedAt === undefined,
        );
      const isClaimed = claims?.get(fields.email ?? '')?.some((key) => key !== roster?.keyOf(identification));
      if (isEnabled && isRejected !== true && isClaimed !== true) going.push(one);
    }
  }
  const elsewhere = await worksElsewhere(going, work, io);
  const stays = ({ fields }: Stated): boolean => keysOf(fields).some((key) => elsewhere.has(key));
  return going.flatMap((one) => (stays(one) ? [] : [one.identification]));
}

/** Returns the keys of these people that an active person of the read has too, who has the e-mail or no account. */
async function worksElsewhere(
  people: readonly Stated[],
  { index, sync }: PlanWork,
  io: EngineIo,
): Promise<ReadonlySet<string>> {
  const wanted = new Set(people.flatMap(({ fields }) => keysOf(fields)));
  const found = new Map<string, readonly string[]>();
  for (let slot = 0; wanted.size > 0 && slot < index.size; slot += 1) {
    if (!index.has(slot, mark.active)) continue;
    const { identification, fields } = statedIn(index, slot);
    const shared = keysOf(fields).filter((key) => wanted.has(key));
    if (shared.length > 0) found.set(identification, shared);
  }
  const ledger = await io.store.ledger.getMany(sync.settings.connection, [...found.keys()]);
  return new Set(
    [...found].flatMap(([identification, keys]) => {
      const entry = ledger.get(identification);
      const hasAccount = entry?.accountId !== undefined && entry.removed === undefined;
      return hasAccount ? keys.filter((key) => key.startsWith(byEmail)) : keys;
    }),
  );
}

const byEmail = 'email ';

/** Returns what two records of one person have in common. */
function keysOf(fields: FieldValues): readonly string[] {
  const { email = '' } = fields;
  const name = nameKey(fields);
  const likeness = likenessKey(fields);
  return [
    ...(email === '' ? [] : [`${byEmail}${email.toLowerCase()}`]),
    ...(name === '' ? [] : [`name ${name}`]),
    ...(likeness === undefined ? [] : [`like ${likeness}`]),
  ];
}
