import { z } from 'zod';

/**
 * Building blocks of the wire schemas. Answers are read leniently: unknown fields are accepted, and a field that the
 * contract calls optional may be absent or null.
 */

/**
 * The type of a part of an answer: the fields that the contract names. The answer may hold others, but code that reads
 * them, or has a typo, does not compile.
 */
export type Shown<T> = T extends readonly (infer Item)[]
  ? Shown<Item>[]
  : T extends object
    ? { [Name in keyof T as string extends Name ? (unknown extends T[Name] ? never : Name) : Name]: Shown<T[Name]> }
    : T;

/** Text that may be absent from an answer. */
export const shownText = z.string().nullish();

export const shownNumber = z.number().nullish();

/** An instant that may be absent from an answer, in epoch milliseconds (contract, "Conventions"). */
export const epochTime = z.number();

/** The same, where it may be absent. */
export const shownTime = epochTime.nullish().describe('epoch ms');

/** A word of an answer: those that the contract names, and any other, because it describes and does not promise. */
export function shownWord(...words: readonly string[]) {
  return z
    .string()
    .nullish()
    .describe(`${words.join(' or ')}; other words are read unchanged`);
}

export const shownFlag = z.boolean().nullish();

/** A member of an answer that some answers do not have by the contract, or that a person need not have. */
export function sometimes<T extends z.ZodOptional>(schema: T): z.ZodOptional<T> {
  return schema.optional();
}

/** Text about a person that they need not have. */
export const personText = sometimes(shownText);

/** Returns a schema without what lets the client accept an absent or null member. */
export function unwrapped(schema: z.ZodType): z.ZodType {
  const isWrapped = schema instanceof z.ZodOptional || schema instanceof z.ZodNullable;
  return isWrapped ? unwrapped(schema.unwrap() as z.ZodType) : schema;
}

/**
 * The platform's number for one object (contract: "integer (long)"). A number beyond 2^53 does not fit a double, so
 * it is read as text, digit by digit, and sent back unchanged.
 */
export const longId = z.union([z.number(), z.string()]);
export type LongId = z.infer<typeof longId>;

/** A long id in a request's body: a number on the wire, with any number of digits. Callers may also give it as text. */
export const sentId: z.ZodType<LongId> = z.number().refine(Number.isInteger, 'must be a whole number');

export const shownId = longId.nullish();

/** Text that a request must have; blank text is rejected. */
export const requiredText = z.string().regex(/\S/u, 'must not be blank');

/** Text that a request may omit. Null counts as absent, or as cleared where the operation says so. */
export const optionalText = z.string().nullish();

/** An existing calendar day, `YYYY-MM-DD`. */
export const calendarDate = z.iso.date('must be an existing day of the form YYYY-MM-DD');

export const epochMs = z.int('must be a time in epoch milliseconds, such as 1767225600000');

/** An optional query parameter: its meaning, and the platform's default. */
export function parameter<T extends z.ZodType>(schema: T, description: string, otherwise?: string | number | boolean) {
  return schema.optional().meta({ description, ...(otherwise === undefined ? {} : { default: otherwise }) });
}

/** Single-resource envelope (contract, "Conventions"). */
export function oneResult<T extends z.ZodType>(result: T) {
  return z.looseObject({ result });
}

/** List envelope (contract, "Conventions"); the members of `page` differ by endpoint. */
export function manyResults<T extends z.ZodType, P extends z.ZodType>(item: T, page: P) {
  return z.looseObject({ result: z.array(item), page });
}

/** `page` of the feedback and evaluation lists. */
export const NumberedPage = z.looseObject({
  number: z.number(),
  size: z.number(),
  totalElements: z.number(),
  totalPages: z.number(),
  numberOfElements: z.number(),
});
export type NumberedPage = Shown<z.infer<typeof NumberedPage>>;

/** `page` of the user search and the leaders list. */
export const TotalPage = z.looseObject({ totalElements: z.number() });
export type TotalPage = Shown<z.infer<typeof TotalPage>>;

/** `page` of the goals list: the number of items on this page; there is no total. */
export const CountedPage = z.looseObject({ numberElements: z.number() });
export type CountedPage = Shown<z.infer<typeof CountedPage>>;

/** An answer whose shape the contract does not show. */
export const Unshown = z.unknown();

/** An answer that is an object without fields. */
export const EmptyObject = z.looseObject({});

/** Error body of every endpoint except the token refresh (contract, "Errors"). */
export const PlatformErrorBody = z.looseObject({
  timestamp: shownText,
  message: shownText,
  details: shownText,
  type: shownText.describe('uri=<request path>'),
  title: shownText,
  detail: shownText,
});
export type PlatformErrorBody = Shown<z.infer<typeof PlatformErrorBody>>;

/** Error body of the token refresh (contract, "Errors"; RFC 6749 section 5.2). */
export const GrantErrorBody = z.looseObject({
  error: z.string().describe('invalid_grant for an expired, revoked, unknown or already used refresh token'),
  error_description: shownText,
});
export type GrantErrorBody = Shown<z.infer<typeof GrantErrorBody>>;
