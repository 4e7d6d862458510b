import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';

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
