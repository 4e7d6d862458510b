import type { FastifyRequest } from 'fastify';

/**
 * The parts of a multipart form by name: files as bytes, fields as text; a name that comes twice keeps the last.
 * Undefined for a body that cannot be read as such: the operation decides what that means.
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
