import { z } from 'zod';
import { ProfileImage } from './people.ts';
import {
  manyResults,
  parameter,
  personText,
  requiredText,
  type Shown,
  shownFlag,
  shownText,
  sometimes,
  TotalPage,
} from './wire.ts';

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
