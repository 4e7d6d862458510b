import type { LogFields, Logger } from '../../src/ports/runtime.ts';

export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly fields: LogFields;
  readonly message: string;
}

export interface MemoryLogger extends Logger {
  /** Everything logged so far, children included, in order. */
  readonly lines: readonly LogLine[];
  /** Messages of one level, or of all. */
  messages(level?: LogLine['level']): readonly string[];
  /** All lines as text, to search for what must not be there. */
  text(): string;
}

/** A logger that remembers. */
export function memoryLogger(): MemoryLogger {
  const lines: LogLine[] = [];
  const loggerWith = (own: LogFields): Logger => {
    const write = (level: LogLine['level']) => (fields: LogFields, message: string) => {
      lines.push({ level, fields: { ...own, ...fields }, message });
    };
    return {
      debug: write('debug'),
      info: write('info'),
      warn: write('warn'),
      error: write('error'),
      child: (fields) => loggerWith({ ...own, ...fields }),
    };
  };
  return {
    ...loggerWith({}),
    lines,
    messages: (level) =>
      lines.filter((line) => level === undefined || line.level === level).map((line) => line.message),
    text: () => lines.map((line) => JSON.stringify(line)).join('\n'),
  };
}
