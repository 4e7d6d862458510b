import axe, { type AxeResults } from 'axe-core';
import { chromium, type Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import type { TestServer } from '../server/open-test-server.ts';
import { once } from './once.ts';

/** A page of a real browser that reaches only one server, and what it complained about. */
export interface BrowserPage {
  readonly page: Page;
  /** Errors of scripts and of the content security policy, and requests for other hosts. Must stay empty. */
  readonly complaints: string[];
}

export interface BrowserOptions {
  readonly width?: number;
  readonly height?: number;
  readonly scheme?: 'light' | 'dark';
  readonly language?: string;
  readonly zone?: string;
  /** The time that the browser shows; default: the real one. */
  readonly at?: number;
  /** Another address that the page may lead to: the identity provider. */
  readonly alsoAt?: string;
}

/** The one browser of this worker; it ends with the worker's process. Tests share nothing in it: each has a context of its own. */
const openBrowser = once((executablePath: string) =>
  chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] }),
);

/** Opens a page without cookies or storage of others, which is closed after the test. */
export async function openBrowserPage(
  executablePath: string,
  server: Pick<TestServer, 'url'>,
  {
    width = 1280,
    height = 900,
    scheme = 'light',
    language = 'en-US',
    zone = 'America/Bogota',
    at,
    alsoAt = server.url,
  }: BrowserOptions = {},
): Promise<BrowserPage> {
  const browser = await openBrowser(executablePath);
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
  page.on('console', (message) => {
    const isExpected = message.text().startsWith('Failed to load resource');
    if (message.type() === 'error' && !isExpected) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.route('**', (route) => {
    if ([server.url, alsoAt].some((address) => route.request().url().startsWith(address))) return route.continue();
    complaints.push(`asked for ${route.request().url()}`);
    return route.abort();
  });
  return { page, complaints };
}

/** What axe-core finds against WCAG 2.2 AA, as sentences. */
export async function violationsOf(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  const found = await page.evaluate(
    `axe.run('main', { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] })`,
  );
  const { violations } = found as AxeResults;
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`);
}

/** Signs in with a token on the page that is open. */
export async function signIn(page: Page, token: string): Promise<void> {
  await page.getByLabel('API token').fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation').waitFor();
}
