import type { FastifyRequest } from 'fastify';

/**
 * Returns the parts of a multipart form by name: files as bytes, fields as text; the last part of a name wins. Returns
 * undefined for an unreadable body, which the operation judges.
 */
export async function readParts(request: FastifyRequest): Promise<Record<string, unknown> | undefined> {
  const parts: Record<string, unknown> = {};
  try {
    for await (const part of request.parts()) {
      parts[part.fieldname] = part.type === 'file' ? await part.toBuffer() : part.value;
    }
    return parts;
  } catch {
    return undefined;
  }
}
