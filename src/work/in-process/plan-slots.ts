/** Lets a few runs make their plans at the same time, in the order in which they came. */
export interface PlanSlots {
  /** Waits for a free slot, then runs the work. The slot is free again when the work calls `planned`, or ends. */
  during<T>(run: string, work: (planned: () => void) => Promise<T>): Promise<T>;
  /** Ends the wait of a run that no longer makes a plan. */
  skip(run: string): void;
}

export function openPlanSlots(slots: number, signal: AbortSignal): PlanSlots {
  const waiting = new Map<string, () => void>();
  let taken = 0;
  const letIn = (): void => {
    for (const [run, enter] of waiting) {
      if (taken >= slots && !signal.aborted) return;
      waiting.delete(run);
      enter();
    }
  };
  // Runs that wait end at once: they find out themselves that the process stops.
  signal.addEventListener('abort', letIn, { once: true });
  return {
    async during(run, work) {
      let holds = false;
      await new Promise<void>((resolve) => {
        const enter = (): void => {
          holds = true;
          taken += 1;
          resolve();
        };
        waiting.set(run, enter);
        letIn();
      });
      const planned = (): void => {
        if (!holds) return;
        holds = false;
        taken -= 1;
        letIn();
      };
      try {
        return await work(planned);
      } finally {
        planned();
      }
    },
    skip(run) {
      const enter = waiting.get(run);
      waiting.delete(run);
      enter?.();
    },
  };
}
