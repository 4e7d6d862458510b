import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { operations } from '../../src/platform/table/index.ts';
import { type RunningSandbox, startSandbox } from '../../src/sandbox/index.ts';
import { describePage, openBrowser } from '../support/browser-page.ts';

describePage("the sandbox's page of the API in a browser without a network", () => {
  let context: BrowserContext;
  let sandbox: RunningSandbox;
  let page: Page;
  const elsewhere: string[] = [];
  const complaints: string[] = [];

  beforeAll(async () => {
    sandbox = await startSandbox({ now: () => Date.UTC(2026, 4, 20), users: 5, hasGrowth: true });
    context = await (await openBrowser()).newContext();
    page = await context.newPage();
    page.on('console', (message) => {
      // The browser itself notes every answer above 399; refusals are asked for below.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) {
        complaints.push(message.text());
      }
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    await page.route('**', (route) => {
      const url = route.request().url();
      if (url.startsWith(sandbox.url)) return route.continue();
      elsewhere.push(url);
      return route.abort();
    });
    await page.goto(`${sandbox.url}/docs`);
  });

  afterAll(async () => {
    await context.close();
    await sandbox.close();
    expect(elsewhere).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('lists every operation, and every link of it leads somewhere', async () => {
    expect(await page.locator('article').count()).toBe(operations.length);
    const targets = await page.evaluate<string[]>('[...document.querySelectorAll(`a[href^="#"]`)].map((a) => a.hash)');
    const dead = await Promise.all(
      [...new Set(targets)].map(async (target) => ((await page.locator(target).count()) === 1 ? [] : [target])),
    );
    expect(dead.flat()).toEqual([]);
  });

  it('has the reads of each part first, and the calls that end its own tokens last', async () => {
    const methods = await page.locator('article h3 .method').allTextContents();
    const ids = await page.locator('article').evaluateAll((articles) => articles.map(({ id }) => id));
    expect(methods.slice(0, 2)).toEqual(['GET', 'GET']);
    expect(ids.slice(-2).toSorted()).toEqual(['revoke', 'token']);
    expect(ids.indexOf('delete')).toBeGreaterThan(ids.indexOf('update'));
  });

  it.each([
    ['search', '200', '"totalElements": 5'],
    ['read', '200', '"identification": "E000001"'],
    ['create', '201', '"userId"'],
    ['update', '202', '"result"'],
    ['feedbacks', '200', '"totalElements": 5'],
    ['create-goal', '201', 'no body'],
    ['goal', '200', '"code": "GOAL-1"'],
    ['delete-goal', '204', 'no body'],
    ['evaluation', '200', '"ratedTopics"'],
    ['token', '200', '"access_token"'],
    ['upload', '200', '"fileStatus": "Processing"'],
  ])('tries %s', async (id, status, text) => {
    const form = page.locator(`article#${id} form`);
    await form.getByRole('button', { name: 'Try it' }).click();
    await form.locator('output .status').waitFor();
    expect(await form.locator('output').textContent()).toContain(`${status}`);
    expect(await form.locator('output').textContent()).toContain(text);
  });

  it('sends what is typed, encoded, and shows a refusal', async () => {
    const form = page.locator('article#read form');
    await form.locator('input[name=identification]').fill('nobody/ü');
    await form.getByRole('button', { name: 'Try it' }).click();
    await form.locator('output .s4').waitFor();
    expect(await form.locator('output .call').textContent()).toContain('/users/nobody%2F%C3%BC');
    expect(await form.locator('output .status').textContent()).toBe('400');
  });

  it.each([
    { width: 1280, height: 800 },
    { width: 390, height: 800 },
  ])('fits a window of $width pixels', async (size) => {
    await page.setViewportSize(size);
    const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
    expect(overflow).toBeLessThanOrEqual(0);
  });
});
