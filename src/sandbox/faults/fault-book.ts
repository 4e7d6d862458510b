import type { OperationId } from '../../platform/table/index.ts';
import type { FaultKindName } from './fault-kinds.ts';
import type { FaultSpec } from './parse-fault.ts';

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

/** The faults that strike one call or one file. */
export class StruckFaults {
  readonly #specs: readonly FaultSpec[];
  readonly #isStillSet: (spec: FaultSpec) => boolean;

  constructor(specs: readonly FaultSpec[], isStillSet: (spec: FaultSpec) => boolean) {
    this.#specs = specs;
    this.#isStillSet = isStillSet;
  }

  /** Returns the faults in the order in which they were set. */
  list(): readonly FaultSpec[] {
    return this.#specs.filter(this.#isStillSet);
  }

  has(kind: FaultKindName): boolean {
    return this.list().some((spec) => spec.kind === kind);
  }

  text(kind: FaultKindName): string | undefined {
    return this.list().find((spec) => spec.kind === kind)?.argument;
  }

  texts(kind: FaultKindName): string[] {
    return this.list().flatMap((spec) => (spec.kind === kind && spec.argument !== undefined ? [spec.argument] : []));
  }

  /** Returns the argument as a number: `otherwise` when it is omitted, undefined when no such fault strikes. */
  number(kind: FaultKindName, otherwise = 0): number | undefined {
    const spec = this.list().find((entry) => entry.kind === kind);
    return spec && Number(spec.argument ?? otherwise);
  }
}
