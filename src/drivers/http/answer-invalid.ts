/** A server answered with unexpected content. `message` names places in the body, never values. */
export class AnswerInvalid extends Error {
  override readonly name = 'AnswerInvalid';
  readonly isFinal: boolean;

  /** @param isFinal true when a retry cannot help (a redirect, a body above the size limit). */
  constructor(message: string, isFinal = false) {
    super(message);
    this.isFinal = isFinal;
  }
}
