import { Worker } from 'node:worker_threads';
import { type EvaluationBudget, EvaluationError } from '../core/person/field-rule.ts';
import type { ExpressionLimits } from '../core/run/settings.ts';

export interface EvaluationRequest {
  readonly text: string;
  readonly record: Readonly<Record<string, unknown>>;
  readonly limits: ExpressionLimits;
  /** Absent: only the limit per row applies. */
  readonly budget?: EvaluationBudget | undefined;
}

/** Evaluates JSONata in a thread of its own, which can be stopped in the middle of an evaluation. */
export interface ExpressionThread {
  /**
   * Resolves to the value. Rejects with an `EvaluationError` when the expression fails, exceeds a limit of time or
   * memory, or its budget is spent, and with the reason of the budget's signal when that aborts.
   */
  evaluate(request: EvaluationRequest): Promise<unknown>;
  /** Ends the thread. Evaluations in progress fail. */
  close(): Promise<void>;
}

/** A batch of evaluations: for each, the index of its expression and of its record. */
export interface EvaluationBatch {
  readonly texts: readonly string[];
  readonly records: readonly Readonly<Record<string, unknown>>[];
  readonly items: readonly (readonly [text: number, record: number])[];
}

/** The results of the first evaluations of a batch, in order. The batch may have more, which were not begun. */
export interface BatchResults {
  readonly results: readonly EvaluationResult[];
  /** How long each took (ms). */
  readonly ms: readonly number[];
}

export type EvaluationResult = { readonly value: unknown } | { readonly failure: string };

/** Values of the shared progress number: the index of the evaluation in progress, or one of these. */
export const progress = { starting: -2, idle: -1 } as const;

