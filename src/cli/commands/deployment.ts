import { findOrphans } from '../../app/accounts/orphans.ts';
import type { AppIo, Role } from '../../app/app-io.ts';
import { readOverview } from '../../app/overview.ts';
import { nextRunWords } from '../../app/syncs.ts';
import { formatCount } from '../../core/run/formats.ts';
import { renderStatus, storeFaultWords } from '../render/status.ts';
import type { Shell } from '../shell.ts';

interface StartOptions {
  readonly role: Role;
  readonly port?: number;
  readonly host?: string;
  readonly link?: boolean;
}

export async function runDeployment(shell: Shell, { role, port, host, link = false }: StartOptions): Promise<number> {
  const listen = { ...(port === undefined ? {} : { port }), ...(host === undefined ? {} : { host }) };
  for (;;) {
    const end = await startOnce(shell, { role, listen, link });
    // The configuration is opened again, and with it everything that it names.
    if (end === 'stopped') return 0;
  }
}

interface Started {
  readonly role: Role;
  readonly listen: { readonly port?: number; readonly host?: string };
  readonly link: boolean;
}

function startOnce(shell: Shell, { role, listen, link }: Started): Promise<'stopped' | 'reload'> {
  const { onHangup } = shell.io;
  const { signal } = shell;
  const waits = { signal, listen: Object.keys(listen).length === 0 ? undefined : listen };
  return shell.withApp({ hasEffect: true, mayPresentSeed: true, logs: 'on', waits }, async (app) => {
    let page: Page | undefined;
    const onListening = (url: string, signIn: string): void => {
      page = { url, signIn };
    };
    // Without a terminal, only logs are written: a plain line between them would not be JSON, and a link is no log.
    const isShown = shell.io.stdout.isTTY === true || link;
    let signInLink: string | undefined;
    const onSignInLink = (address: string): void => {
      if (signInLink !== undefined && isShown) shell.print(`the link was used. The next link: ${address}`);
      signInLink = address;
    };
    const onReady = () => {
      shell.printJson({ ready: true, ...(page === undefined ? {} : { url: page.url }), syncs: app.syncs });
      if (isShown)
        shell.print(renderReady(app, role, page && { ...page, signIn: howToSignIn(page, signInLink, link) }));
    };
    return app.start({
      signal: shell.signal,
      progress: () => {},
      onReady,
      onListening,
      onSignInLink,
      role,
      ...(Object.keys(listen).length === 0 ? {} : { listen }),
      ...(onHangup === undefined ? {} : { onHangup }),
    });
  });
}

interface Page {
  readonly url: string;
  /** How to sign in, as the configuration allows it. */
  readonly signIn: string;
}

function howToSignIn({ signIn }: Page, signInLink: string | undefined, link: boolean): string {
  if (signInLink !== undefined) return `sign in once with ${signInLink}`;
  return `sign in: ${signIn}${link ? '. There is no link, because server.signInLink is not set' : ''}`;
}

function renderReady({ syncs, pageUrl }: AppIo, role: Role, page: Page | undefined): string {
  const scheduled = syncs.filter(({ schedule }) => schedule !== undefined).length;
  const isPage = role === 'all' || role === 'server';
  const where =
    page === undefined
      ? 'no page is served: to see one, set "server" in the configuration (docs/sign-in.md)\n'
      : isPage
        ? `page: ${pageUrl ?? page.url}\n${page.signIn}\n`
        : `listening on ${page.url}\n`;
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
    for (const { name, nextSlotAt } of overview.syncs) {
      const words = nextSlotAt === undefined ? undefined : nextRunWords(app, name);
      if (words !== undefined) shell.print(`${name}: ${words}`);
    }
    for (const { message } of found) shell.print(shell.style.colors.yellow(message));
    return 0;
  });
}
