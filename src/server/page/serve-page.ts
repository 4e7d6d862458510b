import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { anchorOf, type CodeKind, type ListedCode, listedCodes } from '../../core/run/codes/code-list.ts';
import { pageRoutes } from '../../views/page-routes.ts';
import { htmlPage } from '../http/page.ts';

/** One file of the built page. */
interface PageFile {
  readonly type: string;
  readonly bytes: Buffer;
  /** Present where it is much smaller. */
  readonly gzip?: Buffer;
}

/** The built page: its files by their path below the root of the server, such as `/assets/index-1a2b.js`. */
interface BuiltPage {
  readonly document: PageFile;
  readonly files: ReadonlyMap<string, PageFile>;
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.md': 'text/markdown; charset=utf-8',
};

/** Beside the compiled program, or in `dist` of the project when it runs from its sources. */
const folders = [join(import.meta.dirname, '../../../web'), join(import.meta.dirname, '../../../dist/web')];

/** Reads the built page into memory; it is small. Returns undefined when it was never built. */
export function readPage(): BuiltPage | undefined {
  const folder = folders.find((one) => existsSync(join(one, 'index.html')));
  if (folder === undefined) return undefined;
  const files = new Map<string, PageFile>();
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const type = types[extname(path)];
    if (type === undefined) continue;
    files.set(`/${path.replaceAll('\\', '/')}`, fileOf(type, readFileSync(join(folder, path))));
  }
  const document = files.get('/index.html');
  files.delete('/index.html');
  return document === undefined ? undefined : { document, files };
}

function fileOf(type: string, bytes: Buffer): PageFile {
  const gzip = gzipSync(bytes, { level: 9 });
  return gzip.length < bytes.length * 0.9 ? { type, bytes, gzip } : { type, bytes };
}

/** Only its own files, and calls to this server. The browser refuses texts as HTML (trusted types). */
const policy = [
  "default-src 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "form-action 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const notBuilt = 'The page is not built. Run: npm run web:build. Then restart this process. The API works: see /docs\n';

/**
 * Returns what answers an address that leads nowhere: the page, which says so and links to the overview, for a browser that asks
 * for a document; false for all others.
 */
export function answerUnknown(
  page: BuiltPage | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply | false {
  const { method, url, headers } = request;
  const isDocument = method === 'GET' && headers.accept?.includes('text/html') === true && !url.startsWith('/api/');
  if (page === undefined || !isDocument) return false;
  return sendFile(page.document, request, reply.code(404).header('content-security-policy', policy));
}

/** Serves the page of the operators. Every route answers with the same document: its script reads the address. */
export function servePage(app: FastifyInstance, page: BuiltPage | undefined): void {
  for (const path of pageRoutes) {
    app.get(path, async (request, reply) => {
      if (page === undefined) return reply.code(503).type('text/plain; charset=utf-8').send(notBuilt);
      return sendFile(page.document, request, reply.header('content-security-policy', policy));
    });
  }
  for (const [path, file] of page?.files ?? []) {
    app.get(path, async (request, reply) => {
      // A file with a hash in its name never changes.
      const isHashed = path.startsWith('/assets/');
      reply.header('cache-control', isHashed ? 'public, max-age=31536000, immutable' : 'public, max-age=3600');
      return sendFile(file, request, reply);
    });
  }
}

function sendFile({ type, bytes, gzip }: PageFile, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.type(type);
  if (gzip === undefined) return reply.send(bytes);
  reply.header('vary', 'accept-encoding');
  const accepted = request.headers['accept-encoding'];
  if (typeof accepted !== 'string' || !/\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/.test(accepted)) {
    return reply.send(bytes);
  }
  return reply.header('content-encoding', 'gzip').send(gzip);
}

const titles: Readonly<Record<CodeKind, string>> = {
  alert: 'Alerts',
  finding: 'Findings',
  rule: 'Decisions',
  error: 'Errors',
  api: 'Refused requests',
};

/**
 * Returns the page to which alerts link: one section for each code, with anchors for its topic and its rules of
 * Prometheus. It contains no data.
 */
export function renderRunbook(): string {
  const parts = (Object.keys(titles) as CodeKind[]).map((kind) => {
    const sections = listedCodes.filter((one) => one.kind === kind).map(renderSection);
    return `<h2>${titles[kind]}</h2>\n${sections.join('\n')}`;
  });
  return htmlPage(
    'Rollcall: what to do',
    `<header><h1>What to do</h1><a href="/">Overview</a></header>
<main>
<p>No alert is urgent for the data. The next run continues where the last one stopped, and no change is sent twice.</p>
${parts.join('\n')}
</main>`,
  );
}

function renderSection(listed: ListedCode): string {
  const { code, meaning, cause, cure, rules, topic } = listed;
  // Notices of earlier releases link to the topic, which is the anchor of its first code unless a code has that name.
  const isFirst =
    topic !== undefined &&
    listedCodes.find((one) => one.topic === topic) === listed &&
    !listedCodes.some(({ code: other }) => other === topic);
  const names = [...(isFirst ? [topic] : []), ...rules.filter((rule) => isFirstOf(rule, listed))];
  const anchors = names.map((name) => `<a id="${name}"></a>`).join('');
  return `<section id="${anchorOf(code)}">${anchors}<h3>${code}</h3><p>${toHtml(meaning)}</p><p>Cause: ${toHtml(cause)}</p><p>What to do:</p><ul>${items(cure)}</ul></section>`;
}

function isFirstOf(rule: string, listed: ListedCode): boolean {
  return listedCodes.find(({ rules }) => rules.includes(rule)) === listed;
}

function items(texts: readonly string[]): string {
  return texts.map((text) => `<li>${toHtml(text)}</li>`).join('');
}

/** Escapes the text, and shows what is in backquotes as code. */
function toHtml(text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return escaped.replace(/`([^`]*)`/g, '<code>$1</code>');
}
