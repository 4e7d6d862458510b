import { Option } from 'commander';
import { findOrphans } from '../../app/accounts/adopt.ts';
import type { AppIo, Role } from '../../app/app-io.ts';
import { readOverview } from '../../app/overview.ts';
import { nextRunWords } from '../../app/syncs.ts';
import { formatCount } from '../../core/run/formats.ts';
import { overviewView } from '../../views/overview.ts';
import { orphansView } from '../../views/people.ts';
import type { CommandRow } from '../command.ts';
import { parsePort } from '../options.ts';
import { renderStatus } from '../render/status.ts';
import type { Shell } from '../shell.ts';

interface StartOptions {
  readonly role: Role;
  readonly port?: number;
  readonly host?: string;
}

export const start: CommandRow = {
  words: 'start',
  meaning: 'run the schedules and the requests of other shells until stopped',
  options: [
    new Option('--role <role>', 'the role of this process')
      .choices(['all', 'scheduler', 'worker', 'server'])
      .default('all'),
    ['--port <n>', 'port of the server, overrides server.port; 0: any free port', parsePort],
    ['--host <address>', 'address to listen on, overrides server.host'],
  ],
  run: runDeployment,
};

async function runDeployment(shell: Shell, { role, port, host }: StartOptions): Promise<number> {
  const listen = { ...(port === undefined ? {} : { port }), ...(host === undefined ? {} : { host }) };
  for (;;) {
    const end = await startOnce(shell, { role, listen });
    // The configuration is opened again, and with it everything that it names.
    if (end === 'stopped') return 0;
  }
}

interface Started {
  readonly role: Role;
  readonly listen: { readonly port?: number; readonly host?: string };
}

function startOnce(shell: Shell, { role, listen }: Started): Promise<'stopped' | 'reload'> {
  const { onHangup } = shell.io;
  const { signal } = shell;
  const waits = { signal, listen: Object.keys(listen).length === 0 ? undefined : listen };
  return shell.withApp({ mayPresentSeed: true, logs: 'on', waits }, async (app) => {
    let url: string | undefined;
    const onListening = (where: string): void => {
      url = where;
    };
    const onReady = () => {
      shell.printJson({ ready: true, ...(url === undefined ? {} : { url }), syncs: app.syncs });
      // Without a terminal, only logs are written: a plain line between them would not be JSON.
      if (shell.io.stdout.isTTY === true) shell.print(renderReady(app, role, url));
    };
    return app.start({
      signal: shell.signal,
      progress: () => {},
      onReady,
      onListening,
      role,
      ...(Object.keys(listen).length === 0 ? {} : { listen }),
      ...(onHangup === undefined ? {} : { onHangup }),
    });
  });
}

function renderReady({ syncs }: AppIo, role: Role, url: string | undefined): string {
  const scheduled = syncs.filter(({ schedule }) => schedule !== undefined).length;
  const where = url === undefined ? '' : `listening on ${url}\n`;
  const what = role === 'server' ? 'serving' : 'running';
  return `${where}${what}: ${formatCount(syncs.length, 'sync')}, ${scheduled} on a schedule; Ctrl-C stops it at the next safe point`;
}

export const status: CommandRow = {
  words: 'status',
  meaning: 'show the health, the state and the waiting changes of every sync',
  run: showStatus,
};

async function showStatus(shell: Shell): Promise<number> {
  return shell.withApp({}, async (app) => {
    await app.endOrphans(shell.signal);
    const overview = await readOverview(app);
    const found = await findOrphans(app.engine);
    shell.printJson({ ...overviewView(overview, await app.alerts.report(1)), ...orphansView({ orphans: found }) });
    shell.print(renderStatus(overview, shell.style));
    for (const { name, nextSlotAt } of overview.syncs) {
      const words = nextSlotAt === undefined ? undefined : nextRunWords(app, name);
      if (words !== undefined) shell.print(`${name}: ${words}`);
    }
    for (const { message } of found) shell.print(shell.style.colors.yellow(message));
    return 0;
  });
}
