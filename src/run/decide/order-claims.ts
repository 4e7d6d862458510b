import type { Change, ChangeDraft } from '../../core/plan/change.ts';
import { compareIdentifications } from '../../core/plan/change.ts';
import { orderEmails } from '../../core/plan/email-order.ts';
import { chunk } from '../../core/run/batch.ts';
import type { Finding } from '../../core/run/finding.ts';
import type { EngineIo } from '../engine-io.ts';
import { mark } from '../read/marks.ts';
import { type DecidedSlot, type DecideJob, decideSlots, whyNotSent } from './decide-slots.ts';

/** What the order of e-mails adds to the changes of a plan. */
export interface EmailMoves {
  /** People who wait for an e-mail that does not become free in this plan. */
  readonly postponed: number;
  /** Those of them who get it in a later run without help. */
  readonly passing: ReadonlySet<number>;
  /** What the change of a slot gets besides. */
  of(slot: number, change: ChangeDraft): Partial<Pick<Change, 'reason' | 'waitsFor'>>;
}

/** One proof after the other: a longer chain continues in the next run. */
const longestChain = 50;
const decidedAtOnce = 500;

/**
 * Decides who gets an e-mail that another employee's account still has. A claimant goes after the holder, if the
 * holder's own change takes the account to another e-mail: its new one, or a leaver's parking address. Claimants
 * that do not go, and the members of a cycle, are marked as conflicts and reported.
 */
export async function orderClaims(job: DecideJob, find: (finding: Finding) => void, io: EngineIo): Promise<EmailMoves> {
  const { index, claims, sync } = job;
  if (claims.size === 0) return { postponed: 0, passing: new Set(), of: () => ({}) };
  const links = new Map([...claims].map(([claimant, { holder }]) => [claimant, holder]));
  const { movers, leaving } = await judgeHolders(job, find, io);
  // Another system delivers the files of an outbox: nothing proves that an address is free.
  const longest = sync.settings.delivery === 'outbox' ? 0 : longestChain;
  const order = orderEmails({ links, moves: (slot) => movers.has(slot), longest });
  const isStuck = (claimant: number): boolean => waitsForOthers(claimant, links, job);
  const stuck = [...order.waiting, ...[...order.going].filter(isStuck)];
  // Records that are about other people than their accounts wait as such, whatever their e-mails.
  await judgeClaimants(stuck, job, io);
  const isShifted = (slot: number): boolean => index.has(slot, mark.stranger);
  const waiting = stuck.filter((slot) => !isShifted(slot));
  for (const slot of waiting) reportWaiting(slot, leaving, job, find);
  for (const members of order.cycles) if (!members.every(isShifted)) reportCycle(members, job, find);
  return {
    passing: new Set(waiting.filter((slot) => leaving.has(links.get(slot) ?? slot))),
    postponed: waiting.filter((slot) => !index.has(slot, mark.bystander)).length,
    of(slot, { changed, kind, reason }) {
      const holder = links.get(slot);
      if (holder === undefined || !order.going.has(slot) || isStuck(slot)) return {};
      if (kind !== 'create' && !changed.includes('email')) return {};
      const waitsFor = index.person(holder).identification;
      return { reason: `${reason}; sent after the change of ${waitsFor}, whose account has this e-mail`, waitsFor };
    },
  };
}

/** Returns whether a claimant waits for a person whom a run about named people does not name and does not change. */
function waitsForOthers(claimant: number, links: ReadonlyMap<number, number>, { snapshot, index }: DecideJob): boolean {
  if (snapshot.kind !== 'point') return false;
  for (let slot = links.get(claimant); slot !== undefined && slot !== claimant; slot = links.get(slot)) {
    if (index.has(slot, mark.bystander)) return true;
  }
  return false;
}

