import { type Logger as PinoLogger, pino } from 'pino';
import { prettyFactory } from 'pino-pretty';
import type { Clock, LogFields, Logger } from '../../ports/runtime.ts';
import { type KeyedHash, keyedHash } from './keyed-hash.ts';
import { redactFields, redactText } from './log-redaction.ts';
import type { LogScope } from './log-scope.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

export interface LoggerOptions {
  readonly level: LogLevel;
  /** Colored lines for a terminal, instead of one JSON object per line. */
  readonly pretty: boolean;
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
  const { clock, level, pretty, destination, key, scope } = options;
  const hash = keyedHash(key);
  const sink = pretty ? prettySink(destination) : { write: (line: string) => void destination.write(line) };
  const base = pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date(clock.now()).toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      mixin: () => ({ ...redactFields(scope?.fields() ?? {}, hash) }),
    },
    sink,
  );
  return wrap(base, hash);
}

function prettySink(destination: LoggerOptions['destination']): { write(line: string): void } {
  const format = prettyFactory({ colorize: true, translateTime: 'SYS:HH:MM:ss', singleLine: true });
  return { write: (line) => void destination.write(format(line)) };
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
