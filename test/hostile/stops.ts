/** The longest time for which the event loop of this thread was busy without a turn for anything else. */
export interface Stops {
  /** Forgets what was measured. */
  begin(): void;
  /** CPU time of the main thread (ms). Time in which other processes had the CPU does not count. */
  longestMs(): number;
  close(): void;
}

/** Measures from one tick of a timer to the next, so short turns between two ticks are added up: a millisecond or two. */
export function watchStops(): Stops {
  let last = cpuMs();
  let longest = 0;
  const look = (): void => {
    const now = cpuMs();
    longest = Math.max(longest, now - last);
    last = now;
  };
  const timer = setInterval(look, 1);
  return {
    begin() {
      last = cpuMs();
      longest = 0;
    },
    longestMs() {
      look();
      return longest;
    },
    close: () => clearInterval(timer),
  };
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