interface Task extends EvaluationRequest {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** The evaluations that the thread works on. */
interface Flight {
  readonly worker: Worker;
  readonly tasks: readonly Task[];
  readonly current: Int32Array;
  seen: number;
  seenAt: number;
}

/** One message carries so many evaluations. From a hundred on, a message costs less than 2 µs per record. */
const batchSize = 500;

/** How often an evaluation in progress is compared with its limit. */
const checkEveryMs = 25;

/** An expression that needs more than this fails on its record; the process keeps its own memory. */
const memoryMb = 256;

/**
 * Opens the evaluator of a process. The thread starts with the first evaluation. Time is that of the process, not of
 * the injected clock, because it limits real work.
 *
 * All evaluations that are requested in one turn of the event loop go to the thread together. The thread marks which
 * one it works on. One that exceeds its limit fails, the thread is replaced, and the others are sent again; the thread
 * answers every 200 ms, so little is evaluated twice.
 */
export function openExpressionThread(): ExpressionThread {
  let queue: Task[] = [];
  let isScheduled = false;
  let isClosed = false;
  let worker: { readonly thread: Worker; readonly current: Int32Array } | undefined;
  let flight: Flight | undefined;
  let timer: NodeJS.Timeout | undefined;

  const schedule = (): void => {
    if (isScheduled || flight !== undefined) return;
    isScheduled = true;
    queueMicrotask(() => {
      isScheduled = false;
      if (flight === undefined) send();
    });
  };

  const send = (): void => {
    const tasks: Task[] = [];
    let taken = 0;
    while (taken < queue.length && tasks.length < batchSize) {
      const task = queue[taken++] as Task;
      const refusal = refusalOf(task);
      if (refusal === undefined) tasks.push(task);
      else task.reject(refusal);
    }
    queue = queue.slice(taken);
    if (tasks.length === 0) {
      land([]);
      return;
    }
    worker ??= start();
    flight = {
      worker: worker.thread,
      tasks,
      current: worker.current,
      seen: progress.starting,
      seenAt: performance.now(),
    };
    timer ??= setInterval(check, checkEveryMs);
    try {
      worker.thread.postMessage(batchOf(tasks));
    } catch {
      for (const task of tasks) task.reject(new EvaluationError('the record contains a value that is not data'));
      land([]);
    }
  };

  const start = (): NonNullable<typeof worker> => {
    const shared = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
    const current = new Int32Array(shared);
    Atomics.store(current, 0, progress.starting);
    // In the same folder and language as this file.
    const file = new URL(import.meta.url.replace(/expression-thread(\.[jt]s)$/, 'expression-worker$1'));
    const resourceLimits = { maxOldGenerationSizeMb: memoryMb };
    const thread = new Worker(file, { workerData: shared, resourceLimits, env: {} });
    thread.on('message', (answer: BatchResults) => settle(thread, answer));
    // Each of these also ends in `exit`.
    thread.on('error', (error: NodeJS.ErrnoException) => onExit(thread, error.code));
    thread.on('exit', () => onExit(thread, undefined));
    // A caller that waits for an answer keeps the process alive by `timer`.
    thread.unref();
    return { thread, current };
  };

  const settle = (thread: Worker, { results, ms }: BatchResults): void => {
    if (flight?.worker !== thread) return;
    const { tasks } = flight;
    for (const [i, result] of results.entries()) {
      const task = tasks[i] as Task;
      if (task.budget !== undefined) task.budget.spentMs += ms[i] ?? 0;
      if ('failure' in result) task.reject(new EvaluationError(result.failure));
      else task.resolve(result.value);
    }
    land(tasks.slice(results.length));
  };

  /** Ends the flight. Tasks without a result go behind the others, so that no run keeps the thread for itself. */
  const land = (remaining: readonly Task[]): void => {
    flight = undefined;
    queue = queue.concat(remaining);
    if (queue.length > 0) schedule();
    else {
      clearInterval(timer);
      timer = undefined;
    }
  };

  const check = (): void => {
    if (flight === undefined) return;
    const index = Atomics.load(flight.current, 0);
    const now = performance.now();
    if (index !== flight.seen) {
      flight.seen = index;
      flight.seenAt = now;
    }
    const task = flight.tasks[index];
    // The thread starts, or its answer is on its way.
    if (task === undefined) return;
    const tookMs = now - flight.seenAt;
    if (task.budget?.signal.aborted === true) fail(index, task.budget.signal.reason, tookMs);
    else if (tookMs >= task.limits.perRowMs) fail(index, tooLong(task.limits.perRowMs, 'perRow'), tookMs);
  };

  /** Fails one evaluation of the flight, ends the thread and sends the others again. */
  const fail = (index: number, reason: unknown, tookMs: number): void => {
    if (flight === undefined) return;
    const { tasks } = flight;
    const task = tasks[index] as Task;
    if (task.budget !== undefined) task.budget.spentMs += tookMs;
    task.reject(reason);
    void worker?.thread.terminate();
    worker = undefined;
    land(tasks.filter((_, i) => i !== index));
  };

  const onExit = (thread: Worker, code: string | undefined): void => {
    if (worker?.thread === thread) worker = undefined;
    if (flight?.worker !== thread) return;
    const index = Atomics.load(flight.current, 0);
    const why =
      code === 'ERR_WORKER_OUT_OF_MEMORY'
        ? `the expression needs more than ${memoryMb} MB of memory`
        : 'the thread that evaluates expressions ended';
    if (index >= 0) {
      fail(index, new EvaluationError(why), performance.now() - flight.seenAt);
      return;
    }
    // It did not even start: nothing can be evaluated.
    for (const task of flight.tasks) task.reject(new EvaluationError(why));
    land([]);
  };

  return {
    evaluate: (request) =>
      new Promise((resolve, reject) => {
        if (isClosed) reject(new EvaluationError('the evaluation was stopped'));
        else queue.push({ ...request, resolve, reject });
        schedule();
      }),
    async close() {
      isClosed = true;
      const unfinished = [...(flight?.tasks ?? []), ...queue];
      queue = [];
      flight = undefined;
      clearInterval(timer);
      timer = undefined;
      for (const task of unfinished) task.reject(new EvaluationError('the evaluation was stopped'));
      const ended = worker?.thread.terminate();
      worker = undefined;
      await ended;
    },
  };
}

/** Why a task is not begun at all. */
function refusalOf({ budget, limits }: Task): unknown {
  if (budget === undefined) return undefined;
  if (budget.signal.aborted) return budget.signal.reason;
  return budget.spentMs >= limits.perRunMs ? tooLong(limits.perRunMs, 'perRun') : undefined;
}

function tooLong(limitMs: number, key: keyof typeof scopeOf): EvaluationError {
  return new EvaluationError(`${scopeOf[key]} took longer than ${limitMs / 1000} s (expressions.${key})`);
}

const scopeOf = { perRow: 'the expression', perRun: 'the expressions of this run' } as const;

/** Sends each expression and each record once. */
function batchOf(tasks: readonly Task[]): EvaluationBatch {
  const texts = new Map<string, number>();
  const records = new Map<Task['record'], number>();
  const items = tasks.map(({ text, record }) => [numberOf(text, texts), numberOf(record, records)] as const);
  return { texts: [...texts.keys()], records: [...records.keys()], items };
}

function numberOf<Key>(key: Key, known: Map<Key, number>): number {
  const found = known.get(key) ?? known.size;
  known.set(key, found);
  return found;
}
