import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { anchorOf, listedCodes } from '../../src/core/run/codes/code-list.ts';
import { readPage, renderRunbook } from '../../src/server/http/page.ts';
import { pageRoutes } from '../../src/views/page-routes.ts';
import { noApp, openTestServer } from './open-test-server.ts';

it('every address of the page answers with the same document, which may load only files of this server', async () => {
  const server = await openTestServer(noApp);
  for (const route of pageRoutes) {
    const { status, headers, text } = await server.ask(route.replaceAll(':', 'any-'), { token: null });
    expect(status, route).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|\*|sha256/);
    expect(text).not.toMatch(/<style|<script(?! type="module" crossorigin src="\/assets\/)|\bon\w+=|https?:/);
  }
});

it('files of the page have a hash in their name, are compressed, and are kept by the browser for ever', async () => {
  const server = await openTestServer(noApp);
  const { text } = await server.ask('/', { token: null });
  const files = [...text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path = '']) => path);
  expect(files.length).toBeGreaterThan(1);
  for (const path of files) {
    expect(path).toMatch(/-[\w-]{8}\.(?:js|css)$/);
    const { status, headers } = await server.ask(path, { token: null });
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(headers.get('content-encoding')).toBe('gzip');
    expect(headers.get('vary')).toBe('accept-encoding');
    const plain = await server.ask(path, { token: null, headers: { 'accept-encoding': 'gzip;q=0' } });
    expect(plain.headers.get('content-encoding')).toBeNull();
  }
  const unknown = await server.ask('/assets/index-00000000.js', { token: null });
  expect(unknown).toMatchObject({ status: 404, json: { code: 'NOT_FOUND' } });
});

it('the whole page has at most 200 kB when it is compressed', () => {
  const page = readPage();
  const loaded = [...(page?.files ?? [])].filter(([path]) => /\.(?:js|css|svg)$/.test(path)).map(([, file]) => file);
  const bytes = loaded.reduce((sum, file) => sum + gzipSync(file.bytes, { level: 9 }).length, 0);
  expect(bytes).toBeGreaterThan(20_000);
  expect(bytes).toBeLessThanOrEqual(200_000);
});

it('the runbook has one anchor for each code and rule, and shows commands as code', () => {
  const page = renderRunbook();
  const ids = listedCodes.flatMap(({ code, rules }) => [anchorOf(code), ...rules]);
  for (const id of new Set(ids)) expect(page.split(`id="${id}"`)).toHaveLength(2);
  expect(page).toContain('<code>rollcall approve RUN</code>');
  expect(page).not.toContain('`');
});
