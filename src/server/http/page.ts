import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';

/** The style of pages without a script, for light and dark mode, wide and narrow screens. */
export const pageStyle = `
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
export function htmlPage(title: string, body: string): string {
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
