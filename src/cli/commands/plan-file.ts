import { chmod, open, rename, rm } from 'node:fs/promises';
import { extname } from 'node:path';
import { stringify } from 'csv-stringify/sync';
import { everyChange, jsonOf, linesOf, type PlanPages } from '../../app/runs.ts';
import { differencesOf } from '../../core/plan/change.ts';
import { RollcallError } from '../../core/run/errors.ts';
import type { PlannedChange } from '../../ports/store.ts';

/**
 * Writes every change of a plan: `.json` one list, `.csv` one row per field, any other name one JSON object per line. The
 * file contains personal data, so only its owner may read it (0600). It appears under its name once it is complete.
 */
export async function writePlanFile(
  path: string,
  planId: string,
  app: PlanPages,
  signal: AbortSignal,
): Promise<number> {
  const format = { '.json': jsonOf, '.csv': csvOf }[extname(path).toLowerCase()] ?? linesOf;
  let written = 0;
  const pages = (async function* () {
    for await (const page of everyChange(app, planId, {}, signal)) {
      written += page.length;
      yield page;
    }
  })();
  await writeWhole('the plan', path, format(pages));
  return written;
}

/**
 * Writes a file that only its owner may read (0600). It appears under its name once it is complete. Throws `USAGE` for a
 * place that cannot be written to. `what`: for the message, such as `the plan`.
 */
export async function writeWhole(what: string, path: string, texts: AsyncIterable<string>): Promise<void> {
  const partPath = `${path}.part`;
  try {
    const file = await open(partPath, 'w', 0o600);
    try {
      for await (const text of texts) await file.write(text);
    } finally {
      await file.close();
    }
    await chmod(partPath, 0o600);
    await rename(partPath, path);
  } catch (error) {
    await rm(partPath, { force: true }).catch(() => {});
    throw unwritable(`${what} cannot be written to ${path}`, 'name another file with --out', error);
  }
}

/** Returns an error of the file system as wrong usage: what, its code, and what to do. Returns any other error as it is. */
export function unwritable(what: string, advice: string, error: unknown): unknown {
  if (!(error instanceof Error) || !('syscall' in error)) return error;
  const code = 'code' in error ? String(error.code) : 'unknown';
  return new RollcallError(`${what} (${code}); ${advice}`, { code: 'USAGE', cause: error });
}

const columns = ['identification', 'change', 'state', 'reason', 'field', 'before', 'after'];

async function* csvOf(pages: AsyncIterable<readonly PlannedChange[]>): AsyncGenerator<string> {
  yield `${columns.join(',')}\n`;
  for await (const page of pages) yield stringify(page.flatMap(csvRows), { escape_formulas: true });
}

function csvRows(change: PlannedChange): string[][] {
  const { identification, kind, state, reason, stateReason } = change;
  const head = [identification, kind, state, stateReason ?? reason];
  const fields = differencesOf(change);
  if (fields.length === 0) return [[...head, '', '', '']];
  return fields.map(({ field, before, after }) => [...head, field, before ?? '(not shown)', after]);
}
