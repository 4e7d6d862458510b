import { z } from 'zod';
import {
  manyResults,
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
