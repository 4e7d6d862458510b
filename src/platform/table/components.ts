import type { z } from 'zod';
import { GrantErrorBody, PlatformErrorBody } from './errors.ts';
import { Evaluation, EvaluationAnswer, EvaluationListAnswer } from './evaluations.ts';
import {
  Feedback,
  FeedbackAnswer,
  FeedbackDeclinePayload,
  FeedbackListAnswer,
  FeedbackPayload,
  FeedbackRequestPayload,
} from './feedback.ts';
import { Goal, GoalAnswer, GoalListAnswer, GoalPayload, GoalUpdatePayload } from './goals.ts';
import { LeaderLinks, LeaderListAnswer, LeaderRecord } from './leaders.ts';
import { ProfileImage, RatedTopic, UserSummary } from './people.ts';
import { Role, RoleList } from './roles.ts';
import { RevokeAnswer, TokenPair, TokenRequest } from './tokens.ts';
import { UserFileAnswer, UserFileRecord, UserFileUpload } from './user-files.ts';
import {
  CreatedUser,
  UserAnswer,
  UserPayload,
  UserRecord,
  UserSearchAnswer,
  UserUpdateAnswer,
  UserUpdatePayload,
} from './users.ts';
import { CountedPage, EmptyObject, NumberedPage, TotalPage, Unshown } from './wire.ts';

/** The schemas that have their own name in the OpenAPI document. */
export const components: Readonly<Record<string, z.ZodType>> = {
  PlatformErrorBody,
  GrantErrorBody,
  TokenRequest,
  TokenPair,
  RevokeAnswer,
  UserPayload,
  UserUpdatePayload,
  UserRecord,
  UserAnswer,
  UserUpdateAnswer,
  UserSearchAnswer,
  CreatedUser,
  UserFileUpload,
  UserFileRecord,
  UserFileAnswer,
  EmptyObject,
  Role,
  RoleList,
  Unshown,
  LeaderLinks,
  LeaderRecord,
  LeaderListAnswer,
  ProfileImage,
  UserSummary,
  RatedTopic,
  Feedback,
  FeedbackAnswer,
  FeedbackListAnswer,
  FeedbackRequestPayload,
  FeedbackDeclinePayload,
  FeedbackPayload,
  Goal,
  GoalAnswer,
  GoalListAnswer,
  GoalPayload,
  GoalUpdatePayload,
  Evaluation,
  EvaluationAnswer,
  EvaluationListAnswer,
  NumberedPage,
  TotalPage,
  CountedPage,
};
