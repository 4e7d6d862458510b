export interface StoredEvaluation {
  readonly id: number;
  readonly title: string;
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

/** Returns evaluations among the given users, each of the next one. Deterministic for the same users and instant. */
export function seedEvaluations(identifications: readonly string[], now: number): StoredEvaluation[] {
  return identifications.map((evaluator, i) => {
    const createdAt = now - (identifications.length - i) * dayMs;
    const isSubmitted = i % 3 !== 0;
    return {
      id: 5001 + i,
      title: `Evaluation ${1 + (i % 4)}`,
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
