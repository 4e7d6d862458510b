import type { JsonObject } from '../../platform/schema/index.ts';

/** Names of the first synthetic users, and other values that the sandbox accepts. */
const samples: Readonly<Record<string, unknown>> = {
  identification: 'E000001',
  sender: 'E000001',
  recipient: 'E000002',
  assignedTo: 'E000001',
  collaboratorIdentification: 'E000001',
  mainLeaderIdentification: 'E000002',
  secondaryLeadersIdentifications: [],
  userId: '1001',
  firstName: 'Ana',
  lastName: 'Núñez',
  email: 'ana.nunez@example.com',
  declineReasonId: 1,
  locale: 'en',
  code: 'GOAL-1',
  title: 'Ship it',
  weighting: 1,
  comment: 'How did it go?',
  grant_type: 'refresh_token',
  fileName: 'people.csv',
  file: 'command,identification,firstName,lastName\nU,E000001,Ana,Núñez\n',
};

/** Returns a sample body with the required members and those that have a sample. `resolve` follows a `$ref`. */
export function sampleBody(schema: JsonObject, resolve: (schema: JsonObject) => JsonObject): JsonObject {
  const { properties = {}, required = [] } = resolve(schema) as {
    properties?: Record<string, JsonObject>;
    required?: readonly string[];
  };
  const entries = Object.entries(properties)
    .filter(([name]) => required.includes(name) || /Leader|email/.test(name))
    .map(([name, member]) => [name, samples[name] ?? firstOf(member)]);
  return Object.fromEntries(entries);
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
