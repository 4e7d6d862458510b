import { afterEach } from 'vitest';
import { failOnLeaks } from '../support/leak-check.ts';

type Closer = () => Promise<unknown>;

const closers: Closer[] = [];

/** Call it once at the top of a test file: closes what a test opened when it ends, then fails on what is left. */
export function closeAndFailOnLeaks(): void {
  failOnLeaks();
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });
}

/** Closes it when the test ends. */
export function closeLater(close: Closer): void {
  closers.push(close);
}
