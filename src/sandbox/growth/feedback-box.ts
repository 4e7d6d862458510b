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
  readonly state: 'open' | 'answered' | 'declined';
  readonly declineReasonId?: number;
}

/** Feedback and feedback requests. */
export class FeedbackBox {
  readonly #feedback = new Map<number, StoredFeedback>();
  readonly #requests = new Map<number, FeedbackRequest>();

  get requests(): readonly FeedbackRequest[] {
    return [...this.#requests.values()];
  }

  all(): StoredFeedback[] {
    return [...this.#feedback.values()];
  }

  get(id: number): StoredFeedback | undefined {
    return this.#feedback.get(id);
  }

  send(feedback: Omit<StoredFeedback, 'id'>): void {
    const id = this.#feedback.size + 1;
    this.#feedback.set(id, { id, ...feedback });
  }

  request(request: Pick<FeedbackRequest, 'sender' | 'recipient' | 'comment' | 'skills'>): void {
    const id = this.#requests.size + 1;
    this.#requests.set(id, { id, ...request, state: 'open' });
  }

  requestWith(id: number): FeedbackRequest | undefined {
    return this.#requests.get(id);
  }

  answer(request: FeedbackRequest): void {
    this.#requests.set(request.id, { ...request, state: 'answered' });
  }

  decline(request: FeedbackRequest, declineReasonId: number): void {
    this.#requests.set(request.id, { ...request, state: 'declined', declineReasonId });
  }
}
