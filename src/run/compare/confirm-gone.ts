import { openBudget } from '../../core/person/field-rule.ts';
import type { Mapped, Person } from '../../core/person/person.ts';
import { countingRecord } from '../../core/person/prefer.ts';
import { countOf } from '../../core/run/count-of.ts';
import type { Finding } from '../../core/run/finding.ts';
import type { Spool } from '../../ports/spool.ts';
import type { EngineIo, Sync } from '../engine-io.ts';
import { pointRequest } from '../read/choose-read.ts';
import { mark, type PeopleIndex } from '../read/people-index.ts';
import { type Candidates, readKept } from './kept-users.ts';

export interface ConfirmJob {
  readonly sync: Sync;
  readonly index: PeopleIndex;
  readonly spool: Spool;
  readonly candidates: Candidates;
  readonly signal: AbortSignal;
  readonly find: (finding: Finding) => void;
}

/**
 * Asks the source again about people whom a delta reports as gone. A delta shows only changed records, not all records
 * of a person. A person who was hired again under the same number also has an old record, which may be edited today. A
 * person whom the second lookup does not confirm as gone is not changed, and is reported. Returns the number of such
 * people.
 */
export async function confirmGone(job: ConfirmJob, io: EngineIo): Promise<number> {
  const { index, candidates, find } = job;
  const gone = candidates.slots.filter((slot, at) => isAtStake(slot, candidates.places[at] as number, job));
  if (gone.length === 0) return 0;
  const names = gone.map((slot) => index.person(slot).identification);
  const looked = await lookUp(names, job, io);
  let left = 0;
  for (const [at, slot] of gone.entries()) {
    const identification = names[at] ?? '';
    const why = looked.gap ?? doubtAbout(looked.records.get(identification.toLowerCase()), identification);
    if (why === undefined) continue;
    left += 1;
    index.set(slot, mark.conflict);
    const message = `the delta read reported the person as gone, but a second lookup did not confirm this: the source ${why}. The user is not changed, and later runs check again`;
    find({ code: 'gone-unconfirmed', identification, message });
  }
  return left;
}

/** Returns whether the delta would cause a change to the person's account. */
function isAtStake(slot: number, place: number, { sync, index, spool }: ConfirmJob): boolean {
  const { outOfScope, remove } = sync.settings;
  if (index.has(slot, mark.conflict)) return false;
  const isGone = index.has(slot, mark.outOfScope) ? outOfScope === 'disable' : index.has(slot, mark.leaver);
  if (!isGone) return false;
  if (remove !== 'never') return true;
  const user = readKept(spool, place);
  return typeof user === 'string' || user.enabled;
}

type Known = Exclude<Mapped, { kind: 'unreadable' }>;

interface LookedUp {
  /** By identification, case-insensitive. */
  readonly records: ReadonlyMap<string, readonly Known[]>;
  /** Why the read allows no conclusion. */
  readonly gap: string | undefined;
}

async function lookUp(names: readonly string[], { sync, signal }: ConfirmJob, io: EngineIo): Promise<LookedUp> {
  const wanted = new Set(names.map((name) => name.toLowerCase()));
  const records = new Map<string, Known[]>();
  const now = io.clock.now();
  const budget = openBudget(signal);
  const sourceIo = { clock: io.clock, logger: io.logger, signal, previous: undefined };
  const reading = sync.source.read(pointRequest(names, sync), sourceIo);
  try {
    for (;;) {
      const next = await reading.next();
      if (next.done === true) {
        return { records, gap: next.value.complete ? undefined : 'did not answer the lookup completely' };
      }
      const page = await Promise.all(next.value.records.map((record) => sync.mapping.map(record, now, budget)));
      signal.throwIfAborted();
      for (const mapped of page) {
        if (mapped.kind === 'unreadable') continue;
        const key = mapped.identification.toLowerCase();
        if (wanted.has(key)) records.set(key, [...(records.get(key) ?? []), mapped]);
      }
    }
  } finally {
    await reading.return({ complete: false, rows: 0, reasons: ['stopped'] });
  }
}

/**
 * Returns the reason not to change the person's account; undefined when the source confirms that the person is gone.
 */
function doubtAbout(records: readonly Known[] | undefined, name: string): string | undefined {
  const [first, ...others] = records ?? [];
  if (first === undefined) return 'does not know the person';
  if ([first, ...others].some(({ identification }) => identification !== name)) {
    return others.length > 0
      ? `has ${countOf(others.length + 1, 'record')} of the person`
      : 'has the person with another spelling of the identification';
  }
  const counts = countingRecord([first, ...others]);
  if (counts !== undefined) return isGone(counts) ? undefined : 'no longer reports the person as gone';
  return others.length > 0
    ? `has ${countOf(others.length + 1, 'record')} of the person, which contradict each other`
    : 'has a record that cannot be used';
}

function isGone({ standing, isInScope }: Person): boolean {
  return standing === 'leaver' || !isInScope;
}
