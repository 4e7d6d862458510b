import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { anchorOf, codeTitles, type ListedCode, listedCodes } from '../../core/run/codes/code-list.ts';
import { onDemand } from '../../core/run/on-demand.ts';
import { pageRoutes } from '../../views/page-routes.ts';

/** The style of pages without a script, for light and dark mode, wide and narrow screens. */
const pageStyle = `
:root { color-scheme: light dark; --ink: light-dark(#1a1d23, #e8eaed); --dim: light-dark(#5b6370, #9aa3af);
  --paper: light-dark(#fff, #101215); --card: light-dark(#f1f3f7, #20242a); --line: light-dark(#e3e6eb, #2a2e35);
  --link: light-dark(#1f54c7, #84a9ff); }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 72rem; padding: 0 1.25rem 3rem; font: 15px/1.5 system-ui, sans-serif; color: var(--ink);
  background: var(--paper); }
header { display: flex; align-items: center; gap: 1rem; padding: .9rem 0; border-bottom: 1px solid var(--line); }
h1 { font-size: 1.15rem; margin: 0; } h2 { font-size: 1rem; margin: 1.75rem 0 .6rem; }
a { color: var(--link); }
code { font: 13px/1.45 ui-monospace, 'DejaVu Sans Mono', monospace; padding: 1px 5px; border-radius: 4px;
  background: var(--card); overflow-wrap: anywhere; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
:target h2 { color: var(--link); }
`;

/** Sends a page with a policy that allows only its own style and script, and calls to this server. */
export function sendPage(page: string, reply: FastifyReply): FastifyReply {
  return reply.type('text/html; charset=utf-8').header('content-security-policy', policyOf(page)).send(page);
}

function policyOf(page: string): string {
  const hashes = (tag: string): string =>
    [...page.matchAll(new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`, 'g'))]
      .map(([, text = '']) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`)
      .join(' ') || "'none'";
  const rules = [`script-src ${hashes('script')}`, `style-src ${hashes('style')}`, "connect-src 'self'"];
  return [...common, ...rules, 'img-src data:', "form-action 'self'"].join('; ');
}

const common = ["default-src 'none'", "base-uri 'none'", "frame-ancestors 'none'"];

/** The policy of answers that are not pages: nothing in them may run or be framed. */
export const plainPolicy = [...common, "form-action 'none'"].join('; ');

/** Returns a whole page of this server. It loads nothing from other servers. `body` is HTML. */
function htmlPage(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${pageStyle}</style>
</head>
<body>
${body}
</body>
</html>
`;
}

/** One file of the built page. */
interface PageFile {
  readonly type: string;
  readonly bytes: Buffer;
  /** Undefined where it is not much smaller. Made when it is first asked for. */
  readonly gzip: Buffer | undefined;
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
    const bytes = readFileSync(join(folder, path));
    const packed = onDemand<Pick<PageFile, 'gzip'>>({
      gzip() {
        const gzip = gzipSync(bytes, { level: 9 });
        return gzip.length < bytes.length * 0.9 ? gzip : undefined;
      },
    });
    files.set(`/${path.replaceAll('\\', '/')}`, Object.assign(packed, { type, bytes }));
  }
  const document = files.get('/index.html');
  files.delete('/index.html');
  return document === undefined ? undefined : { document, files };
}

/** Only its own files, and calls to this server. The browser refuses texts as HTML (trusted types). */
const builtPolicy = [
  plainPolicy,
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
  return sendFile(page.document, request, reply.code(404).header('content-security-policy', builtPolicy));
}

/** Serves the page of the operators. Every route answers with the same document: its script reads the address. */
export function servePage(app: FastifyInstance, page: BuiltPage | undefined): void {
  for (const path of pageRoutes) {
    app.get(path, async (request, reply) => {
      if (page === undefined) return reply.code(503).type('text/plain; charset=utf-8').send(notBuilt);
      return sendFile(page.document, request, reply.header('content-security-policy', builtPolicy));
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

/**
 * Returns the page to which alerts link: one section for each code, with anchors for its rules of Prometheus. It contains no data.
 */
export function renderRunbook(): string {
  const parts = Object.entries(codeTitles).map(([kind, title]) => {
    const sections = listedCodes.filter((one) => one.kind === kind).map(renderSection);
    return `<h2>${title}</h2>\n${sections.join('\n')}`;
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
  const { code, meaning, cause, cure, rules } = listed;
  // A rule of several codes leads to the first of them.
  const own = rules.filter((rule) => listedCodes.find((one) => one.rules.includes(rule)) === listed);
  const anchors = own.map((name) => `<a id="${name}"></a>`).join('');
  const steps = cure.map((step) => `<li>${toHtml(step)}</li>`).join('');
  return `<section id="${anchorOf(code)}">${anchors}<h3>${code}</h3><p>${toHtml(meaning)}</p><p>Cause: ${toHtml(cause)}</p><p>What to do:</p><ul>${steps}</ul></section>`;
}

/** Escapes the text, and shows what is in backquotes as code. */
function toHtml(text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return escaped.replace(/`([^`]*)`/g, '<code>$1</code>');
}
