/**
 * An example of each request and answer of the table of operations, by the name of its schema. A test holds each against
 * its schema. The people are not real ones.
 */
const image = {
  code: 'avatar-2',
  baseUrl: 'https://images.example.com/',
  suggestedUrl: 'https://images.example.com/avatar-2.png',
};
const ana = {
  id: 1001,
  identification: 'E000001',
  firstName: 'Ana',
  lastName: 'Núñez',
  job: 'Analyst',
  area: 'Finance',
  office: 'Montevideo',
  profileImage: image,
  enabled: true,
};
const yago = { ...ana, id: 1002, identification: 'E000002', firstName: 'Yago', lastName: 'Pérez', job: 'Developer' };
const topic = {
  id: 1,
  name: 'Collaboration',
  description: 'Works well with others',
  ordinality: 1,
  value: 4,
  color: '#2d7dd2',
  topics: [{ id: 10, name: 'Listening', description: 'Listens', active: true, skill: false }],
};
const pageOfOne = { number: 0, size: 10, totalElements: 1, totalPages: 1, numberOfElements: 1 };

const write = {
  identification: 'NEW-1',
  firstName: 'Ana',
  lastName: 'Núñez',
  email: 'ana.nunez@example.com',
  birthDate: '1990-05-17',
  orgEntryDate: '2026-02-01',
  area: 'Finance',
  job: 'Analyst',
  customFields: { customField1: 'CC-100' },
};
const changed = { userId: '1001', ...write, identification: 'E000001' };
const user = {
  id: 1001,
  locale: 'en',
  office: { name: 'Montevideo' },
  firstName: 'Ana',
  lastName: 'Núñez',
  email: 'ana.nunez@example.com',
  profileImageId: '1001',
  profileImageCode: 'avatar-2',
  enabled: true,
  area: 'Finance',
  birthDate: '1990-05-17',
  orgEntryDate: 'Feb 1, 2026 12:00:00 AM',
  identification: 'E000001',
  customFields: { customField1: 'CC-100' },
  externalId: 'E000001',
  uid: 'uid-1001',
  loginId: 'ana.nunez@example.com',
  createdDate: '2026-01-15T12:00:00',
  lastUpdate: '2026-01-15T12:00:00',
};
const role = {
  id: 1,
  name: 'ROLE_ADMIN',
  enabled: true,
  users: 2,
  nameTranslations: [{ id: 100, languageCode: 'en', value: 'Administrator' }],
  descriptionTranslations: [],
  permissions: [{ id: 10, name: 'PERMISSION_OS:USERS:WRITE' }],
};
const feedback = {
  id: 1,
  sender: ana,
  recipient: yago,
  ratedTopics: [{ ...topic, imageCode: 'collaboration' }],
  totalMessages: 1,
  creationTime: 1_768_478_400_000,
  community: { id: 1, name: 'Sandbox' },
  comment: 'Thank you for your help.',
};
const period = { name: '2026', description: 'Year 2026', startDate: '2026-01-01', endDate: '2026-12-31' };
const listedGoal = {
  code: 'GOAL-1',
  title: 'Onboard every new colleague in a week',
  type: 'TEAM',
  status: 'OPENED',
  weighting: 2,
  assignment: 'SHARED',
  startDate: '2026-01-01',
  endDate: '2026-12-31',
  assignedTo: 'E000001',
  creationDate: '2026-01-15T12:00:00.000Z',
  period,
  scales: [{ name: 'Percent', description: 'Share done', details: '', min: 0, max: 100 }],
};
const goal = { ...listedGoal, description: 'An account, a desk and a first task on the first day.', progress: 0 };
const goalWrite = {
  title: 'Halve the open defects',
  description: 'Counted each quarter.',
  weighting: 1.5,
  locale: 'en',
};
const evaluation = {
  id: 5001,
  creationTime: 1_768_478_400_000,
  updateTime: 1_768_500_000_000,
  submissionTime: 1_768_521_600_000,
  dateTimeFrom: 1_767_225_600_000,
  dateTimeTo: 1_798_761_599_999,
  title: 'Annual review',
  evaluator: ana,
  evaluee: yago,
  type: 'EVALUATION',
  score: { message: '4 of 5', value: 4, manualScore: false },
  comment: 'Delivers reliably.',
  answer: { approved: true, comment: 'Agreed', creationTime: 1_768_521_600_000 },
  period: {
    id: 2026,
    startTime: 1_767_225_600_000,
    endTime: 1_798_761_599_999,
    title: '2026',
    message: '',
    subPeriods: [],
  },
  status: 'SUBMITTED',
};
const image2 = { imageCode: 'collaboration', baseUrl: image.baseUrl, suggestedUrl: image.suggestedUrl };
const detail = 'There is no such user';

