import { isMapping } from '../run/given.ts';

/** How a sender proves that a message is its own, and where the message names people. */
export interface WebhookWay {
  /** The header with the proof, in lower case. */
  readonly header: string;
  /** HMAC with this hash. `token`: the proof is the secret itself, so that it covers neither the body nor a time. */
  readonly algorithm: 'sha256' | 'sha512' | 'token';
  readonly encoding: 'hex' | 'base64';
  /** What stands before the proof in its header. */
  readonly prefix: string;
  /** What is signed: text with `{body}`, `{sync}`, and `{name}` of the header with the time of sending, if one is signed. */
  readonly signs: string;
  /** Where the ids of people are. A list on the way stands for each of its entries. */
  readonly people: readonly string[];
  /** The field of the source with these ids. Absent: they are identifications. */
  readonly field?: string;
  /** The body of a message that only tests the address. It may come unsigned, and starts nothing. */
  readonly ping?: RegExp;
}

export const webhookKinds = ['rollcall', 'personio', 'hibob', 'bamboohr', 'workday', 'gusto'] as const;
export type WebhookKind = (typeof webhookKinds)[number];

const hmacOfBody = { algorithm: 'sha256', encoding: 'hex', prefix: '', signs: '{body}' } as const;
const bearer = { ...hmacOfBody, header: 'authorization', algorithm: 'token', prefix: 'Bearer ' } as const;

/** The sources of each row: docs/sync-at-once.md. */
export const webhookWays: Readonly<Record<WebhookKind, WebhookWay>> = {
  // The name of the sync keeps a signature from counting for another sync with the same secret.
  rollcall: {
    ...hmacOfBody,
    header: 'x-rollcall-signature',
    prefix: 'sha256=',
    signs: '{x-rollcall-timestamp}.{sync}.{body}',
    people: ['identifications'],
  },
  personio: { ...bearer, people: ['payload.person.id', 'payload.employment.person.id'], field: 'id' },
  hibob: {
    ...hmacOfBody,
    header: 'bob-signature',
    algorithm: 'sha512',
    encoding: 'base64',
    people: ['data.employeeId', 'employee.id'],
    field: 'root.id',
    ping: /^\s*\{\s*"text"\s*:\s*"Ping test"\s*\}\s*$/,
  },
  bamboohr: {
    ...hmacOfBody,
    header: 'x-bamboohr-signature',
    signs: '{body}{x-bamboohr-timestamp}',
    people: ['data.employeeId', 'employees.id'],
    field: 'employeeId',
  },
  workday: { ...bearer, people: ['Employee_ID', 'workers.Employee_ID'], field: 'Employee_ID' },
  gusto: {
    ...hmacOfBody,
    header: 'x-gusto-signature',
    people: ['entity_uuid'],
    field: 'uuid',
    ping: /^\s*\{\s*"verification_token"\s*:[^{}]*\}\s*$/,
  },
};

/** Returns the header with the time of sending, if it is signed. Without it, an equal message may be a new one. */
export function timeHeader({ signs }: Pick<WebhookWay, 'signs'>): string | undefined {
  return /\{(?!body|sync)([\w-]+)\}/.exec(signs)?.[1];
}

/** Returns the ids at these places of a message, each once. Text and whole numbers are ids; anything else is none. */
export function idsIn(message: unknown, places: readonly string[]): readonly string[] {
  const found = places.flatMap((place) => place.split('.').reduce(stepInto, [message]));
  const ids = found.filter((value) => (typeof value === 'string' && value !== '') || Number.isSafeInteger(value));
  return [...new Set(ids.map(String))];
}

function stepInto(values: readonly unknown[], step: string): readonly unknown[] {
  return values.flatMap((value) => (isMapping(value) && Object.hasOwn(value, step) ? [value[step]].flat() : []));
}
