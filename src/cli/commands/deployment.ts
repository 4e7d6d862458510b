import { findOrphans } from '../../app/accounts/orphans.ts';
import type { AppIo, Role } from '../../app/app-io.ts';
import { readOverview } from '../../app/overview.ts';
import { nextRunWords } from '../../app/syncs.ts';
import { formatCount } from '../../core/run/formats.ts';
import { given } from '../../core/run/given.ts';
import { renderStatus, storeFaultWords } from '../render/status.ts';
import type { Shell } from '../shell.ts';

interface StartOptions {
  readonly role: Role;
  readonly port?: number;
  readonly host?: string;
  readonly link?: boolean;
}

export async function runDeployment(shell: Shell, options: StartOptions): Promise<number> {
  // After a reload the configuration is opened again, and with it everything that it names.
  while ((await startOnce(shell, options)) === 'reload');
  return 0;
}

function startOnce(shell: Shell, { role, port, host, link = false }: StartOptions): Promise<'stopped' | 'reload'> {
  const { signal } = shell;
  const { onHangup, stdout } = shell.io;
  const listen = port === undefined && host === undefined ? undefined : given({ port, host });
  const waits = { signal, listen };
  return shell.withApp({ hasEffect: true, mayPresentSeed: true, logs: 'on', waits }, async (app) => {
    let url: string | undefined;
    let signIn = '';
    // Without a terminal, only logs are written: a plain line between them would not be JSON, and a link is no log.
    const isShown = stdout.isTTY === true || link;
    let signInLink: string | undefined;
    return app.start({
      signal,
      progress: () => {},
      onReady() {
        shell.printJson({ ready: true, ...given({ url }), syncs: app.syncs });
        const none = link ? '. There is no link, because server.signInLink is not set' : '';
        const how = signInLink === undefined ? `sign in: ${signIn}${none}` : `sign in once with ${signInLink}`;
        if (isShown) shell.print(renderReady(app, role, url, how));
      },
      onListening(where, ways) {
        url = where;
        signIn = ways;
      },
      onSignInLink(address) {
        if (signInLink !== undefined && isShown) shell.print(`the link was used. The next link: ${address}`);
        signInLink = address;
      },
      role,
      ...given({ listen, onHangup }),
    });
  });
}

function renderReady({ syncs, pageUrl }: AppIo, role: Role, url: string | undefined, how: string): string {
  const scheduled = syncs.filter(({ schedule }) => schedule !== undefined).length;
  const isPage = role === 'all' || role === 'server';
  const where =
    url === undefined
      ? 'no page is served: to see one, set "server" in the configuration (docs/sign-in.md)\n'
      : isPage
        ? `page: ${pageUrl ?? url}\n${how}\n`
        : `listening on ${url}\n`;
  const what = role === 'server' ? 'serving' : 'running';
  return `${where}${what}: ${formatCount(syncs.length, 'sync')}, ${scheduled} on a schedule; Ctrl-C stops it at the next safe point`;
}

export async function showStatus(shell: Shell): Promise<number> {
  return shell.withApp({}, async (app) => {
    await app.endOrphans(shell.signal);
    const overview = await readOverview(app);
    const found = await findOrphans(app.engine);
    const storeFault = await app.engine.store.fault(app.engine.clock.now());
    if (shell.isJson) {
      const [{ overviewView }, { orphansView }] = await Promise.all([
        import('../../views/overview.ts'),
        import('../../views/people.ts'),
      ]);
      const shown = { ...overviewView(overview, await app.alerts.report(1)), ...orphansView({ orphans: found }) };
      shell.printJson({ ...shown, storeFault: storeFault ?? null });
    }
    shell.print(renderStatus(overview, shell.style));
    if (storeFault !== undefined) shell.print(shell.style.colors.red(storeFaultWords(storeFault, shell.style)));
    for (const { name, nextSlotAt, refusedUntil } of overview.syncs) {
      const words = nextSlotAt === undefined || refusedUntil !== undefined ? undefined : nextRunWords(app, name);
      if (words !== undefined) shell.print(`${name}: ${words}`);
    }
    for (const { message } of found) shell.print(shell.style.colors.yellow(message));
    return 0;
  });
}
