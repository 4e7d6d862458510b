import { countOf } from '../../core/run/count-of.ts';
import type { AlertProblem } from '../../ports/alerts.ts';
import type { Batch, Run, Store } from '../../ports/store.ts';
import { batchResult } from '../../ports/store.ts';
import { firstOf } from './words.ts';

const kinds = ['failed', 'refused', 'unresolved'] as const;
type Trouble = (typeof kinds)[number];

/** What happened to a batch with trouble, as a sentence continues after "batch 3 (400 rows)". */
const whatHappened: Readonly<Record<Trouble, string>> = {
  failed: 'the platform ended its file as failed',
  refused: 'the platform refused it',
  unresolved: 'the outcome is unknown; nothing more is sent for its users until the outcome is known',
};
const shownBatches = 5;

/**
 * Returns the trouble that the run had with its batches so far: failed files, refused uploads, lost answers. Undefined
 * without any. `severity` is a warning: the rows of a failed file are read back, and what is missing goes again in
 * halves; what becomes of a whole run is judged at its end.
 */
export async function judgeFiles(run: Run, store: Store): Promise<AlertProblem | undefined> {
  const batches = await store.batches.ofRun(run.id);
  const bad = batches.flatMap((batch) => {
    const trouble = troubleOf(batch);
    return trouble === undefined ? [] : [{ batch, trouble }];
  });
  if (bad.length === 0) return undefined;
  const found = kinds.filter((kind) => bad.some(({ trouble }) => trouble === kind));
  // The rows of a half are counted with the file that was split.
  const rows = bad.filter(({ batch }) => batch.parent === undefined).reduce((sum, { batch }) => sum + batch.size, 0);
  const counted = found.map((kind) => `${bad.filter(({ trouble }) => trouble === kind).length} ${kind}`).join(', ');
  const lines = bad.slice(0, shownBatches).map(({ batch, trouble }) => {
    const halves = batches.filter(({ parent }) => parent === batch.id).length;
    const split = halves === 0 ? '' : `; the missing rows are sent again in ${countOf(halves, 'part')}`;
    return `batch ${batch.number} (${countOf(batch.size, 'row')}): ${whatHappened[trouble]}${split}`;
  });
  const settled = batches.filter(({ state }) => state === 'settled').length;
  return {
    topic: 'run',
    code: 'files-failed',
    severity: 'warning',
    key: `batches of ${run.id}: ${found.join()}`,
    title: `${counted} of ${countOf(batches.length, 'batch', 'batches')}`,
    summary: `The run ${run.id} has ${countOf(bad.length, 'batch', 'batches')} with problems (${countOf(rows, 'row')}): ${counted}`,
    details: firstOf(lines, bad.length),
    unaffected: `The run continues: ${settled} of ${countOf(batches.length, 'batch', 'batches')} ended so far.`,
    action: `rollcall show ${run.id}`,
    count: Math.max(rows, 1),
    run: run.id,
  };
}

/** Returns that the run delivered everything in spite of its trouble; undefined when it had none. */
export async function judgeHealed(run: Run, store: Store): Promise<AlertProblem | undefined> {
  const trouble = await judgeFiles(run, store);
  if (trouble === undefined) return undefined;
  const summary = `The run ${run.id} applied all changes in the end. Before that: ${trouble.title}. Their rows were read back or sent again`;
  return {
    ...trouble,
    code: 'files-recovered',
    severity: 'info',
    title: 'all changes of failed batches were applied',
    summary,
    unaffected: undefined,
  };
}

function troubleOf(batch: Batch): Trouble | undefined {
  const result = batchResult(batch);
  return kinds.find((kind) => kind === result);
}
