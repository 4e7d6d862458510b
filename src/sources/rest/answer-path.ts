import { compileSourcePath } from '../../core/person/source-path.ts';
import { isRecord } from '../../drivers/http/json-text.ts';

/** Compiles a path into an answer; `.` is the answer itself. */
export function compileListPath(path: string): (answer: unknown) => unknown {
  if (path === '.') return (answer) => answer;
  const read = compileSourcePath(path);
  return (answer) => (isRecord(answer) ? read(answer) : undefined);
}
