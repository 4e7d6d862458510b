import type { ChangeClass, ChangeDraft } from '../../core/plan/change.ts';
import { differsByEdit, type EditedPart, isGivenBack, protectedDigest } from '../../core/plan/configuration.ts';
import { type Decision, decide } from '../../core/plan/plan.ts';
import { given } from '../../core/run/given.ts';
import { rulesOn } from '../clock-span.ts';
import type { Edit } from '../edit.ts';
import type { EngineIo } from '../engine-io.ts';
import { mark } from '../read/people-index.ts';
import { sayOf } from '../read/source-says.ts';
import { conflict, type DecidedSlot, type DecideJob, present } from './decide-slots.ts';

/** What an edit makes of one person's change. */
export interface EditedChange {
  readonly parts: readonly EditedPart[];
  readonly classes: readonly ChangeClass[];
  readonly reason: string;
  /** What the earlier configuration does for a person who comes or returns today. */
  readonly instead?: ChangeDraft;
}

interface DecideEditJob extends Pick<DecideJob, 'sync' | 'snapshot' | 'blocked' | 'asked'> {
  readonly edit: Edit;
}

/** Returns what the edit makes of the changes of these people, by identification. Others are as without the edit. */
export async function decideEdit(
  job: DecideEditJob,
  all: readonly DecidedSlot[],
  io: EngineIo,
): Promise<ReadonlyMap<string, EditedChange>> {
  const { edit, sync } = job;
  const found = all.flatMap((one) => {
    const { change } = one.decision;
    if (change === undefined) return [];
    const earlier = decideBefore(one, job, io)?.change;
    const parts = differsByEdit(change, earlier);
    return parts.length === 0 ? [] : [{ change, earlier, parts }];
  });
  const names = found.map(({ change }) => change.identification);
  const last = await io.store.baselines.lastWrites(sync.settings.connection, names);
  const edited = new Map<string, EditedChange>();
  for (const { change, earlier, parts } of found) {
    const { identification, classes, reason, kind } = change;
    const same = earlier?.kind === kind ? earlier : undefined;
    if (isGivenBack(change, parts, last.get(identification), edit.replaced)) {
      edit.tally.givenBack += 1;
      const back = `${reason}; gives back what the configuration now replaced had changed`;
      edited.set(identification, { parts: [], classes: same?.classes ?? [], reason: back });
    } else if (!edit.isReverted) {
      const isComing = kind === 'create' || kind === 'enable';
      edited.set(identification, {
        parts,
        classes: [...classes, 'configuration'],
        reason: `${reason}; because the configuration was edited (${keysFor(parts, edit.keys).join(', ')})`,
        ...given({ instead: isComing ? same : undefined }),
      });
    }
  }
  return edited;
}

/** Returns the users of other syncs whom only the edited configuration takes over. */
export function takenByEdit(job: DecideEditJob, all: readonly DecidedSlot[], io: EngineIo): readonly DecidedSlot[] {
  if (job.edit.isReverted) return [];
  return all.filter(
    (one) => one.decision.takenFrom !== undefined && decideBefore(one, job, io)?.takenFrom === undefined,
  );
}

const namedKeys = 3;

/** Returns the edited keys of these fields, else the first of all. */
function keysFor(parts: readonly EditedPart[], keys: readonly string[]): readonly string[] {
  const own = keys.filter((key) => parts.some((part) => key === `mapping.${part}`));
  const all = own.length === 0 ? keys : own;
  return all.length <= namedKeys ? all : [...all.slice(0, namedKeys), '…'];
}

/**
 * Decides about a person with the earlier configuration, over the same facts of platform and ledger. Undefined where one
 * read cannot compare the two.
 */
function decideBefore(one: DecidedSlot, job: DecideEditJob, { clock }: EngineIo): Decision | undefined {
  const { edit, sync, snapshot, blocked, asked } = job;
  const { before, people } = edit;
  if (people === undefined) return undefined;
  const { identification } = one.subject;
  const { slot, isExact } = people.index.find(identification);
  const person = isExact ? present(people.index.person(slot)) : undefined;
  const isConflict = slot !== -1 && (!isExact || people.index.has(slot, mark.conflict));
  const source = isConflict ? conflict : sayOf(person, snapshot, blocked.get(identification), asked.get(one.slot));
  const { parking, ...subject } = one.subject;
  const isParkedAlike = before.settings.parkEmail === sync.settings.parkEmail;
  const isProtected = (name: string): boolean => before.settings.protected.includes(protectedDigest(name));
  const settings = { ...sync.settings, ...before.settings, protected: [identification].filter(isProtected) };
  const parked = given({ parking: isParkedAlike ? parking : undefined });
  return decide({ ...subject, source, ...parked }, rulesOn(clock, settings), clock.now());
}
