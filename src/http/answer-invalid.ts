/** A server answered, but not with what was promised. `message` names places, never values. */
export class AnswerInvalid extends Error {
  override readonly name = 'AnswerInvalid';
  readonly isFinal: boolean;

  /** @param isFinal true when asking again cannot help (a redirect, a body above the size limit). */
  constructor(message: string, isFinal = false) {
    super(message);
    this.isFinal = isFinal;
  }
}
