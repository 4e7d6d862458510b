/** Seals texts for the store. A text sealed for one place (`context`) cannot be opened as another. */
export interface Seal {
  /** Distinguishes keys and reveals nothing about them: 8 hexadecimal digits. Every sealed text begins with `v1.<keyId>.`. */
  readonly keyId: string;
  seal(secret: string, context: string): string;
  /** Returns the text, or undefined when it was sealed with another key or context, or was changed since. */
  open(sealed: string, context: string): string | undefined;
}
