import { RollcallError } from '../core/run/errors.ts';
import { defaultQuirks, type SandboxQuirks } from './quirks.ts';

type QuirkValue = SandboxQuirks[keyof SandboxQuirks];

/** Lists every quirk with its default, as text that `parseQuirk` reads. */
export function listQuirks(): readonly { readonly name: string; readonly value: string }[] {
  return Object.entries(defaultQuirks).map(([name, value]) => ({ name, value: quirkText(value) }));
}

function quirkText(value: QuirkValue): string {
  if (Array.isArray(value)) return value.join(',');
  if (typeof value !== 'object') return String(value);
  return Object.entries(value)
    .map((pair) => pair.join(':'))
    .join(',');
}

/** Reads `name=value`. The default of the quirk decides the type of the value. Throws `USAGE`. */
export function parseQuirk(text: string): [string, unknown] {
  const [name = '', ...rest] = text.split('=');
  if (!Object.hasOwn(defaultQuirks, name) || rest.length === 0) {
    const known = Object.keys(defaultQuirks).join(', ');
    throw refusal(text, `it must be name=value, with a name of: ${known}`);
  }
  return [name, readValue(text, rest.join('='), defaultQuirks[name as keyof SandboxQuirks])];
}

function readValue(text: string, value: string, like: QuirkValue): unknown {
  const check = (isFit: boolean, what: string): void => {
    if (!isFit) throw refusal(text, `its value must be ${what}`);
  };
  const isNumber = (part: string): boolean => /^\d+$/.test(part);
  const parts = value === '' ? [] : value.split(',');
  if (typeof like === 'boolean') {
    check(value === 'true' || value === 'false', 'true or false');
    return value === 'true';
  }
  if (typeof like === 'number') {
    check(isNumber(value), 'a whole number');
    return Number(value);
  }
  if (Array.isArray(like)) {
    if (like.every((part) => typeof part === 'string')) return parts;
    check(parts.every(isNumber), 'whole numbers, separated by commas');
    return parts.map(Number);
  }
  if (typeof like !== 'object') return value;
  const pairs = parts.map((pair) => pair.split(':'));
  check(
    pairs.every(({ length }) => length === 2),
    'pairs a:b, separated by commas',
  );
  return Object.fromEntries(pairs);
}

function refusal(text: string, why: string): RollcallError {
  return new RollcallError(`the quirk "${text}" cannot be used: ${why}`, { code: 'USAGE' });
}
