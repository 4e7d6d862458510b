import { fstatSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { onTestFinished, vi } from 'vitest';

/**
 * Tells the size of each file at the moment when it is made durable, before the real fsync. A lost fsync shows only
 * after a loss of power; this is the nearest a test can come to it.
 */
export async function watchSync(onSync: (size: number) => void): Promise<void> {
  const handle = await open(import.meta.filename);
  const prototype = Object.getPrototypeOf(handle) as typeof handle;
  await handle.close();
  const { sync } = prototype;
  const spy = vi.spyOn(prototype, 'sync').mockImplementation(function (this: typeof handle) {
    onSync(fstatSync(this.fd).size);
    return sync.call(this);
  });
  onTestFinished(() => spy.mockRestore());
}
