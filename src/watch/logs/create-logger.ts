import { createHmac } from 'node:crypto';
import { type Logger as PinoLogger, pino } from 'pino';
import { fieldTable, leaderFields } from '../../core/person/fields.ts';
import type { Clock, LogFields, Logger } from '../../ports/runtime.ts';
import type { LogScope } from './log-scope.ts';

export interface LoggerOptions {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  /** Receives whole lines with their line end, synchronously, so that none is lost when the process ends. */
  readonly destination: { write(line: string): unknown };
  /** Key of the hashes that replace identifications: 16 bytes or more, one per store. */
  readonly key: Uint8Array;
  readonly clock: Pick<Clock, 'now'>;
  /** Fields that are added to every line. */
  readonly scope?: Pick<LogScope, 'fields'>;
}

/**
 * Creates a structured log: `{"level":"info","time":"2026-11-21T12:00:00.000Z","run":"run_1","msg":"run finished"}`.
 * Removes secrets and personal values by name and by pattern before anything is written, and hashes `identification`.
 */
export function createLogger(options: LoggerOptions): Logger {
  const { clock, level, destination, key, scope } = options;
  const hash = keyedHash(key);
  const base = pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date(clock.now()).toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      mixin: () => ({ ...redactFields(scope?.fields() ?? {}, hash) }),
    },
    { write: (line: string) => void destination.write(line) },
  );
  return wrap(base, hash);
}

/** Returns the destination of a terminal, which gets colored text instead of JSON. Only a terminal loads the formatter. */
export async function prettyLines(terminal: LoggerOptions['destination']): Promise<LoggerOptions['destination']> {
  const { prettyFactory } = await import('pino-pretty');
  const format = prettyFactory({ colorize: true, translateTime: 'SYS:HH:MM:ss', singleLine: true });
  return { write: (line) => terminal.write(format(line)) };
}

function wrap(base: PinoLogger, hash: KeyedHash): Logger {
  const write = (level: 'debug' | 'info' | 'warn' | 'error') => (fields: LogFields, message: string) => {
    if (base.isLevelEnabled(level)) base[level](redactFields(fields, hash), redactText(message));
  };
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    child: (fields) => wrap(base.child(redactFields(fields, hash)), hash),
  };
}

/** The replacement of a removed value. */
const redacted = '[redacted]';

type LogValue = LogFields[string];

const secretName =
  /token|secret|password|passphrase|authorization|cookie|credential|apikey|api_key|encryptionkey|^key$/i;
/** Names that contain such a word but hold no secret. */
const harmless = new Set(['tokenstate', 'tokentype', 'tokengeneration']);
const peopleName = /^(?:identifications?|userids?|employeeids?|uid|loginid|externalid)$/i;
const personalNames = new Set([
  ...[...fieldTable.map(({ name }) => name), ...leaderFields].map((name) => name.toLowerCase()),
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

/** Replaces an identification in logs. The same in one store for the same identification, and irreversible without the key. */
type KeyedHash = (identification: string) => string;

const hexDigits = 12;

/**
 * HMAC-SHA256 (RFC 2104) of the identification (NFC, trimmed), its first 12 hex digits.
 *
 * @param key at least 16 bytes, one per store; two stores cannot be compared by their logs.
 */
export function keyedHash(key: Uint8Array): KeyedHash {
  if (key.length < 16)
    throw new RangeError(`the key for hashes in logs has ${key.length} bytes, at least 16 are needed`);
  return (identification) =>
    createHmac('sha256', key).update(identification.normalize('NFC').trim()).digest('hex').slice(0, hexDigits);
}
