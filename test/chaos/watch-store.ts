import type { Store } from '../../src/ports/store.ts';

/** Every write of the store but those that go on in the background. */
const writes: Readonly<Partial<Record<keyof Store, readonly string[]>>> = {
  leases: ['take', 'release'],
  triggers: ['add'],
  runs: ['open', 'update', 'addFindings'],
  plans: ['begin', 'add', 'seal', 'hold', 'holdFields', 'applyApprovals', 'setStates'],
  batches: ['create', 'update', 'resolve'],
  ledger: ['put'],
  decisions: ['record', 'end'],
  holds: ['renew'],
  reads: ['put'],
};

/** The same store, telling before and after each write. */
export function watchStore(store: Store, onWrite: (what: string) => void): Store {
  const watched: Record<string, unknown> = { ...store };
  for (const [name, methods] of Object.entries(writes)) {
    const part = store[name as keyof Store] as unknown as Readonly<Record<string, Method>>;
    const told = methods.map((method) => [
      method,
      async (...given: readonly unknown[]): Promise<unknown> => {
        onWrite(`before ${name}.${method}`);
        const result = await part[method]?.(...given);
        onWrite(`after ${name}.${method}`);
        return result;
      },
    ]);
    watched[name] = { ...part, ...Object.fromEntries(told) };
  }
  return watched as unknown as Store;
}

type Method = (...given: readonly unknown[]) => Promise<unknown>;
