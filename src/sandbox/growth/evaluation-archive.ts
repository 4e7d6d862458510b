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

const dayMs = 86_400_000;

const titles = ['Probation review', 'Half-year review', 'Annual review', 'Project review'] as const;

const comments = [
  'Meets what was agreed, and helps others to do so.',
  'Delivers reliably. The next step is to plan further ahead.',
  'Exceeds what was agreed in most areas.',
  'Has grown into the role. Needs support with priorities.',
] as const;

/** Returns evaluations among the given users, each of the next one. Deterministic for the same users and instant. */
export function seedEvaluations(identifications: readonly string[], now: number): StoredEvaluation[] {
  return identifications.map((evaluator, i) => {
    const createdAt = now - (identifications.length - i) * dayMs;
    const isSubmitted = i % 3 !== 0;
    return {
      id: 5001 + i,
      title: titles[i % titles.length] ?? '',
      comment: isSubmitted ? (comments[i % comments.length] ?? '') : '',
      evaluator,
      evaluee: identifications[(i + 1) % identifications.length] ?? evaluator,
      createdAt,
      updatedAt: createdAt + dayMs / 4,
      submittedAt: isSubmitted ? createdAt + dayMs / 2 : undefined,
      score: 1 + (i % 5),
      isAnswered: isSubmitted && i % 2 === 0,
    };
  });
}
