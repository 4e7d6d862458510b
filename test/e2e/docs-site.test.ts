import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { navigation, searchWeight, sidebar } from '../../site/navigation.ts';
import { describePage, openBrowser } from '../support/browser-page.ts';

const root = join(import.meta.dirname, '../..');
const site = join(root, 'dist-site/pages');

beforeAll(async () => {
  // The build fails on a link that leads nowhere.
  await promisify(execFile)('npm', ['run', '--silent', 'docs:build'], { cwd: root });
});

describe('the documentation site', () => {
  it('has every page of docs/, and every page of its menus', () => {
    const pages = globSync('**/*.html', { cwd: site });
    const expected = globSync('**/*.md', { cwd: join(root, 'docs') }).map((path) =>
      path.replace(/README\.md$/, 'index.md').replace(/\.md$/, '.html'),
    );
    const links = [...navigation, ...sidebar.flatMap(({ items }) => items)].map(
      ({ link }) => `${link.slice(1)}${link.endsWith('/') ? 'index' : ''}.html`,
    );

    expect(pages).toEqual(expect.arrayContaining([...expected, ...links]));
  });

  it('has every page in the menu, except those for its developers', () => {
    const inMenu = sidebar.flatMap(({ items }) => items).map(({ link }) => link.replace(/\/$/, '/index'));
    const pages = globSync('**/*.md', { cwd: join(root, 'docs') }).map(
      (path) => `/${path.replace(/README\.md$/, 'index.md').replace(/\.md$/, '')}`,
    );
    const isForDevelopers = (path: string) => searchWeight(path) < searchWeight('/changelog');

    expect(pages.filter((path) => !isForDevelopers(path) && !inMenu.includes(path))).toEqual([]);
    expect(inMenu.filter(isForDevelopers)).toEqual([]);
    expect(pages.filter((path) => path.startsWith('/decisions/')).every(isForDevelopers)).toBe(true);
  });

  it('shows every diagram as a picture', () => {
    const diagrams = globSync('docs/**/*.md', { cwd: root }).map((path) => {
      const count = readFileSync(join(root, path), 'utf8').match(/^```mermaid$/gm)?.length ?? 0;
      return { path: path.replace('docs/', '').replace(/\.md$/, '.html'), count };
    });

    for (const { path, count } of diagrams.filter((diagram) => diagram.count > 0)) {
      const html = readFileSync(join(site, path), 'utf8');
      expect(html.match(/<div class="diagram"[^>]*><svg/g)).toHaveLength(count);
    }
    expect(diagrams.reduce((sum, { count }) => sum + count, 0)).toBeGreaterThan(5);
  });

  it('loads nothing from another host, by what its files say', () => {
    const load =
      /<(?:script|link|img|iframe|source|video|audio|object|embed)\b[^>]*\b(?:src|href|data)="?(?:https?:)?\/\/|\bsrc\s*=\s*["'`](?:https?:)?\/\/|url\(["']?(?:https?:)?\/\/|@import\s+["'](?:https?:)?\/\/|(?:import|fetch)\(["'`]https?:/;
    const loading = globSync('**/*.{html,css,js,svg}', { cwd: site }).filter((path) =>
      load.test(readFileSync(join(site, path), 'utf8')),
    );

    expect(loading).toEqual([]);
  });
});

describePage('the documentation site in a browser without a network', () => {
  let context: BrowserContext;
  let server: Server;
  let page: Page;
  let url: string;
  const elsewhere: string[] = [];
  const complaints: string[] = [];

  beforeAll(async () => {
    server = createServer((request, response) => void serve(request.url ?? '/', response)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    context = await (await openBrowser()).newContext();
    page = await context.newPage();
    page.on('pageerror', (error) => complaints.push(error.message));
    await page.route('**', (route) => {
      if (route.request().url().startsWith(url)) return route.continue();
      elsewhere.push(route.request().url());
      return route.abort();
    });
  });

  afterAll(async () => {
    await context.close();
    server.closeAllConnections();
    server.close();
    expect(elsewhere).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('finds a page by a word, without a server for search', async () => {
    await page.goto(url);
    await page.getByRole('button', { name: 'Search' }).click();
    await page.locator('#localsearch-input').fill('token was refused');
    await page.locator('.results a', { hasText: 'The token was refused' }).first().click();

    await expect.poll(() => page.url()).toContain('/how-to/the-token-was-refused');
    await page.locator('h1', { hasText: 'The token was refused' }).waitFor();
  });

  it('finds pages for users first, then the changelog, then decisions', async () => {
    await page.goto(url);
    await page.getByRole('button', { name: 'Search' }).click();
    await page.locator('#localsearch-input').fill('outbox');
    await page.locator('.results a').first().waitFor();
    const addresses = await page
      .locator('.results a')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href')));
    const weights = addresses.map((address) => searchWeight(address ?? ''));

    expect(new Set(weights).size, addresses.join('\n')).toBe(3);
    expect(weights).toEqual(weights.toSorted((a, b) => b - a));
  });

  it('shows the truth table with its picture', async () => {
    await page.goto(`${url}/explanation/how-rollcall-decides.html`);

    expect(await page.locator('.diagram svg').isVisible()).toBe(true);
    expect(await page.locator('table').nth(1).textContent()).toContain('another sync');
  });
});

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
};

async function serve(address: string, response: ServerResponse): Promise<void> {
  const { pathname } = new URL(address, 'http://localhost');
  const path = join(site, pathname.endsWith('/') ? `${pathname}index.html` : pathname);
  const body = await readFile(path).catch(() => undefined);
  response.writeHead(body === undefined ? 404 : 200, { 'content-type': types[extname(path)] ?? 'text/plain' });
  response.end(body);
}
