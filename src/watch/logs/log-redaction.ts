import { fieldTable } from '../../core/person/fields.ts';
import type { LogFields } from '../../ports/runtime.ts';
import type { KeyedHash } from './keyed-hash.ts';

/** The replacement of a removed value. */
export const redacted = '[redacted]';

type LogValue = LogFields[string];

const secretName =
  /token|secret|password|passphrase|authorization|cookie|credential|apikey|api_key|encryptionkey|^key$/i;
/** Names that contain such a word but hold no secret. */
const harmless = new Set(['tokenstate', 'tokentype', 'tokengeneration']);
const peopleName = /^(?:identifications?|userids?|employeeids?|uid|loginid|externalid)$/i;
const personalNames = new Set([
  ...fieldTable.map(({ name }) => name.toLowerCase()),
  ...[
    'name',
    'mail',
    'phone',
    'birthday',
    'before',
    'after',
    'fields',
    'row',
    'rows_text',
    'body',
    'record',
    'headers',
  ],
]);

const secretText: readonly (readonly [RegExp, string])[] = [
  [/\b(Bearer|Basic)\s+[\w.~+/=-]+/gi, `$1 ${redacted}`],
  // JSON Web Tokens (RFC 7519), complete or truncated.
  [/\bey[\w-]{8,}\.[\w-]+(?:\.[\w-]*)?/g, redacted],
  // User and password of a URL (RFC 3986, 3.2.1).
  [/\b([a-z][a-z0-9+.-]*:\/\/)[^\s/@]+@/gi, `$1${redacted}@`],
  [
    /\b((?:access|refresh|application)_?token|client_secret|password|secret|key|sig|signature)(["']?\s*[=:]\s*["']?)[^\s"'&,;}]+/gi,
    `$1$2${redacted}`,
  ],
  [/[^\s@<>"'(),;:=]+@[^\s@<>"'(),;:]+\.[^\s@<>"'(),;:]+/gu, redacted],
];

/** Removes secrets and personal values from a text by their pattern: the last line of defense, not the first. */
export function redactText(text: string): string {
  return secretText.reduce((clean, [shape, instead]) => clean.replace(shape, instead), text);
}

/**
 * Removes secrets and personal values from log fields by name and by pattern. Identifications become keyed hashes.
 * Removes objects and functions completely, because their content is not checked.
 */
export function redactFields(fields: LogFields, hash: KeyedHash): LogFields {
  const clean: Record<string, LogValue> = {};
  for (const [name, value] of Object.entries(fields)) clean[name] = redactValue(name, value, hash);
  return clean;
}

function redactValue(name: string, value: LogValue, hash: KeyedHash): LogValue {
  if (value === undefined || value === null || typeof value === 'boolean') return value;
  if (peopleName.test(name)) return Array.isArray(value) ? value.map((one) => hash(String(one))) : hash(String(value));
  // Counts and durations under such a name are harmless: `rows: 520`, `tokens: 2`.
  if (typeof value === 'number') return value;
  const plainName = name.replaceAll(/[_-]/g, '').toLowerCase();
  if (personalNames.has(plainName) || (secretName.test(name) && !harmless.has(plainName))) return redacted;
  if (typeof value === 'string') return redactText(value);
  if (Array.isArray(value)) return value.map((one) => (typeof one === 'string' ? redactText(one) : redacted));
  return redacted;
}
