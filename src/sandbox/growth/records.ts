import type { Leaders } from '../../core/person/fields.ts';

export interface StoredFeedback {
  readonly id: number;
  readonly sender: string;
  readonly recipient: string;
  readonly createdAt: number;
  readonly comment: string;
}

export interface FeedbackRequest {
  readonly id: number;
  readonly sender: string;
  readonly recipient: string;
  readonly comment: string;
  readonly skills: readonly string[];
  state: 'open' | 'answered' | 'declined';
  declineReasonId?: number;
}

/** Adds an entry with the next id, from 1. Entries are never removed. */
export function append<T extends { readonly id: number }>(entries: T[], entry: Omit<T, 'id'>): void {
  entries.push({ id: entries.length + 1, ...entry } as T);
}

export interface StoredEvaluation {
  readonly id: number;
  readonly title: string;
  readonly comment: string;
  readonly evaluator: string;
  readonly evaluee: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Absent for a draft. */
  readonly submittedAt: number | undefined;
  readonly score: number;
  readonly isAnswered: boolean;
}

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

const noLinks: Leaders = { main: undefined, secondary: [] };

/** Leaders and their collaborators, by identification: as stored, and as shown where writes become visible late. */
export class Leadership {
  readonly #links = new Map<string, Leaders>();
  /** What is shown of a collaborator until an instant, oldest first. */
  readonly #before = new Map<string, { readonly until: number; readonly links: Leaders }[]>();
  readonly #lateMs: () => number;

  constructor(lateMs: () => number) {
    this.#lateMs = lateMs;
  }

  leadersOf(collaborator: string): Leaders {
    return this.#links.get(collaborator) ?? noLinks;
  }

  /** Returns the leaders that a list shows. */
  shownLeadersOf(collaborator: string, now: number): Leaders {
    const waiting = (this.#before.get(collaborator) ?? []).filter(({ until }) => until > now);
    this.#before.set(collaborator, waiting);
    return waiting[0]?.links ?? this.leadersOf(collaborator);
  }

  /** Returns the collaborators of a main or secondary leader, each once. */
  collaboratorsOf(leader: string): readonly string[] {
    return [...this.#links]
      .filter(([, { main, secondary }]) => main === leader || secondary.includes(leader))
      .map(([collaborator]) => collaborator);
  }

  /** Replaces the main leader and adds secondary leaders. */
  add(collaborator: string, main: string | undefined, secondary: readonly string[], at: number): void {
    const before = this.leadersOf(collaborator);
    this.#put(
      collaborator,
      { main: main ?? before.main, secondary: [...new Set([...before.secondary, ...secondary])] },
      at,
    );
  }

  /** Removes the named leaders. Ignores names that are not leaders. */
  remove(collaborator: string, main: string | undefined, secondary: readonly string[], at: number): void {
    const before = this.leadersOf(collaborator);
    const links = {
      main: main === before.main ? undefined : before.main,
      secondary: before.secondary.filter((leader) => !secondary.includes(leader)),
    };
    this.#put(collaborator, links, at);
  }

  /** Removes a deleted user from every relationship. */
  forget(identification: string, at: number): void {
    for (const collaborator of this.collaboratorsOf(identification)) {
      this.remove(collaborator, identification, [identification], at);
    }
    this.#links.delete(identification);
    this.#before.delete(identification);
  }

  /** Moves the relationships of a user to a new identification. */
  rename(from: string, to: string): void {
    const moved = (leader: string): string => (leader === from ? to : leader);
    for (const collaborator of this.collaboratorsOf(from)) {
      const { main, secondary } = this.leadersOf(collaborator);
      this.#links.set(collaborator, { main: main && moved(main), secondary: secondary.map(moved) });
    }
    this.#links.set(to, this.leadersOf(from));
    this.#links.delete(from);
  }

  #put(collaborator: string, links: Leaders, at: number): void {
    const lateMs = this.#lateMs();
    const waiting = this.#before.get(collaborator) ?? [];
    if (lateMs > 0) waiting.push({ until: at + lateMs, links: this.leadersOf(collaborator) });
    if (waiting.length > 0) this.#before.set(collaborator, waiting);
    this.#links.set(collaborator, links);
  }
}
