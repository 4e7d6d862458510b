import { asBoolean, asText, notHandled, numeric } from './simple-values.ts';

export interface SimpleFunction {
  /** Supported argument counts. With fewer arguments, JSONata uses the context. */
  readonly arity: readonly number[];
  /** Returns exactly JSONata's result, or throws `notHandled`. */
  call(first: unknown, second: unknown, third: unknown): unknown;
}

/** JSONata's built-in functions that are compiled, with the same results. */
export const simpleFunctions: Readonly<Record<string, SimpleFunction>> = {
  trim: ofText((text) => text.replace(/[ \t\n\r]+/g, ' ').replace(/^ | $/g, '')),
  lowercase: ofText((text) => text.toLowerCase()),
  uppercase: ofText((text) => text.toUpperCase()),
  length: ofText((text) => Array.from(text).length),
  substring: {
    arity: [2, 3],
    call: (text, start, length) =>
      text === undefined ? isNotHandled() : substring(textOf(text), numeric(start), length),
  },
  substringBefore: ofTwoTexts((text, mark) => (text.includes(mark) ? text.slice(0, text.indexOf(mark)) : text)),
  substringAfter: ofTwoTexts((text, mark) =>
    text.includes(mark) ? text.slice(text.indexOf(mark) + mark.length) : text,
  ),
  contains: ofTwoTexts((text, part) => text.includes(part)),
  string: { arity: [1], call: (value) => (value === undefined ? undefined : asText(value)) },
  number: { arity: [1], call: toNumber },
  boolean: { arity: [1], call: (value) => (value === undefined ? undefined : asBoolean(value)) },
  not: { arity: [1], call: (value) => (value === undefined ? undefined : !asBoolean(value)) },
  exists: { arity: [1], call: (value) => value !== undefined },
};

function ofText(change: (text: string) => unknown): SimpleFunction {
  return { arity: [1], call: (value) => (value === undefined ? undefined : change(textOf(value))) };
}

function ofTwoTexts(join: (first: string, second: string) => unknown): SimpleFunction {
  return { arity: [2], call: (first, second) => join(textOf(first), textOf(second)) };
}

/** Counts characters, not UTF-16 units. A negative start counts from the end. */
function substring(text: string, start: number, length: unknown): string {
  const characters = Array.from(text);
  const from = characters.length + start < 0 ? 0 : start;
  if (length === undefined) return characters.slice(from).join('');
  const wanted = numeric(length);
  if (wanted <= 0) return '';
  const end = from >= 0 ? from + wanted : characters.length + from + wanted;
  return characters.slice(from, end).join('');
}

const decimal = /^-?[0-9]+(\.[0-9]+)?([Ee][-+]?[0-9]+)?$/;

function toNumber(value: unknown): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value === 'string') return decimal.test(value) ? numeric(Number.parseFloat(value)) : isNotHandled();
  return numeric(value);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : isNotHandled();
}

function isNotHandled(): never {
  throw notHandled;
}
