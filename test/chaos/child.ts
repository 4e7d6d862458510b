import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { programOf } from '../support/programs.ts';
import type { Order } from './run-and-die.ts';

export interface Child {
  readonly process: ChildProcess;
  /** Resolves with the first line that begins so; rejects when the process ends before. */
  line(beginning: string): Promise<string>;
  readonly ended: Promise<Ended>;
}

export interface Ended {
  readonly signal: NodeJS.Signals | null;
  readonly code: number | null;
  readonly lines: readonly string[];
  /** The last line, if it is JSON. */
  readonly result: Record<string, unknown> | undefined;
  readonly errors: string;
}

const program = programOf('test/chaos/run-and-die.ts');

/** Starts a command in a process of its own. It is killed at the end of the test if it still lives. */
export function startChild(order: Order): Child {
  const child = spawn(process.execPath, [program, JSON.stringify(order)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  let errors = '';
  let isOver = false;
  const wake = (): void => {
    for (const look of waiting) look();
  };
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line);
    wake();
  });
  child.stderr.on('data', (data: Buffer) => {
    errors += data.toString();
  });
  const ended = once(child, 'close').then(([code, signal]): Ended => {
    isOver = true;
    wake();
    const last = lines.at(-1) ?? '';
    const result = last.startsWith('{') ? (JSON.parse(last) as Record<string, unknown>) : undefined;
    return { code, signal, lines, result, errors };
  });
  const line = (beginning: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const found = lines.find((text) => text.startsWith(beginning));
        if (found === undefined && !isOver) return;
        waiting.delete(look);
        if (found === undefined) reject(new Error(`ended without "${beginning}": ${lines.join(' | ')} ${errors}`));
        else resolve(found);
      };
      waiting.add(look);
      look();
    });
  return { process: child, line, ended };
}
