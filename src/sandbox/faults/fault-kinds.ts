import data from './fault-kinds.json' with { type: 'json' };

/** The type of a fault's `=argument`. */
export type FaultArgument = 'none' | 'number' | 'optional-number' | 'text' | 'status';

/** Where a fault can strike: any operation, some of them, the processing of files, or the platform as a whole. */
export type FaultReach = 'any' | readonly string[] | 'file' | 'platform';

export interface FaultKind {
  readonly kind: string;
  readonly reach: FaultReach;
  readonly argument: FaultArgument;
  /** One line for the help. */
  readonly summary: string;
}

export type FaultKindName = keyof typeof data;

export const faultKinds = Object.entries(data).map(([kind, rest]) => ({ kind, ...rest })) as readonly FaultKind[];
