import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type RunningSandbox, startSandbox } from '../../src/sandbox/index.ts';
import { type Finished, openTestShell } from '../cli/test-shell.ts';
import { plainSync } from './office.ts';

/** A folder in which commands run, with a platform whose refresh tokens rotate. */
export interface CommandPlace {
  readonly sandbox: RunningSandbox;
  readonly folder: string;
  rollcall(...args: readonly string[]): Promise<Finished>;
  /** Writes the HR file: people 1 to `count`, of whom some have left. */
  employ(count: number, left?: readonly number[]): Promise<void>;
  configure(store: string, refreshToken: string): Promise<void>;
}

export async function openCommandPlace(store: string): Promise<CommandPlace> {
  const sandbox = await startSandbox({ now: () => Date.now(), processingMs: 10, quirks: { strictReuse: true } });
  onTestFinished(() => sandbox.close());
  const { folder, run } = await openTestShell();
  const place: CommandPlace = {
    sandbox,
    folder,
    rollcall: (...args) => run(args),
    async employ(count, left = []) {
      const rows = Array.from({ length: count }, (_, i) => i + 1).map(
        (n) => `E${n},Ana ${n},Doe,e${n}@example.com,${left.includes(n) ? 'left' : 'active'}\n`,
      );
      await writeFile(join(folder, 'employees.csv'), `id,first,last,mail,status\n${rows.join('')}`);
    },
    async configure(at, refreshToken) {
      const config = {
        store: at,
        encryptionKey: Buffer.alloc(32, 5).toString('base64'),
        connections: { acme: { baseUrl: sandbox.url, applicationToken: sandbox.applicationToken, refreshToken } },
        syncs: {
          people: {
            ...plainSync(),
            guards: { creates: { absolute: 1000 } },
            settle: { every: '50ms' },
          },
        },
      };
      await writeFile(join(folder, 'rollcall.yaml'), JSON.stringify(config));
    },
  };
  await place.configure(store, sandbox.refreshToken);
  return place;
}
