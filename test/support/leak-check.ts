import { AsyncLocalStorage, createHook } from 'node:async_hooks';
import { aroundEach } from 'vitest';

/** Handles that a test must give back (types of `node:async_hooks`). */
const watched = ['TCPSERVERWRAP', 'TCPWRAP', 'PIPEWRAP', 'PROCESSWRAP', 'FSEVENTWRAP', 'Timeout', 'MESSAGEPORT'];

/** Handles close a turn or two later, on a busy machine after some more. A server or an interval never closes itself. */
const closedWithinMs = 10_000;

interface Handle {
  readonly type: string;
  /** Whether it keeps the process alive: false once it is closed. */
  hasRef?(): boolean;
}

/** Handles by their number. Only what the test itself began counts: an earlier file of this process may still close its own. */
type Opened = Map<number, Handle>;

const test = new AsyncLocalStorage<Opened>();

/** Call it once at the top of a test file: a test that leaves a server, socket, timer or watcher open fails. */
export function failOnLeaks(): void {
  aroundEach(async (runTest) => {
    const opened: Opened = new Map();
    const hook = createHook({
      init(id, type, _trigger, resource) {
        if (!watched.includes(type) || test.getStore() !== opened) return;
        const handle = resource as Pick<Handle, 'hasRef'>;
        opened.set(id, { type, hasRef: () => handle.hasRef?.() === true });
      },
      trackPromises: false,
      destroy: (id) => opened.delete(id),
    }).enable();
    try {
      await test.run(opened, runTest);
      await expectClosed(opened);
    } finally {
      hook.disable();
    }
  });
}

async function expectClosed(opened: Opened): Promise<void> {
  const stillOpen = (): string[] => [...opened.values()].flatMap((one) => (one.hasRef?.() === true ? [one.type] : []));
  const giveUpAt = performance.now() + closedWithinMs;
  while (stillOpen().length > 0 && performance.now() < giveUpAt) await new Promise((resolve) => setImmediate(resolve));
  if (stillOpen().length > 0) throw new Error(`the test left open: ${stillOpen().sort().join(', ')}`);
}
