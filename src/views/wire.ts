import { z } from 'zod';
import { findCode } from '../core/run/codes/code-list.ts';

/* The API, its events and `--json` have one form of each thing. Instants are ISO 8601 in UTC; unknown values are null. */

/** An instant. In the product it is epoch milliseconds. */
export const instant = z.iso.datetime().brand<'instant'>();
export const count = z.int();
export const amounts = z.record(z.string(), count);

type Instant = z.output<typeof instant>;

/** Accepts one of these, or the text of a state that a newer version on the same store has written. */
export function orNewer<const Known extends readonly string[]>(known: Known) {
  return z.union([z.enum(known), z.string().describe('A state of a newer version on the same store')]);
}

/** What makes a wire form: instants may be numbers, and what is not known may be undefined or absent. */
export type Source<Wire, Ready = Instant | null> = Wire extends Instant
  ? number | Extract<Wire, Ready>
  : Wire extends readonly (infer Item)[]
    ? readonly Source<Item, Ready>[]
    : Wire extends object
      ? SourceObject<Wire, Ready>
      : Wire;

/** What the product has where the wire has `Wire`: numbers for instants, and no null. */
export type Inner<Wire> = Source<Wire, never>;

type SourceObject<Wire extends object, Ready> = string extends keyof Wire
  ? unknown extends Wire[keyof Wire]
    ? object
    : { readonly [name: string]: Source<Wire[keyof Wire], Ready> | undefined }
  : { readonly [Name in keyof Wire as IsKnown<Wire[Name]> extends true ? Name : never]: Source<Wire[Name], Ready> } & {
      readonly [Name in keyof Wire as IsKnown<Wire[Name]> extends true ? never : Name]?:
        | Source<NonNullable<Wire[Name]>, Ready>
        | Extract<null, Ready>
        | undefined;
    };

type IsKnown<Value> = null extends Value ? false : undefined extends Value ? false : true;

/**
 * Returns the function that makes the wire form of something: it copies the properties of the schema and no others, turns
 * instants into text, and what is not known into null. `source` gives what the schema names and the thing has elsewhere.
 */
export function viewOf<Schema extends z.ZodType, Given extends readonly unknown[]>(
  schema: Schema,
  source: (...given: Given) => Source<z.output<Schema>>,
): (...given: Given) => z.output<Schema> {
  const convert = converterOf(schema);
  return (...given) => convert(source(...given)) as z.output<Schema>;
}

/** Returns the function that makes the wire form of something that has every property of the schema. */
export function toWire<Schema extends z.ZodType>(schema: Schema) {
  return viewOf(schema, (value: Source<z.output<Schema>>) => value);
}

/** Marks a part that names people or has values of theirs, also a text that may mention them. */
export function personal<Schema extends z.ZodType>(schema: Schema): Schema {
  return schema.meta({ ...schema.meta(), 'x-personal': true } as z.GlobalMeta) as Schema;
}

/**
 * Returns the function that takes the personal parts out of a wire form. What cannot be null or empty says `(hidden)`, and
 * a finding what its code means.
 */
export function hidingPeople(schema: z.ZodType | undefined): Convert {
  if (schema === undefined) return same;
  const meta = schema.meta() as Readonly<Record<string, unknown>> | undefined;
  if (meta?.['x-personal'] === true) return () => blankOf(schema);
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional) {
    const hide = hidingPeople(schema.unwrap() as z.ZodType);
    return (value) => (value === undefined || value === null ? value : hide(value));
  }
  if (schema instanceof z.ZodArray) {
    const hide = hidingPeople(schema.element as z.ZodType);
    return (value) => (value as readonly unknown[]).map(hide);
  }
  if (!(schema instanceof z.ZodObject)) return same;
  const parts = new Map(Object.entries(schema.shape).map(([name, part]) => [name, hidingPeople(part as z.ZodType)]));
  return (value) => {
    const hidden = Object.fromEntries(
      Object.entries(value as object).map(([name, part]) => [name, (parts.get(name) ?? same)(part)]),
    );
    // A finding whose message names people still says what it is about.
    const { message, code } = hidden as Readonly<Record<string, unknown>>;
    if (message !== blank || typeof code !== 'string') return hidden;
    return { ...hidden, message: findCode(code)?.meaning ?? blank };
  };
}

function blankOf(schema: z.ZodType): unknown {
  if (schema instanceof z.ZodNullable) return null;
  if (schema instanceof z.ZodArray) return [];
  return schema instanceof z.ZodObject || schema instanceof z.ZodRecord ? {} : blank;
}

const blank = '(hidden)';

type Convert = (value: unknown) => unknown;

const same: Convert = (value) => value;

function converterOf(schema: unknown): Convert {
  if (schema instanceof z.ZodNullable) {
    const convert = converterOf(schema.unwrap());
    return (value) => (value === undefined || value === null ? null : convert(value));
  }
  if (schema instanceof z.ZodOptional) {
    const convert = converterOf(schema.unwrap());
    return (value) => (value === undefined || value === null ? undefined : convert(value));
  }
  if (schema instanceof z.ZodISODateTime) {
    return (value) => (typeof value === 'number' ? new Date(value).toISOString() : value);
  }
  if (schema instanceof z.ZodArray) {
    const convert = converterOf(schema.element);
    return (value) => (value as readonly unknown[]).map(convert);
  }
  if (schema instanceof z.ZodRecord) return (value) => withoutUndefined(Object.entries(value as object));
  return schema instanceof z.ZodObject ? objectConverter(schema) : same;
}

function objectConverter(schema: z.ZodObject): Convert {
  const parts = Object.entries(schema.shape).map(([name, part]) => [name, converterOf(part)] as const);
  const isLoose = schema.def.catchall instanceof z.ZodUnknown;
  return (value) => {
    const given = value as Readonly<Record<string, unknown>>;
    const known = withoutUndefined(parts.map(([name, convert]) => [name, convert(given[name])]));
    return isLoose ? { ...given, ...known } : known;
  };
}

function withoutUndefined(entries: readonly (readonly [string, unknown])[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}
