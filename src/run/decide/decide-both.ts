import { earlierOf } from '../../core/person/earlier.ts';
import type { LeaderReference, Person } from '../../core/person/person.ts';
import type { ChangeDraft, Proposal } from '../../core/plan/change.ts';
import {
  canonicalJson,
  differsByEdit,
  type EditedPart,
  isGivenBack,
  isOfHrToo,
  type Marked,
  protectedDigest,
} from '../../core/plan/configuration.ts';
import { type Case, type Decision, decide } from '../../core/plan/plan.ts';
import { given } from '../../core/run/given.ts';
import { rulesOn } from '../clock-span.ts';
import type { Edit } from '../edit.ts';
import type { EngineIo, Sync } from '../engine-io.ts';
import type { PlanWork } from '../plan-job.ts';
import type { PeopleIndex } from '../read/people-index.ts';
import type { DecideCases } from './decide-slots.ts';

/**
 * Decides by the truth table as configured today and, over the same facts, as configured before the edit. What the
 * earlier configuration does not do is of the class `configuration`.
 */
export function decideBoth(edit: Edit, { sync, index }: Pick<PlanWork, 'sync' | 'index'>, io: EngineIo): DecideCases {
  const now = io.clock.now();
  const taken = new Set<string>();
  return async (subjects, rules) => {
    const all = subjects.map((subject) => {
      const decision = decide(subject, rules, now);
      const isOpen = decision.change !== undefined || decision.takenFrom !== undefined;
      const isCompared = isOpen && edit.mapping !== undefined;
      const earlier = isCompared ? decideBefore(edit, { subject, sync }, io) : undefined;
      return { decision, earlier, parts: decision.change ? differsByEdit(decision.change, earlier?.change) : [] };
    });
    const names = all.flatMap(({ decision: { change }, parts }) =>
      parts.length > 0 && change ? [change.identification] : [],
    );
    const last = await io.store.baselines.lastWrites(sync.settings.connection, names);
    return all.map(({ decision, earlier, parts }): Decision => {
      const { change } = decision;
      const takesOver = !edit.isReverted && decision.takenFrom !== undefined && earlier?.takenFrom === undefined;
      const taking = takesOver ? { marked: { parts: [], takesOver } as const } : {};
      if (change === undefined || parts.length === 0) return { ...decision, ...taking };
      const same = earlier?.change?.kind === change.kind ? earlier.change : undefined;
      if (isGivenBack(change, parts, last.get(change.identification), edit.replaced)) {
        const reason = `${change.reason}; restores what the replaced configuration had changed`;
        const back = { ...change, classes: same?.classes ?? [], reason };
        return { ...decision, change: back, marked: { ...taking.marked, parts: [], isBack: true } };
      }
      if (edit.isReverted) return decision;
      const isComing = change.kind === 'create' || change.kind === 'enable';
      const instead = isComing && same !== undefined && isFree(same, { index, taken }) ? same : undefined;
      const also = isOfHrToo(parts, same) ? ({ isOfHrToo: true } as const) : {};
      const marked: Marked = { ...taking.marked, parts, ...also, ...given({ instead }) };
      return { ...decision, change: ofClass(change, parts, edit), marked };
    });
  };
}

/**
 * Returns what the earlier configuration makes of a person, where the two can be compared by it. `references`: how today's
 * names the leaders.
 */
export function earlierLed(
  { mapping, keys }: Edit,
  { person, references }: { readonly person: Person; readonly references: readonly LeaderReference[] },
): Person | undefined {
  const earlier = earlierOf(person);
  if (mapping === undefined || earlier === 'nobody' || earlier.kind !== 'person') return undefined;
  // The account that an e-mail or an identification names is not compared.
  const isCompared = earlier.standing === 'active' && earlier.isInScope;
  return isCompared && !references.some(({ by }) => keys.includes(`mapping.${by}`)) ? earlier : undefined;
}

/** Returns a change of leaders, of the class `configuration` where the earlier configuration makes another one. */
export function markLeaders(
  edit: Edit | undefined,
  change: Proposal,
  earlier: Proposal | undefined,
): { readonly draft: Proposal; readonly marked?: Marked } {
  const isSame = earlier?.kind === change.kind && canonicalJson(earlier.after) === canonicalJson(change.after);
  if (edit === undefined || edit.isReverted || isSame) return { draft: change };
  const parts = [change.kind];
  return { draft: ofClass(change, parts, edit), marked: { parts } };
}

const namedKeys = 3;

/** Adds the class, and the edited keys of these parts, else the first of all. */
function ofClass<Made extends ChangeDraft>(change: Made, parts: readonly EditedPart[], { keys }: Edit): Made {
  const own = keys.filter((key) => parts.some((part) => key === `mapping.${part}`));
  const all = own.length === 0 ? keys : own;
  const named = all.length <= namedKeys ? all : [...all.slice(0, namedKeys), '…'];
  const reason = `${change.reason}; because the configuration was edited (${named.join(', ')})`;
  return { ...change, classes: [...change.classes, 'configuration'], reason };
}

/** Returns whether no other person is to have the e-mail of an account that the earlier configuration gives. */
function isFree(
  { identification, after: { email = '' } }: ChangeDraft,
  { index, taken }: { readonly index: PeopleIndex; readonly taken: Set<string> },
): boolean {
  const slot = email === '' ? -1 : index.findEmail(email);
  const isTaken = taken.has(email.toLowerCase()) || (slot !== -1 && slot !== index.find(identification).slot);
  if (email !== '') taken.add(email.toLowerCase());
  return !isTaken;
}

/** Decides with the earlier configuration, over the same facts. */
function decideBefore(
  edit: Edit,
  { subject, sync }: { readonly subject: Case; readonly sync: Sync },
  io: EngineIo,
): Decision {
  const { identification, earlier, parking, ...facts } = subject;
  const { before } = edit;
  const isProtected = before.protected.includes(protectedDigest(identification));
  const settings = { ...sync.settings, ...before, protected: isProtected ? [identification] : [] };
  const isParkedAlike = before.parkEmail === sync.settings.parkEmail;
  const parked = given({ parking: isParkedAlike ? parking : undefined });
  const known = { identification, ...facts, ...parked };
  return decide({ ...known, source: earlier ?? facts.source }, rulesOn(io.clock, settings), io.clock.now());
}
