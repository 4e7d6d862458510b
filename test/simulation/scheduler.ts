import { setImmediate as nextTurn } from 'node:timers/promises';
import { RollcallError } from '../../src/core/run/errors.ts';
import type { Clock } from '../../src/ports/runtime.ts';

/** One process: when it is dead no line of it runs any more, its promises stay open for ever. */
export interface Life {
  readonly name: string;
  isDead: boolean;
  /** Stopped as a whole, its timers too, until then: a long pause of the garbage collector, or a frozen machine. */
  stoppedUntil: number;
}

export function newLife(name: string): Life {
  return { name, isDead: false, stoppedUntil: 0 };
}

export interface Faults {
  /** Chances from 0 to 1, each time a process passes a place: that it ends there, or stops for `stallMs` at most. */
  readonly crash: number;
  readonly stall: number;
  readonly stallMs: number;
  /** Chance that a call takes a turn at all; without one it is done at once, before anybody else. */
  readonly turn: number;
}

export const noFaults: Faults = { crash: 0, stall: 0, stallMs: 0, turn: 0.2 };

interface Waiting {
  readonly life: Life;
  readonly readyAt: number;
  readonly wake: () => void;
  isGone: boolean;
}

const wakesAt = ({ life, readyAt }: Waiting): number => Math.max(readyAt, Math.ceil(life.stoppedUntil));

const never = new Promise<never>(() => {});

/**
 * Virtual time and the one order of events: whoever waits is woken by the seed's choice, one at a time, and nobody else
 * runs until it waits again. No timer and no real clock, so that a seed plays the same every time.
 */
export class Scheduler {
  faults: Faults = noFaults;
  crashes = 0;
  stalls = 0;
  #busy = 0;
  readonly random: () => number;
  #now: number;
  #waiting: Waiting[] = [];

  constructor(startAt: number, random: () => number) {
    this.#now = startAt;
    this.random = random;
  }

  now(): number {
    return this.#now;
  }

  chance(probability: number): boolean {
    return probability > 0 && this.random() < probability;
  }

  pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.random() * list.length)] as T;
  }

  /** A place where a process takes time, may stop for long, or ends. */
  pass(life: Life): Promise<void> {
    if (life.isDead) return never;
    const { crash, stall, stallMs, turn } = this.faults;
    if (this.chance(crash)) return this.kill(life);
    if (this.chance(stall)) {
      this.stalls += 1;
      life.stoppedUntil = this.#now + stallMs * this.random();
      return this.sleep(life, 1);
    }
    return this.chance(turn) ? this.sleep(life, 50 * this.random()) : Promise.resolve();
  }

  kill(life: Life): Promise<never> {
    life.isDead = true;
    this.crashes += 1;
    return never;
  }

  sleep(life: Life, ms: number, signal?: AbortSignal): Promise<void> {
    if (life.isDead) return never;
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) {
        reject(signal.reason);
        return;
      }
      const abort = (): void => {
        entry.isGone = true;
        if (!life.isDead) reject(signal?.reason);
      };
      const wake = (): void => {
        signal?.removeEventListener('abort', abort);
        resolve();
      };
      const entry: Waiting = { life, readyAt: this.#now + Math.max(0, Math.ceil(ms)), wake, isGone: false };
      signal?.addEventListener('abort', abort, { once: true });
      this.#waiting.push(entry);
    });
  }

  clockOf(life: Life): Clock {
    return { now: () => this.#now, sleep: (ms, signal) => this.sleep(life, ms, signal) };
  }

  /** Waits for work that takes turns of the event loop and no virtual time, such as the store's. Nobody is woken meanwhile. */
  async during<T>(work: Promise<T>): Promise<T> {
    this.#busy += 1;
    try {
      return await work;
    } finally {
      this.#busy -= 1;
    }
  }

  /** Lets everybody go on until `isOver`; fails when nobody would ever wake again, or after too many turns. */
  async runUntil(isOver: () => boolean, limitMs: number): Promise<void> {
    const until = this.#now + limitMs;
    for (let idle = 0; ; ) {
      do await nextTurn();
      while (this.#busy > 0);
      if (isOver()) return;
      this.#waiting = this.#waiting.filter(({ life, isGone }) => !life.isDead && !isGone);
      if (this.#waiting.length === 0) {
        idle += 1;
        if (idle > 50) throw new Error('everybody waits and nobody will ever wake');
        continue;
      }
      idle = 0;
      let earliest = Number.POSITIVE_INFINITY;
      for (const one of this.#waiting) earliest = Math.min(earliest, wakesAt(one));
      if (earliest > until) throw new Error(`not over after ${limitMs} ms of virtual time`);
      this.#now = Math.max(this.#now, earliest);
      const ready = this.#waiting.filter((one) => wakesAt(one) <= this.#now);
      const next = this.pick(ready);
      next.isGone = true;
      next.wake();
    }
  }

  /** Time that passes while nobody does anything. */
  jump(ms: number): void {
    this.#now += Math.ceil(ms);
  }
}

/** A small seeded generator (mulberry32, public domain): uniform in [0, 1). */
export function seededRandom(seed: number): () => number {
  let state = (seed * 2_654_435_761) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** What a process gets for an answer that never comes. */
export function unreachable(what: string): RollcallError {
  return new RollcallError(`${what}: no answer (simulated)`, { code: 'SOURCE_UNAVAILABLE', retry: 'backoff' });
}
