import type { OperationId } from '../../platform/table/index.ts';
import type { FaultKindName } from './fault-kinds.ts';
import type { FaultSpec } from './parse-fault.ts';
import { StruckFaults } from './struck-faults.ts';

interface ArmedFault {
  readonly spec: FaultSpec;
  calls: number;
}

/** The active faults, each with its own count of calls. */
export class FaultBook {
  readonly #random: () => number;
  #armed: ArmedFault[] = [];

  /** `random` returns numbers in [0, 1) and decides the faults that strike by chance. */
  constructor(random: () => number) {
    this.#random = random;
  }

  /** Replaces all faults and restarts their counts. */
  set(specs: readonly FaultSpec[]): void {
    this.#armed = specs.map((spec) => ({ spec, calls: 0 }));
  }

  get specs(): readonly FaultSpec[] {
    return this.#armed.map(({ spec }) => spec);
  }

  /** Counts one call of the operation and returns the faults that strike it. */
  strikeCall(operation: OperationId): StruckFaults {
    return this.#strike(({ target }) => target === operation || target === '*');
  }

  /** Counts one file and returns the faults that strike it. Removed faults no longer strike it. */
  strikeFile(): StruckFaults {
    return this.#strike(({ target }) => target === 'file');
  }

  /** Returns the argument of a platform fault; undefined when it is not set. */
  platformNumber(kind: FaultKindName): number | undefined {
    const found = this.#armed.find(({ spec }) => spec.kind === kind);
    return found === undefined ? undefined : Number(found.spec.argument);
  }

  #strike(isMeant: (spec: FaultSpec) => boolean): StruckFaults {
    const meant = this.#armed.filter(({ spec }) => isMeant(spec));
    for (const armed of meant) armed.calls += 1;
    const struck = meant.filter((armed) => this.#isDue(armed));
    return new StruckFaults(
      struck.map(({ spec }) => spec),
      (spec) => this.#armed.some((armed) => armed.spec === spec),
    );
  }

  #isDue({ spec: { when }, calls }: ArmedFault): boolean {
    if (when.kind === 'calls') return calls >= when.from && calls <= when.to;
    if (when.kind === 'every') return calls % when.nth === 0;
    return this.#random() * 100 < when.percent;
  }
}
