import type { JsonObject } from '../../platform/table/index.ts';

/** Returns a sample body with the required members, for a request without an example. `resolve` follows a `$ref`. */
export function sampleBody(schema: JsonObject, resolve: (schema: JsonObject) => JsonObject): JsonObject {
  const { properties = {}, required = [] } = resolve(schema) as {
    properties?: Record<string, JsonObject>;
    required?: readonly string[];
  };
  const entries = Object.entries(properties).filter(([name]) => required.includes(name));
  return Object.fromEntries(entries.map(([name, member]) => [name, firstOf(member)]));
}

function firstOf(member: JsonObject): unknown {
  if (Array.isArray(member.enum)) return member.enum[0];
  if (member.const !== undefined) return member.const;
  if (member.type === 'integer' || member.type === 'number') return 1;
  if (member.type === 'array') return [];
  return '';
}

/** Returns a path parameter that exists in a sandbox with users. */
export function sampleParameter(name: string, operationId: string): string {
  if (name === 'id') return operationId === 'evaluation' ? '5001' : '1';
  if (name === 'customAclCode') return 'ROLE_ADMIN';
  if (name === 'code') return 'GOAL-1';
  return name === 'identification' ? 'E000001' : '1';
}
