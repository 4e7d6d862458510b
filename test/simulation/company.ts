import { createHash } from 'node:crypto';
import type { SourceRecord } from '../../src/core/person/person.ts';
import type { ReadRequest, Source, SourcePage } from '../../src/ports/source.ts';
import { type Life, type Scheduler, unreachable } from './scheduler.ts';

export interface Employee {
  readonly id: string;
  readonly first: string;
  readonly last: string;
  readonly email: string;
  readonly area: string;
  readonly job: string;
  readonly status: 'active' | 'left';
}

export interface SourceFaults {
  readonly unavailable: number;
  /** The read ends early, and says so. */
  readonly cut: number;
  /** A row comes twice; a row names nobody; a status nobody knows. */
  readonly twice: number;
  readonly broken: number;
  readonly odd: number;
}

export const soundSource: SourceFaults = { unavailable: 0, cut: 0, twice: 0, broken: 0, odd: 0 };

/** How far the HR system's clock is behind ours, at most; also how late a change may show. */
export const behindMs = 300_000;

interface Spell {
  readonly since: number;
  readonly isActive: boolean;
}

/** The HR system: who works here, and since when each has been active or not. */
export class Company {
  faults: SourceFaults = soundSource;
  reads = 0;
  deltas = 0;
  readonly #changedAt = new Map<string, number>();
  readonly #staff = new Map<string, Employee>();
  readonly #spells = new Map<string, Spell[]>();
  readonly #snapshots: { readonly stamp: string; readonly ids: ReadonlySet<unknown> }[] = [];
  readonly #scheduler: Scheduler;

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  get staff(): readonly Employee[] {
    return [...this.#staff.values()];
  }

  find(id: string): Employee | undefined {
    return this.#staff.get(id);
  }

  put(employee: Employee): void {
    this.#staff.set(employee.id, employee);
    this.#changedAt.set(employee.id, this.#scheduler.now() - behindMs * this.#scheduler.random());
    this.#note(employee.id, employee.status === 'active');
  }

  drop(id: string): void {
    this.#staff.delete(id);
    this.#note(id, false);
  }

  /** Whether nobody could have seen the person otherwise at any time from `since` on. */
  wasActiveSince(id: string, since: number): boolean {
    const spells = this.#spells.get(id) ?? [];
    const inForce = spells.filter((_, i) => (spells[i + 1]?.since ?? Number.POSITIVE_INFINITY) >= since);
    return inForce.length > 0 && inForce.every(({ isActive }) => isActive) && (inForce[0]?.since ?? 0) <= since;
  }

  /** In how many complete snapshots in a row, up to the last, the person was absent. */
  missedSnapshots(id: string): number {
    const since = this.#snapshots.findLastIndex(({ ids }) => ids.has(id));
    return new Set(this.#snapshots.slice(since + 1).map(({ stamp }) => stamp)).size;
  }

  #note(id: string, isActive: boolean): void {
    const spells = this.#spells.get(id) ?? [];
    if (spells.at(-1)?.isActive !== isActive) spells.push({ since: this.#scheduler.now(), isActive });
    this.#spells.set(id, spells);
  }

  /** Whom a read is about: a delta knows nobody who is not in the staff any more. */
  #askedFor(request: ReadRequest): readonly Employee[] {
    switch (request.kind) {
      case 'full':
        return this.staff;
      case 'delta':
        this.deltas += 1;
        return this.staff.filter(({ id }) => (this.#changedAt.get(id) ?? 0) >= Date.parse(request.since));
      case 'point':
        return this.staff.filter(({ id }) => request.identifications.includes(id));
    }
  }

  /** The source as one process reads it: one moment, told in pages. */
  sourceFor(life: Life): Source {
    const scheduler = this.#scheduler;
    const read = async function* (company: Company, request: ReadRequest, signal: AbortSignal) {
      company.reads += 1;
      await scheduler.pass(life);
      signal.throwIfAborted();
      const { unavailable, cut, twice, broken, odd } = company.faults;
      if (scheduler.chance(unavailable)) throw unreachable('the source');
      const all = company.#askedFor(request).map((employee) => ({ ...employee }) as Record<string, unknown>);
      if (scheduler.chance(twice) && all.length > 0) all.push({ ...scheduler.pick(all) });
      if (scheduler.chance(odd) && all.length > 0) scheduler.pick(all).status = 'unheard of';
      const isCut = scheduler.chance(cut);
      const shown = isCut ? all.slice(0, Math.floor(scheduler.random() * all.length)) : all;
      const bad = scheduler.chance(broken) ? [{ at: 'line 99', reason: 'too few columns' }] : [];
      // A row that cannot be told apart is one that is missing, and the read says so.
      const told = bad.length > 0 ? shown.slice(1) : shown;
      for (let from = 0; from < told.length; from += 4) {
        const records = told
          .slice(from, from + 4)
          .map((fields, i): SourceRecord => ({ at: `line ${from + i}`, fields }));
        yield { records, broken: [] } satisfies SourcePage;
        await scheduler.pass(life);
      }
      if (bad.length > 0) yield { records: [], broken: bad } satisfies SourcePage;
      const rows = told.length + bad.length;
      if (isCut) return { complete: false, rows, reasons: ['the file was cut'] } as const;
      // An export of this hour: one content is a new snapshot when it is exported anew.
      const hour = Math.floor(scheduler.now() / 3_600_000);
      const stamp = createHash('sha256')
        .update(JSON.stringify([hour, told]))
        .digest('hex');
      if (bad.length === 0 && request.kind === 'full')
        company.#snapshots.push({ stamp, ids: new Set(told.map(({ id }) => id)) });
      return { complete: true, rows, evidence: 'trailer', stamp } as const;
    };
    return {
      kind: 'simulated',
      capabilities: { delta: true, point: true, terminated: 'unknown', future: 'unknown' },
      read: (request, { signal }) => read(this, request, signal),
      fields: async () => undefined,
    };
  }
}
