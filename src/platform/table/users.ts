import { z } from 'zod';
import {
  calendarDate,
  longId,
  manyResults,
  oneResult,
  optionalText,
  parameter,
  personText,
  requiredText,
  type Shown,
  shownText,
  sometimes,
  TotalPage,
} from './wire.ts';

const clearable = <T extends z.ZodType>(schema: T) => z.union([schema, z.literal(''), z.null()]).optional();

const writable = {
  identification: requiredText,
  firstName: requiredText,
  lastName: requiredText,
  email: optionalText,
  birthDate: clearable(calendarDate),
  orgEntryDate: clearable(calendarDate),
  area: optionalText,
  account: optionalText,
  job: optionalText,
  phoneNumber: optionalText,
  project: optionalText,
  seniority: optionalText,
  customFields: z.record(z.string(), z.string().nullable()).nullish().describe('customField<N> to text'),
};

/** Body of POST users (contract, "User write payload"). */
export const UserPayload = z.object(writable);
export type UserPayload = z.infer<typeof UserPayload>;

/** Body of PUT users: the payload with the user's `userId`. */
export const UserUpdatePayload = z.object({ ...writable, userId: requiredText });
export type UserUpdatePayload = z.infer<typeof UserUpdatePayload>;

export const CreatedUser = z.looseObject({ userId: z.string() });
export type CreatedUser = Shown<z.infer<typeof CreatedUser>>;

/** A user as read and search show it (contract, "User record"). `job`, `phoneNumber` and `seniority` are never shown. */
export const UserRecord = z.looseObject({
  id: longId,
  locale: shownText,
  office: z.looseObject({ name: sometimes(shownText) }).nullish(),
  firstName: shownText,
  lastName: shownText,
  email: personText,
  profileImageId: shownText,
  profileImageCode: shownText,
  enabled: z.boolean(),
  area: personText,
  account: personText,
  project: personText,
  birthDate: personText,
  orgEntryDate: sometimes(shownText.describe('A month-name date with a 12-hour time: Jan 5, 2021 12:00:00 AM')),
  organizationName: sometimes(shownText.describe('In search results only')),
  identification: z.string(),
  customFields: z.record(z.string(), z.string().nullable()).nullish(),
  externalId: shownText,
  uid: shownText,
  loginId: shownText,
  createdDate: shownText,
  lastUpdate: shownText.describe('YYYY-MM-DDThh:mm:ss, zone not shown'),
});
export type UserRecord = Shown<z.infer<typeof UserRecord>>;

export const UserAnswer = oneResult(UserRecord);

/** The payload as it was sent: what it left out is not in the answer. */
const asSent = Object.fromEntries(
  Object.entries<z.ZodType>(UserUpdatePayload.shape).map(([name, member]) => [
    name,
    member instanceof z.ZodOptional ? sometimes(member) : member,
  ]),
) as typeof UserUpdatePayload.shape;
/** The answer's `result` of PUT users: what the platform accepted. */
export const UpdatedUser = z.looseObject(asSent);
export type UpdatedUser = Shown<z.infer<typeof UpdatedUser>>;

export const UserUpdateAnswer = oneResult(UpdatedUser);
export const UserSearchAnswer = manyResults(UserRecord, TotalPage);
export type UserSearchAnswer = z.infer<typeof UserSearchAnswer>;

export const userSortKeys = ['firstName', 'lastname', 'id', 'email'] as const;
export type UserSortKey = (typeof userSortKeys)[number];

/** Parameters of GET users; whether they travel in the query or the body is not shown. */
export const UserSearchQuery = z.object({
  searchString: parameter(z.string(), 'matches name, identification or email'),
  enabled: parameter(z.boolean(), 'false finds enabled and disabled users, true only enabled ones', true),
  page: parameter(z.int().min(0), 'number of the page, from 0', 0),
  size: parameter(z.int().min(1), 'users per page', 10),
  orderBy: parameter(z.enum(userSortKeys), 'field to sort by', 'firstName'),
  direction: parameter(z.enum(['ASC', 'DESC']), 'direction of the order'),
});
export type UserSearchQuery = z.infer<typeof UserSearchQuery>;

export const UserDeleteQuery = z.object({
  blacklist: parameter(z.boolean(), 'whether the user is blacklisted', false),
});
