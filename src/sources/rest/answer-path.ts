import { compileSourcePath } from '../../core/source-path.ts';
import { isRecord } from '../../http/json-text.ts';

/** Compiles a path into an answer; `.` is the answer itself. */
export function compileListPath(path: string): (answer: unknown) => unknown {
  if (path === '.') return (answer) => answer;
  const read = compileSourcePath(path);
  return (answer) => (isRecord(answer) ? read(answer) : undefined);
}

/** Reads a count from an answer, a number or text. */
export function countIn(value: unknown): number | undefined {
  const count = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : undefined;
}
