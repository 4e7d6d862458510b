import { z } from 'zod';
import { identificationProblem } from '../../core/person/identification.ts';
import { compileDateFormat } from '../../core/person/plain-date.ts';
import { normalText } from '../../core/person/text.ts';
import { durationPattern, durationWithin } from '../../core/run/formats.ts';
import { must } from '../../core/run/problem-words.ts';
import { makeSecret } from '../secret.ts';

/** Adds what the reference and editors say of a key: its meaning, and examples of its value. Without one, its default is it. */
export function documented<Schema extends z.ZodType>(
  schema: Schema,
  description: string,
  ...examples: readonly unknown[]
): Schema {
  // `meta` would copy each schema, of which the start of each command makes hundreds. One that two keys share is copied.
  const own = z.globalRegistry.has(schema) ? schema.clone() : schema;
  const hasDefault = schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault;
  const usual = hasDefault ? [schema.def.defaultValue] : [];
  z.globalRegistry.add(own, { description, examples: examples.length === 0 ? usual : [...examples] });
  return own;
}

/** All keys share it. It counts as documented, so that `documented` makes a copy. */
const anyText = z.string().min(1).register(z.globalRegistry, {});

/** Returns the schema for non-empty text. */
export function text(): z.ZodString {
  return anyText;
}

/** Valid names of connections, syncs and tokens. They are used in files, logs and commands. */
export const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;
export const nameSentence = 'must be a name of letters, digits, dots, dashes and underscores, at most 63';

/** Returns a schema for a name that the operator chooses. */
export function name() {
  return z.string().regex(namePattern, { error: must(nameSentence) });
}

/** Returns a schema for a value of the source record: the name of a field, or an expression. */
export function recordValue() {
  return z.union(
    [
      text(),
      z.strictObject({
        expression: documented(text(), 'A JSONata expression over the source record.', "ended ? 'left' : state"),
      }),
    ],
    {
      error: must("must be a source field's name (text) or a mapping with expression"),
    },
  );
}

/** Returns a schema for a whole number within bounds, both included. */
export function wholeNumber(from: number, to: number): z.ZodInt {
  const error = must(`must be a whole number from ${from} to ${to}`);
  return z.int({ error }).check(z.gte(from, { error }), z.lte(to, { error }));
}

/** Returns a schema for `5s`, `30m`, `24h`, `30d`, `250ms` within bounds, both included. The output is milliseconds. */
export function duration(from: string, to: string): z.ZodPipe<z.ZodString, z.ZodTransform<number, string>> {
  const { sentence, read } = durationWithin(from, to);
  const error = must(sentence);
  return z
    .string({ error })
    .regex(durationPattern, { error })
    .transform((value, ctx) => {
      const ms = read(value);
      if (ms === undefined) ctx.addIssue({ code: 'custom', message: sentence });
      return ms ?? Number.NaN;
    });
}

/** Returns a schema for a token or key: one line of visible characters that an HTTP header can carry. */
export function secretText() {
  return z
    .string()
    .min(1)
    .refine((value) => /^[\x21-\x7e]+$/.test(value), {
      error: 'must be one line without blanks or accents; check for characters copied along with it',
    })
    .transform(makeSecret);
}

export function timeZone() {
  return text().refine(isTimeZone, { error: 'must be an IANA time zone such as America/Montevideo or UTC' });
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** Returns a schema for a user's key, NFC and trimmed, as identifications are compared everywhere. */
export function identification() {
  return z
    .string()
    .transform(normalText)
    .superRefine((name, ctx) => {
      const problem = identificationProblem(name);
      if (problem !== undefined) ctx.addIssue({ code: 'custom', message: `${problem}; no user can have it` });
    });
}

/** Returns a schema for a list without duplicates. */
export function uniqueList<Item extends z.ZodType<string | number>>(item: Item) {
  return z.array(item).superRefine((items, ctx) => {
    items.forEach((value, i) => {
      const first = items.indexOf(value);
      if (first < i)
        ctx.addIssue({ code: 'custom', path: [i], message: `is a duplicate; it is first listed as [${first}]` });
    });
  });
}

/** Returns a schema for a date format of the source: what core/plain-date compiles. */
export function dateFormat() {
  const error = must(
    'must be a date format of yyyy, MM and dd, such as dd/MM/yyyy, or epoch-seconds, epoch-ms, sheet-days, filetime or json-date',
  );
  return z.string({ error }).superRefine((pattern, ctx) => {
    try {
      compileDateFormat(pattern);
    } catch (fault) {
      ctx.addIssue({
        code: 'custom',
        message: `is not a date format: ${fault instanceof Error ? fault.message : 'unreadable'}`,
      });
    }
  });
}

/** Returns a schema for a date format in a file: yyyy, MM and dd once each, in any order, and no other letters. */
export function writtenDateFormat() {
  const sentence = 'must contain yyyy, MM and dd once each and no other letters, such as yyyy-MM-dd';
  return z
    .string({ error: must(sentence) })
    .refine((pattern) => (pattern.match(/yyyy|MM|dd|[A-Za-z"\r\n]/g) ?? []).sort().join() === 'MM,dd,yyyy', {
      error: sentence,
    });
}
