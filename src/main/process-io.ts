import { userInfo } from 'node:os';
import { createInterface } from 'node:readline';
import type { CliIo } from '../cli/cli-io.ts';
import type { Config } from '../config/config.ts';
import { initTemplate } from '../config/init-template.ts';
import { readVersion } from '../drivers/http/version.ts';
import { listApiOperations } from '../platform/table/named-operations.ts';
import { openBackups } from './open-backups.ts';
import { migrateConfiguredStore, openConfiguredApp } from './open-configured-app.ts';
import { sandboxAccess } from './sandbox-access.ts';
import { systemClock } from './system.ts';

/** Opens what the command line needs, over a real process. */
export function openProcessIo(self: NodeJS.Process, signal: AbortSignal): CliIo {
  const { stdin, stdout, stderr, env } = self;
  const isInteractive = stdin.isTTY && stderr.isTTY;
  // What was checked is what is opened: a file that changes in between cannot end the process.
  let checked: Config | undefined;
  const keepChecked = (config: Config): void => {
    checked = config;
  };
  return {
    stdout,
    stderr,
    env,
    cwd: self.cwd(),
    clock: systemClock,
    signal,
    ...(stdin.isTTY ? {} : { onHangup: hangupsOf(self) }),
    ...(isInteractive ? { ask: (question: string) => ask(question, self, signal) } : {}),
    operator: operatorName(env),
    version: readVersion(),
    openApp: (configPath, options) => {
      const config = checked;
      checked = undefined;
      const given = config === undefined ? {} : { config };
      return openConfiguredApp(configPath, { ...options, env, stderr, ...given, onChecked: keepChecked });
    },
    migrateStore: (configPath) => migrateConfiguredStore(configPath, env),
    backups: openBackups(env),
    sourceKinds: loadSourceKinds,
    starterFiles: async (name) => initTemplate({ kinds: await loadSourceKinds(), name }),
    apiOperations: listApiOperations(),
    sandbox: sandboxAccess,
    // The platform and its web server are loaded only where they are used.
    openDemo: async (folder) => (await import('../sandbox/demo-world.ts')).openDemoWorld(folder, systemClock.now),
  };
}

/** Remembers a SIGHUP that comes while there is no listener, which is while a configuration is opened again. */
function hangupsOf(self: NodeJS.Process): NonNullable<CliIo['onHangup']> {
  const listeners = new Set<() => void>();
  let isMissed = false;
  const hear = (): void => {
    isMissed = listeners.size === 0;
    for (const listener of listeners) listener();
  };
  return (listener) => {
    // Stays for the life of the process: without a handler the next SIGHUP would end it.
    if (!self.listeners('SIGHUP').includes(hear)) self.on('SIGHUP', hear);
    listeners.add(listener);
    if (isMissed) queueMicrotask(hear);
    return () => void listeners.delete(listener);
  };
}

/** Loads the kinds of sources where they are used, because they are large. */
async function loadSourceKinds() {
  return (await import('../sources/registry.ts')).sourceKinds;
}

/** Asks on the terminal. Returns empty text when the input ends. */
function ask(question: string, { stdin, stderr }: NodeJS.Process, signal: AbortSignal): Promise<string> {
  // Terminal mode would read Ctrl-C as a key instead of a signal.
  const lines = createInterface({ input: stdin, output: stderr, terminal: false });
  return new Promise<string>((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    lines.once('close', () => resolve(''));
    lines.question(question, resolve);
  }).finally(() => lines.close());
}

function operatorName(env: NodeJS.ProcessEnv): string {
  try {
    return userInfo().username;
  } catch {
    // The user of a container often has no name.
    return env.USER ?? `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
