import { systemClock } from '../src/main/process.ts';
import type { SourceIo } from '../src/ports/source.ts';
import { openSource } from '../src/sources/registry.ts';
import { type SourceCase, type SourcePlace, sourceConfig } from './sources-cases.ts';
import { readFloor } from './sources-floor.ts';
import { silent } from './updates-world.ts';

export type SourceWork = 'floor' | 'read';

export interface SourceOrder {
  readonly work: SourceWork;
  readonly case: SourceCase;
  readonly place: SourcePlace;
}

/** What one child process found. */
export interface SourceMeasured {
  readonly seconds: number;
  /** CPU time of this process with all its threads, user and system. */
  readonly cpuSeconds: number;
  /** Peak of the whole process, megabytes of 10^6 bytes. */
  readonly peakRssMb: number;
  /** The process before any work, everything loaded. */
  readonly baseRssMb: number;
  readonly people: number;
}

/** Reads everybody once and drops them. Run as a child process with a `SourceOrder`; sends a `SourceMeasured`. */
async function measure(order: SourceOrder): Promise<SourceMeasured> {
  const read = order.work === 'floor' ? () => readFloor(order.case, order.place) : prepareRead(order);
  const baseRssMb = process.memoryUsage.rss() / 1e6;
  const cpuBefore = process.cpuUsage();
  const begin = performance.now();
  const people = await read();
  const seconds = (performance.now() - begin) / 1000;
  const { user, system } = process.cpuUsage(cpuBefore);
  const peakRssMb = (process.resourceUsage().maxRSS * 1024) / 1e6;
  return { seconds, cpuSeconds: (user + system) / 1e6, peakRssMb, baseRssMb, people };
}

function prepareRead({ case: name, place }: SourceOrder): () => Promise<number> {
  const source = openSource(sourceConfig(name, place), {
    folder: place.folder,
    scratchFolder: place.folder,
    openTokens: () => {
      throw new Error('no source of this bench has tokens that rotate');
    },
  });
  const io: SourceIo = {
    clock: systemClock,
    logger: silent,
    signal: new AbortController().signal,
    previous: undefined,
  };
  return async () => {
    let people = 0;
    const reading = source.read({ kind: 'full' }, io);
    for (;;) {
      const step = await reading.next();
      if (step.done !== true) {
        people += step.value.records.length;
        continue;
      }
      // A read that is given up early would look fast.
      if (step.value.complete && step.value.notReturned === undefined) return people;
      const reasons = step.value.complete ? (step.value.notReturned ?? []) : step.value.reasons;
      throw new Error(`the read of ${name} is not what it should be: ${reasons.join('; ')}`);
    }
  };
}

process.send?.(await measure(JSON.parse(process.argv[2] ?? '') as SourceOrder));