/** Decides about the holders alone. */
async function judgeHolders(job: DecideJob, find: (finding: Finding) => void, io: EngineIo) {
  const movers = new Set<number>();
  const leaving = new Set<number>();
  for (const some of chunk([...job.claims.values()], decidedAtOnce)) {
    job.signal.throwIfAborted();
    const slots = some.map(({ holder, place }) => ({ slot: holder, place }));
    for (const decided of await decideSlots(job, slots, io)) {
      const { change } = decided.decision;
      if (change !== undefined && leavesEmail(decided)) {
        const message = whyNotSent(change, job.sync);
        if (message === undefined) movers.add(decided.slot);
        // The claimant does not go then, so nothing is planned later on that tells of it.
        else if (decided.decision.rule === 'leaver-parked') {
          find({ code: 'not-deliverable', identification: change.identification, message });
        }
      }
      if (change?.kind === 'disable') leaving.add(decided.slot);
    }
  }
  return {
    /** Holders whose own change takes the account to another e-mail. */
    movers,
    /** Leavers who are disabled in this plan: a later one can give their accounts parking addresses. */
    leaving,
  };
}

/** Marks those who come with another person than the account: all at once, because records may be exchanged. */
async function judgeClaimants(waiting: readonly number[], job: DecideJob, io: EngineIo): Promise<void> {
  const { candidates } = job;
  const asked = new Set(waiting);
  const slots = candidates.slots.flatMap((slot, i) => (asked.has(slot) ? [{ slot, place: candidates.places[i] }] : []));
  for (const some of chunk(slots, decidedAtOnce)) await decideSlots(job, some, io);
}

function leavesEmail({ subject, decision }: DecidedSlot): boolean {
  const email = decision.change?.changed.includes('email') === true ? decision.change.after.email : undefined;
  return email !== undefined && email.toLowerCase() !== subject.user?.fields.email?.toLowerCase();
}

function reportWaiting(
  slot: number,
  leaving: ReadonlySet<number>,
  { index, claims }: DecideJob,
  find: (finding: Finding) => void,
): void {
  const holderSlot = claims.get(slot)?.holder ?? slot;
  const claimant = index.person(slot);
  const wanted = claimant.identification;
  const holder = index.person(holderSlot).identification;
  const isTold = index.has(slot, mark.conflict);
  index.set(slot, mark.conflict);
  if (index.has(slot, mark.bystander) && index.has(holderSlot, mark.bystander)) return;
  const at = 'at' in claimant ? ` (${claimant.at})` : '';
  const isLeaver = index.has(holderSlot, mark.leaver) || !index.has(holderSlot, mark.inSource);
  const message = leaving.has(holderSlot)
    ? `user ${holder}, a leaver, still has the e-mail of ${wanted}${at}. A later run gives it the parking address (parkEmail) and gives the e-mail to ${wanted}`
    : isLeaver
      ? `${wanted}${at} needs the e-mail of user ${holder}, who left and keeps it. Give one of them another e-mail, or remove the user`
      : `the e-mail of ${wanted}${at} is still on user ${holder}: ${wanted} waits until it is free`;
  if (!isTold) find({ code: 'email-conflict', identification: wanted, message, other: holder });
  if (isLeaver) return;
  // A later read that shows only this one of the two finds the conflict by it.
  if (!index.has(holderSlot, mark.conflict)) find({ code: 'email-conflict', identification: holder, message });
}

function reportCycle(members: readonly number[], { index }: DecideJob, find: (finding: Finding) => void): void {
  const people = fromSmallest(members.map((slot) => index.person(slot)));
  const names = people.map(({ identification }) => identification);
  const shown = [...names.slice(0, 10), ...(names.length > 10 ? ['…'] : []), names[0] ?? ''].join(' → ');
  const message = `each of these people needs the e-mail of the next: ${shown}. Change one address on the platform; the next run changes the others`;
  for (const slot of members) index.set(slot, mark.conflict);
  for (const [i, person] of people.entries()) {
    const { identification } = person;
    if (index.has(index.find(identification).slot, mark.bystander)) continue;
    const other = names[(i + 1) % names.length] ?? '';
    find({ code: 'email-cycle', identification, message, other, ...('at' in person ? { at: person.at } : {}) });
  }
}

/** The same circle, whichever account the platform showed first. */
function fromSmallest<Named extends { readonly identification: string }>(circle: readonly Named[]): readonly Named[] {
  const names = circle.map(({ identification }) => identification);
  const start = names.indexOf(names.toSorted(compareIdentifications)[0] ?? '');
  return [...circle.slice(start), ...circle.slice(0, start)];
}
