import {
  type Correction,
  type CorrectionCode,
  type CorrectionsFound,
  correctionKey,
  correctionsIn,
  type LeaderTroubles,
  managerTroubles,
} from '../../core/person/corrections.ts';
import type { Mapped, Person } from '../../core/person/person.ts';
import type { Snapshot } from '../../core/plan/snapshot.ts';
import type { Finding } from '../../core/run/finding.ts';
import type { Sync } from '../engine-io.ts';
import { mark } from '../read/marks.ts';
import type { PeopleIndex } from '../read/people-index.ts';

/** A column that is wrong for more people is one trouble of the export. */
const keptCorrections = 10_000;

/** What records say to each other, found before the platform is read: after that, an account may be the other one. */
const betweenRecords: readonly CorrectionCode[] = ['duplicate-key', 'case-conflict', 'email-conflict'];

interface Noted extends Pick<Correction, 'code' | 'subject' | 'place' | 'field'> {
  readonly owner: string;
  /** One record shows it, which may turn out not to count. */
  readonly isOfRecord?: true;
}

/** Collects what HR has to correct while a plan is made. */
export function openCorrections({ settings }: Sync) {
  const all = new Map<string, Noted>();
  const add = (one: Noted): void => {
    if (all.size < keptCorrections) all.set(correctionKey(one), one);
  };
  const isManaged = settings.mapping.leaders?.manager !== undefined;
  let isReading = true;
  return {
    /** What it sees of a plan: see `Watcher`. */
    watcher: {
      record(_: unknown, mapped: Mapped) {
        for (const { code, field } of correctionsIn(mapped)) {
          const { at: place, owner = '' } = mapped;
          const isUnnamed = mapped.kind === 'unreadable';
          const subject = isUnnamed ? place : mapped.identification;
          add({ code, field, place, subject, owner, ...(isUnnamed ? {} : { isOfRecord: true }) });
        }
      },
      read() {
        isReading = false;
      },
      finding({ code, identification, at = '', others = [] }: Finding) {
        if (isReading && code === 'row-unreadable') add({ code, field: '', subject: at, place: at, owner: '' });
        const isOfPeople = code === 'leader-cycle' || (isReading && betweenRecords.some((one) => one === code));
        if (!isOfPeople || identification === undefined) return;
        const place = [at, ...others].join(', ');
        add({ code: code as CorrectionCode, field: '', subject: identification, place, owner: '' });
      },
      led(person: Person, wish: LeaderTroubles) {
        for (const code of isManaged ? managerTroubles(person, wish) : []) {
          add({ code, field: '', subject: person.identification, place: person.at, owner: '' });
        }
      },
    },
    /** Returns what a full read shows; undefined for any other read. */
    found(index: PeopleIndex, snapshot: Snapshot): Omit<CorrectionsFound, 'at'> | undefined {
      if (snapshot.kind !== 'full') return undefined;
      const isShown = (subject: string): boolean => {
        const { slot } = index.find(subject);
        return slot !== -1 && index.has(slot, mark.inSource);
      };
      const topmost = [...all.values()].filter(({ code }) => code === 'no-manager');
      const corrections = [...all.values()].flatMap((one) => {
        // One person without a manager is the head of the company.
        if (one === topmost[0] && topmost.length === 1) return [];
        return withPerson(one, index);
      });
      return { corrections, isOver: (subject) => snapshot.missing !== undefined || isShown(subject) };
    },
  };
}

/** Adds what the index knows of the person. A record that does not count has nothing to correct. */
function withPerson({ isOfRecord, ...one }: Noted, index: PeopleIndex): readonly Omit<Correction, 'since'>[] {
  const { subject, place, owner } = one;
  if (subject === place) return [{ ...one, hasAccess: false }];
  const { slot } = index.find(subject);
  const person = slot === -1 ? undefined : index.person(slot);
  if (person === undefined || person.kind === 'absent' || (isOfRecord && person.at !== place)) return [];
  const hasAccess = index.has(slot, mark.enabled);
  return [{ ...one, place: place === '' ? person.at : place, owner: owner || (person.owner ?? ''), hasAccess }];
}
