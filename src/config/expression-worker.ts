import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { type BatchResults, type EvaluationBatch, type EvaluationResult, progress } from './expression-thread.ts';
import { compileJsonata, type JsonataExpression } from './jsonata-expression.ts';

/** The thread answers after this time at the latest, once the evaluation in progress is done. */
const sliceMs = 200;

/** Longest text that is handed back. No field of the platform can hold more than a fraction. */
const longestText = 1_000_000;

function serve(port: MessagePort, current: Int32Array): void {
  const known = new Map<string, JsonataExpression>();
  const compiled = (text: string): JsonataExpression => {
    const found = known.get(text) ?? compileJsonata(text);
    known.set(text, found);
    return found;
  };
  port.on('message', async ({ texts, records, items }: EvaluationBatch) => {
    const results: EvaluationResult[] = [];
    const ms: number[] = [];
    const began = performance.now();
    let now = began;
    for (const [index, [text, record]] of items.entries()) {
      Atomics.store(current, 0, index);
      results.push(await resultOf(compiled(texts[text] ?? ''), records[record] ?? {}));
      const ended = performance.now();
      ms.push(ended - now);
      now = ended;
      if (now - began > sliceMs) break;
    }
    Atomics.store(current, 0, progress.idle);
    port.postMessage({ results, ms } satisfies BatchResults);
  });
}

async function resultOf(
  expression: JsonataExpression,
  record: Readonly<Record<string, unknown>>,
): Promise<EvaluationResult> {
  try {
    return portable(await expression.evaluate(record));
  } catch (error) {
    return { failure: error instanceof Error ? error.message : 'the expression failed' };
  }
}

/** JSONata's lists and objects can hold functions, which cannot be sent to another thread. */
function portable(value: unknown): EvaluationResult {
  if (typeof value === 'string' && value.length > longestText)
    return { failure: 'the expression returned a text that is too long' };
  if (typeof value !== 'object' || value === null) {
    return typeof value === 'function' ? { failure: 'the expression returned a function' } : { value };
  }
  try {
    const text = JSON.stringify(value);
    if (text.length > longestText) return { failure: 'the expression returned a list or object that is too large' };
    return { value: JSON.parse(text) };
  } catch {
    return { failure: 'the expression returned a value that is not data' };
  }
}

/** Entry point of the thread. It answers batches until it is terminated. */
export const served = parentPort === null ? undefined : serve(parentPort, new Int32Array(workerData));
