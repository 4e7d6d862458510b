import type { FaultKindName } from './fault-kinds.ts';
import type { FaultSpec } from './parse-fault.ts';

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

  /** Returns the argument of the first fault of this kind. */
  text(kind: FaultKindName): string | undefined {
    return this.list().find((spec) => spec.kind === kind)?.argument;
  }

  /** Returns the arguments of all faults of this kind. */
  texts(kind: FaultKindName): string[] {
    return this.list().flatMap((spec) => (spec.kind === kind && spec.argument !== undefined ? [spec.argument] : []));
  }

  /** Returns the argument as a number: `otherwise` when it is omitted, undefined when no such fault strikes. */
  number(kind: FaultKindName, otherwise = 0): number | undefined {
    const spec = this.list().find((entry) => entry.kind === kind);
    return spec && Number(spec.argument ?? otherwise);
  }
}