export const examples: Readonly<Record<string, unknown>> = {
  TokenRequest: { grant_type: 'refresh_token', refresh_token: 'REFRESH_TOKEN' },
  TokenPair: {
    access_token: 'ACCESS_TOKEN',
    token_type: 'Bearer',
    expires_in: 3600,
    refresh_token: 'REFRESH_TOKEN',
  },
  RevokeAnswer: { message: 'The token is now invalid' },
  UserPayload: write,
  UserUpdatePayload: changed,
  UserAnswer: { result: user },
  UserUpdateAnswer: { result: changed },
  UserSearchAnswer: { result: [{ ...user, organizationName: 'Sandbox' }], page: { totalElements: 1 } },
  CreatedUser: { userId: '1001' },
  UserFileUpload: {
    fileName: 'people.csv',
    file: 'command,identification,firstName,lastName\nU,E000001,Ana,Núñez\n',
  },
  UserFileAnswer: {
    result: {
      id: 1,
      fileName: 'people.csv',
      communityId: 1,
      uploaderId: 1,
      fileDate: '2026-01-15 12:00:00',
      fileStatus: 'Processing',
      blocked: true,
    },
  },
  EmptyObject: {},
  RoleList: [role],
  LeaderLinks: {
    collaboratorIdentification: 'E000001',
    mainLeaderIdentification: 'E000002',
    secondaryLeadersIdentifications: [],
  },
  LeaderListAnswer: {
    result: [
      {
        identification: 'E000002',
        firstName: 'Yago',
        lastName: 'Pérez',
        job: 'Developer',
        profileImage: image,
        asMain: true,
        asSecondary: false,
      },
    ],
    page: { totalElements: 1 },
  },
  FeedbackAnswer: { result: feedback },
  FeedbackListAnswer: { result: [feedback], page: pageOfOne },
  FeedbackRequestPayload: {
    sender: 'E000001',
    recipient: 'E000002',
    comment: 'How did it go?',
    skills: ['collaboration'],
  },
  FeedbackDeclinePayload: { sender: 'E000001', recipient: 'E000002', declineReasonId: 1 },
  FeedbackPayload: {
    sender: 'E000001',
    recipient: 'E000002',
    feedback: { comments: 'Thank you for your help.', strengths: 'Calm under pressure' },
  },
  GoalAnswer: { result: goal },
  GoalListAnswer: { result: [listedGoal], page: { numberElements: 1 } },
  GoalPayload: { code: 'GOAL-9', ...goalWrite, type: 'TEAM', assignment: 'INDIVIDUAL', assignedTo: 'E000001' },
  GoalUpdatePayload: { code: 'GOAL-1', ...goalWrite },
  EvaluationAnswer: { result: { ...evaluation, ratedTopics: [{ ...topic, ratedTopicImage: image2 }] } },
  EvaluationListAnswer: { result: [evaluation], page: pageOfOne },
  PlatformErrorBody: {
    timestamp: '2026-01-15T12:00:00.000Z',
    message: detail,
    details: 'uri=/os-api/public-api/v1/users/E9',
    type: 'uri=/os-api/public-api/v1/users/E9',
    title: 'Bad Request',
    detail,
  },
  GrantErrorBody: { error: 'invalid_grant', error_description: 'The refresh token is used' },
};
