import axe from 'axe-core';
import { chromium, type Page } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makePreview } from '../../src/run/make-preview.ts';
import type { TestServer } from '../server/open-test-server.ts';
import type { Office } from './office.ts';
import { once } from './once.ts';
import { findChromium } from './services/chromium.ts';

const chromiumPath = await findChromium('every test in a browser');

/** Tests in a real browser, skipped where there is none. */
export const describePage = describe.skipIf(chromiumPath === undefined);

/** A test in a real browser, skipped where there is none. */
export const see = it.skipIf(chromiumPath === undefined);

/** A page of a real browser that reaches only one server. */
export interface BrowserPage {
  readonly page: Page;
  /** Goes to a path, and waits until all of it is there. */
  show(path: string): Promise<void>;
  /** The same as a link of the page does it: without loading the page anew, which costs most of a visit. */
  follow(path: string): Promise<void>;
}

export interface BrowserOptions {
  /** Signs in with this token. Absent: the page is not even opened. */
  readonly token?: string;
  /** Where to sign in. */
  readonly path?: string;
  readonly width?: number;
  readonly height?: number;
  readonly scheme?: 'light' | 'dark';
  readonly language?: string;
  readonly zone?: string;
  /** The time that the browser shows; default: the real one. */
  readonly at?: number;
  /** Another address that the page may lead to: the identity provider. It may ask for what it wants, and gets none of it. */
  readonly alsoAt?: string;
}

/**
 * What a browser with windows does for its users, which costs more than the pages of the tests: two pages for the list below
 * the address bar of each window, and a process for the page that may come next. This list replaces Playwright's own, so the
 * last three are from there: what changes pictures, and what asks other hosts.
 */
const unused = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'SpareRendererForSitePerProcess',
  'PaintHolding',
  'MediaRouter',
  'OptimizationHints',
];

/** The one browser of this worker; it ends with the worker's process. Tests share nothing in it: each has a context of its own. */
export const openBrowser = once(() =>
  chromium.launch({
    executablePath: chromiumPath ?? '',
    args: [
      ...['--no-sandbox', '--disable-gpu', `--disable-features=${unused.join()}`],
      // No other host is reached, whatever a page asks for. To stop each request in this process costs both of them time.
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
    ],
  }),
);

/**
 * Opens a page without cookies or storage of others, which is closed after the test. The test fails by what the page complains
 * about: errors of scripts and of the content security policy, and requests for other hosts.
 */
export async function openBrowserPage(
  server: Pick<TestServer, 'url'>,
  {
    token,
    path = '/',
    width = 1280,
    height = 900,
    scheme = 'light',
    language = 'en-US',
    zone = 'America/Bogota',
    at,
    alsoAt,
  }: BrowserOptions = {},
): Promise<BrowserPage> {
  const browser = await openBrowser();
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: scheme,
    locale: language,
    timezoneId: zone,
    reducedMotion: 'reduce',
  });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  if (at !== undefined) await page.clock.setFixedTime(at);
  const complaints: string[] = [];
  onTestFinished(() => expect(complaints, 'the page complains').toEqual([]));
  page.on('console', (message) => {
    const isExpected = message.text().startsWith('Failed to load resource');
    if (message.type() === 'error' && !isExpected) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    const isMeant = [server.url, 'data:', 'blob:'].some((place) => request.url().startsWith(place));
    if (!isMeant && alsoAt === undefined) complaints.push(`asked for ${request.url()}`);
  });
  const untilThere = async (): Promise<void> => {
    await page.locator('main h1').waitFor();
    await expect.poll(() => page.locator('.loading, .row.blank').count()).toBe(0);
  };
  const show = async (to: string): Promise<void> => {
    await page.goto(`${server.url}${to}`);
    await untilThere();
  };
  const follow = async (to: string): Promise<void> => {
    await page.evaluate(`history.pushState(null, '', '${to}'); dispatchEvent(new PopStateEvent('popstate'))`);
    await untilThere();
  };
  if (token !== undefined) {
    await page.goto(`${server.url}${path}`);
    await signIn(page, token);
  }
  return { page, show, follow };
}

/** Signs in with a token on the page that is open, in any language. */
export async function signIn(page: Page, token: string): Promise<void> {
  await page.locator('input[type=password]').fill(token);
  await page.locator('form button[type=submit]').click();
  await page.getByRole('navigation').waitFor();
}

/** What axe-core finds against WCAG 2.2 AA and its own good practices: rule, and where. */
export async function violationsOf(page: Page, scheme: 'light' | 'dark' = 'light'): Promise<readonly string[]> {
  // Evaluated by the debugger, which the content security policy does not bind.
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(axe.source);
  const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
  // The dark scheme differs in its colors alone.
  const runOnly = scheme === 'light' ? tags : { type: 'rule', values: ['color-contrast'] };
  return page.evaluate(`axe.run(document, { resultTypes: ['violations'], runOnly: ${JSON.stringify(runOnly)} }).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.slice(0, 3).map(({ html, failureSummary }) => id + ': ' + html.slice(0, 200) + ' ' + failureSummary)))`);
}

/** By how many pixels the page is wider than the screen. */
export function overflowOf(page: Page): Promise<number> {
  return page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
}

/** Presses a button, reads what it means, and confirms it. */
export async function confirm(page: Page, name: string, meaning: string | RegExp = /./): Promise<void> {
  await page.getByRole('button', { name, exact: true }).click();
  const dialog = page.getByRole('dialog');
  expect(await dialog.innerText()).toMatch(meaning);
  await dialog.getByRole('button', { name, exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
}

/** Does what a deployment does with the preview that waits, and lets the page see it. Returns its id. */
export async function makeWaitingPreview({ engine: { io } }: Office, server: TestServer): Promise<string> {
  const waiting = async (): Promise<string> => (await io.store.previews.unended(io.clock.now()))[0] ?? '';
  await expect.poll(waiting).not.toBe('');
  const id = await waiting();
  await makePreview(id, io, AbortSignal.timeout(60_000));
  await server.clock.advance(2000);
  return id;
}
