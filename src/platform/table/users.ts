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
  shownFlag,
  shownId,
  shownNumber,
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

/** Parts that feedback, evaluations and leaders share. */

export const ProfileImage = z.looseObject({ code: shownText, baseUrl: shownText, suggestedUrl: shownText });
export type ProfileImage = Shown<z.infer<typeof ProfileImage>>;

/** Contract, "User summary". */
export const UserSummary = z.looseObject({
  id: shownId,
  identification: z.string(),
  firstName: shownText,
  lastName: shownText,
  project: personText,
  job: personText,
  area: personText,
  account: personText,
  office: personText,
  profileImage: sometimes(ProfileImage.nullish()),
  enabled: shownFlag,
});
export type UserSummary = Shown<z.infer<typeof UserSummary>>;

const Topic = z.looseObject({
  id: shownId,
  name: shownText,
  description: shownText,
  active: shownFlag,
  skill: shownFlag,
});

/** Contract, "Rated topic and topic": `imageCode` in feedback, `ratedTopicImage` in evaluations. */
export const RatedTopic = z.looseObject({
  id: shownId,
  name: shownText,
  description: shownText,
  ordinality: shownNumber,
  value: shownNumber,
  imageCode: sometimes(shownText),
  ratedTopicImage: sometimes(
    z.looseObject({ imageCode: shownText, baseUrl: shownText, suggestedUrl: shownText }).nullish(),
  ),
  color: shownText.describe('#rrggbb'),
  topics: z.array(Topic).nullish(),
});
export type RatedTopic = Shown<z.infer<typeof RatedTopic>>;

/** Contract, "Leader record". */
export const LeaderRecord = z.looseObject({
  identification: z.string(),
  firstName: shownText,
  lastName: shownText,
  project: personText,
  job: personText,
  account: personText,
  office: personText,
  seniority: personText,
  profileImage: sometimes(ProfileImage.nullish()),
  asMain: shownFlag,
  asSecondary: shownFlag,
});
export type LeaderRecord = Shown<z.infer<typeof LeaderRecord>>;

export const LeaderListAnswer = manyResults(LeaderRecord, TotalPage);

/** Parameters of GET leaders; `pageNumber` starts at 1. */
export const LeaderListQuery = z.object({
  pageNumber: parameter(z.int().min(1), 'number of the page, from 1', 1),
  pageSize: parameter(z.int().min(1), 'leaders per page', 10),
});
export type LeaderListQuery = z.infer<typeof LeaderListQuery>;

/** Body of adding and of removing relationships; null or absent means that nothing of that kind is set or removed. */
export const LeaderLinks = z.object({
  collaboratorIdentification: requiredText,
  mainLeaderIdentification: z.string().nullish(),
  secondaryLeadersIdentifications: z.array(z.string()).nullish(),
});
export type LeaderLinks = z.infer<typeof LeaderLinks>;
