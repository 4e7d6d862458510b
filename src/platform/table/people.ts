import { z } from 'zod';
import { personText, type Shown, shownFlag, shownId, shownNumber, shownText, sometimes } from './wire.ts';

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
