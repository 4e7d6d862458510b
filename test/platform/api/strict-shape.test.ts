import { describe, expect, it } from 'vitest';
import { RoleList } from '../../../src/platform/table/administration.ts';
import { EvaluationAnswer, GoalListAnswer } from '../../../src/platform/table/growth.ts';
import { UserAnswer, UserUpdateAnswer } from '../../../src/platform/table/users.ts';
import { EmptyObject, Unshown } from '../../../src/platform/table/wire.ts';
import { strictDifferences } from '../contract-suite/checks.ts';

const user = {
  id: 17,
  locale: 'es',
  office: {},
  firstName: 'Ana',
  lastName: 'Pérez',
  email: 'ana@example.com',
  profileImageId: null,
  profileImageCode: null,
  enabled: true,
  identification: 'E1',
  customFields: {},
  externalId: null,
  uid: null,
  loginId: null,
  createdDate: '2026-11-22T10:00:00',
  lastUpdate: '2026-11-22T10:00:00',
};
const goal = {
  code: 'G1',
  title: 'Sell',
  type: 'TEAM',
  status: 'OPENED',
  weighting: 1,
  assignment: 'SHARED',
  startDate: '2026-01-01',
  endDate: '2026-12-31',
  assignedTo: 'E1',
  creationDate: '2026-01-01T00:00:00.000Z',
  period: { name: '2026', description: '', startDate: '2026-01-01', endDate: '2026-12-31' },
  scales: [],
};
const without = <T extends object>(all: T, name: keyof T): Partial<T> => {
  const { [name]: _, ...rest } = all;
  return rest as Partial<T>;
};

describe('a body is judged strictly', () => {
  it.each([
    { name: 'as the contract shows it', schema: UserAnswer, body: { result: user }, is: [] },
    {
      name: 'null where there is no value',
      schema: UserAnswer,
      body: { result: { ...user, email: null, office: null } },
      is: [],
    },
    { name: 'what a person need not have', schema: UserAnswer, body: { result: { ...user, area: 'Sales' } }, is: [] },
    {
      name: 'without a field',
      schema: UserAnswer,
      body: { result: without(user, 'lastName') },
      is: ['result.lastName: missing'],
    },
    {
      name: 'with a field that nobody knows',
      schema: UserAnswer,
      body: { result: { ...user, nick: 'A' }, took: 3 },
      is: ['result.nick: not in the contract', 'took: not in the contract'],
    },
    {
      name: 'with other types',
      schema: UserAnswer,
      body: { result: { ...user, enabled: 'true', email: 7, office: [], id: true, customFields: 'x' } },
      is: [
        'result.id: a boolean instead of a whole number',
        'result.office: an array instead of an object',
        'result.email: a number instead of a string',
        'result.enabled: a string instead of a boolean',
        'result.customFields: a string instead of an object',
      ],
    },
    {
      name: 'null where the contract needs a value',
      schema: UserAnswer,
      body: { result: { ...user, identification: null } },
      is: ['result.identification: null instead of a string'],
    },
    { name: 'no object at all', schema: UserAnswer, body: 'ok', is: ['the body: a string instead of an object'] },
    { name: 'no result', schema: UserAnswer, body: {}, is: ['result: missing'] },
    {
      name: 'a list, each difference once',
      schema: GoalListAnswer,
      body: { result: [without(goal, 'title'), { ...goal, type: 'team' }, without(goal, 'title')], page: {} },
      is: ['result[].title: missing (2 times)', 'page.numberElements: missing'],
    },
    { name: 'an object for a list', schema: RoleList, body: {}, is: ['the body: an object instead of an array'] },
    {
      name: 'a sent payload, as far as it was sent',
      schema: UserUpdateAnswer,
      body: { result: { identification: 'E1', firstName: 'Ana', lastName: 'Pérez', job: 'Clerk' } },
      is: ['result.userId: missing'],
    },
    { name: 'something in an empty object', schema: EmptyObject, body: { job: 1 }, is: ['job: not in the contract'] },
    { name: 'anything that the contract does not show', schema: Unshown, body: { a: [1] }, is: [] },
    {
      name: 'a record of an evaluation that has an id only',
      schema: EvaluationAnswer,
      body: { result: { id: 1, answer: { approved: true } } },
      is: expect.arrayContaining(['result.evaluator: missing', 'result.answer.comment: missing']),
    },
  ])('$name', ({ schema, body, is }) => {
    expect(strictDifferences(schema, body)).toEqual(is);
  });
});
