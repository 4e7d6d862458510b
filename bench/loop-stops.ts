import { type Profiler, Session } from 'node:inspector/promises';
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** One stretch in which the event loop did not turn. */
export interface LoopStop {
  readonly ms: number;
  /** CPU time of the main thread meanwhile: what a busy machine adds is not in it. */
  readonly cpuMs: number;
  readonly doing: string;
  /** Functions of this repository that were being run, by their share of the stretch; only if asked for. */
  readonly functions?: readonly string[];
}

export interface LoopWatch {
  /** What the process does from now on, for whoever reads about a stop. */
  doing(what: string): void;
  end(): Promise<LoopWatched>;
}

export interface LoopWatched {
  /** Longest first by CPU time, each kind of doing once. */
  readonly longest: readonly LoopStop[];
  /** The three longest by the clock: disk, and whoever else uses the machine. */
  readonly byClock: readonly LoopStop[];
  /** By the clock, as `monitorEventLoopDelay` saw it. */
  readonly delayMs: { readonly p50: number; readonly p99: number; readonly max: number };
}

const tickMs = 5;
/** Shorter ones, by the clock, are not worth a word. */
const worthMs = 20;

interface Seen extends LoopStop {
  readonly fromUs: number;
  readonly toUs: number;
}

/**
 * Watches how long the event loop of this process stands still: a timer that is due every 5 ms, and how much CPU time
 * the main thread took until it was called. `explain`: profiles on the way, which makes everything slower.
 */
export async function watchLoop(explain: boolean): Promise<LoopWatch> {
  const delays = monitorEventLoopDelay({ resolution: tickMs });
  const stops: Seen[] = [];
  let what = 'waiting';
  let before = what;
  let at = performance.now();
  let cpu = threadMs();
  const profiler = explain ? await openProfiler() : undefined;
  const tick = (): void => {
    const [now, used] = [performance.now(), threadMs()];
    const stop = { ms: now - at, cpuMs: used - cpu, doing: before === what ? what : `${before}, then ${what}` };
    // Of the time between two calls the timer itself has asked for some.
    if (stop.ms > worthMs) stops.push({ ...stop, fromUs: microsecondsAt(at), toUs: microsecondsAt(now) });
    before = what;
    at = now;
    cpu = used;
  };
  const timer = setInterval(tick, tickMs);
  delays.enable();
  return {
    doing(now) {
      what = now;
    },
    async end() {
      clearInterval(timer);
      delays.disable();
      const longest = eachKindOnce(stops.toSorted((a, b) => b.cpuMs - a.cpuMs)).slice(0, 12);
      const byClock = stops.toSorted((a, b) => b.ms - a.ms).slice(0, 3);
      const profile = await profiler?.end();
      const told = ({ fromUs, toUs, ...stop }: Seen): LoopStop =>
        profile === undefined ? stop : { ...stop, functions: functionsIn(profile, fromUs, toUs) };
      return {
        longest: longest.map(told),
        byClock: byClock.map(told),
        delayMs: { p50: delays.percentile(50) / 1e6, p99: delays.percentile(99) / 1e6, max: delays.max / 1e6 },
      };
    },
  };
}

function eachKindOnce(stops: readonly Seen[]): Seen[] {
  const kinds = new Set<string>();
  return stops.filter(({ doing }) => !kinds.has(doing) && kinds.add(doing));
}

function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** The profiler's clock: of the machine, not of the process. */
function microsecondsAt(sinceStartMs: number): number {
  return Number(process.hrtime.bigint() / 1000n) - (performance.now() - sinceStartMs) * 1000;
}

async function openProfiler(): Promise<{ end(): Promise<Profiler.Profile> }> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.setSamplingInterval', { interval: 500 });
  await session.post('Profiler.start');
  return {
    async end() {
      const { profile } = await session.post('Profiler.stop');
      session.disconnect();
      return profile;
    },
  };
}

/** Each function by the time in which it stood on the stack, callees included. */
function functionsIn(
  { startTime, samples = [], timeDeltas = [], nodes }: Profiler.Profile,
  fromUs: number,
  toUs: number,
) {
  const nodeOf = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)));
  const spent = new Map<string, number>();
  let at = startTime;
  samples.forEach((sample, i) => {
    const delta = timeDeltas[i] ?? 0;
    at += delta;
    if (at < fromUs || at > toUs) return;
    const names = new Set<string>();
    for (let id: number | undefined = sample; id !== undefined; id = parents.get(id)) {
      const frame = nodeOf.get(id)?.callFrame;
      if (frame === undefined) continue;
      const place = /\/((?:src|bench|node_modules)\/.*)$/.exec(frame.url)?.[1];
      names.add(`${frame.functionName || '(anonymous)'} ${place ?? frame.url}:${frame.lineNumber + 1}`);
    }
    for (const name of names) spent.set(name, (spent.get(name) ?? 0) + delta / 1000);
  });
  const most = [...spent].toSorted(([, a], [, b]) => b - a).slice(0, 24);
  return most.map(([name, ms]) => `${ms.toFixed(0)} ms ${name}`);
}
