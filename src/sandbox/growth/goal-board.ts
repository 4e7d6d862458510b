export interface StoredGoal {
  readonly code: string;
  readonly title: string;
  readonly description: string;
  readonly type: 'TEAM' | 'COMMUNITY';
  readonly status: 'OPENED';
  readonly weighting: number;
  readonly assignment: 'INDIVIDUAL' | 'SHARED';
  readonly startDate: string;
  readonly endDate: string;
  readonly periodName: string;
  readonly assignedTo: string;
  readonly createdAt: number;
  readonly locale: string;
}

/** Goals, each unique by code and user. */
export class GoalBoard {
  readonly #goals = new Map<string, StoredGoal>();

  all(): StoredGoal[] {
    return [...this.#goals.values()];
  }

  get(code: string, assignedTo: string): StoredGoal | undefined {
    return this.#goals.get(keyOf(code, assignedTo));
  }

  put(goal: StoredGoal): void {
    this.#goals.set(keyOf(goal.code, goal.assignedTo), goal);
  }

  remove(goal: StoredGoal): void {
    this.#goals.delete(keyOf(goal.code, goal.assignedTo));
  }

  /** Deletes the goals of a removed user. */
  forget(identification: string): void {
    for (const goal of this.all()) if (goal.assignedTo === identification) this.remove(goal);
  }
}

function keyOf(code: string, assignedTo: string): string {
  return JSON.stringify([code, assignedTo]);
}
