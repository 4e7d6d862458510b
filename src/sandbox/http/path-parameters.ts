import type { FastifyRequest } from 'fastify';
import { Refusal } from '../call.ts';

/**
 * Returns path parameters by the template's names, each percent-decoded exactly once. The router decodes the whole path,
 * and an identification may contain `%2F` or `%25`.
 */
export function readPathParameters(template: string, path: string): Record<string, string> {
  const segments = path.split('/');
  const parameters: Record<string, string> = {};
  for (const [i, part] of template.split('/').entries()) {
    const name = /^\{(?<name>.+)\}$/.exec(part)?.groups?.name;
    if (name !== undefined) parameters[name] = decode(segments[i] ?? '');
  }
  return parameters;
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new Refusal(400, 'Bad Request', 'The path is not percent-encoded UTF-8');
  }
}

/** Returns whether a path parameter is empty: the router accepts `users/` for `users/{identification}`, the contract does not. */
export function hasEmptySegment(template: string, path: string): boolean {
  const segments = path.split('/');
  return template.split('/').some((part, i) => part !== '' && segments[i] === '');
}

/** Returns the path of a request as sent, without its query. */
export function pathOf(request: FastifyRequest): string {
  return request.raw.url?.split('?')[0] ?? '';
}
