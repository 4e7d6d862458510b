// C0 without tab and line end, DEL, C1, the Unicode line ends, and the marks that change the writing direction: a name
// or an error text from outside must not move the cursor, color the screen or reorder text.
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the point
const unsafe = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Escapes outside text for a terminal: control characters become `\u001b` and the like. */
export function clean(text: string): string {
  return text.replace(unsafe, escapeCode);
}

/** Does the same and joins the lines. */
export function cleanLine(text: string): string {
  return clean(text).replace(/\s*[\t\n]\s*/g, ' ');
}

/** Quotes a value, so that blanks at its ends are visible: `"Sales "`. */
export function quote(text: string): string {
  return JSON.stringify(text).replace(unsafe, escapeCode);
}

function escapeCode(character: string): string {
  return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;
}
