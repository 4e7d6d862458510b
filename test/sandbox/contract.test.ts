import { describe, expect, it } from 'vitest';
import {
  GrantErrorBody,
  type OperationId,
  operationIds,
  operationOf,
  operations,
  PlatformErrorBody,
} from '../../src/platform/table/index.ts';
import { sandboxes, type TestSandbox } from './open-sandbox.ts';

const open = sandboxes();
const ana = { identification: 'N1', firstName: 'Ana', lastName: 'Núñez', customFields: { customField1: 'x' } };
const pair = { sender: 'E000001', recipient: 'E000002' };
const goal = { code: 'G1', title: 'Ship', weighting: 1, locale: 'en' };
const links = { collaboratorIdentification: 'E000001', mainLeaderIdentification: 'E000002' };
const csv = 'identification,firstName,lastName\nE000001,Ana,Núñez\n';

interface Example {
  readonly parameters?: Record<string, string>;
  readonly query?: string;
  readonly body?: unknown;
}

/** A call of every operation that succeeds when they are made in this order. */
const examples: readonly [OperationId, Example][] = [
  ['search', { query: '?enabled=false' }],
  ['read', { parameters: { identification: 'E000001' } }],
  ['create', { body: ana }],
  ['update', { body: { ...ana, userId: '1006' } }],
  ['delete', { parameters: { identification: 'N1' } }],
  ['roles', {}],
  ['role', { parameters: { customAclCode: 'ROLE_ADMIN' } }],
  ['add-leaders', { body: links }],
  ['leaders', { parameters: { identification: 'E000001' } }],
  ['collaborators', { parameters: { identification: 'E000002' } }],
  ['remove-leaders', { body: links }],
  ['request-feedback', { body: { ...pair, comment: 'How?' } }],
  ['decline-feedback', { parameters: { 'feedback-request-id': '1' }, body: { ...pair, declineReasonId: 1 } }],
  ['send-feedback', { body: { ...pair, feedback: { comments: 'Fine' } } }],
  ['feedback', { parameters: { id: '1' } }],
  ['feedbacks', {}],
  ['create-goal', { body: { ...goal, type: 'TEAM', assignment: 'SHARED', assignedTo: 'E000001' } }],
  ['goal', { parameters: { code: 'G1', identification: 'E000001' } }],
  ['goals', {}],
  ['update-goal', { parameters: { code: 'G1', identification: 'E000001' }, body: goal }],
  ['delete-goal', { parameters: { code: 'G1', identification: 'E000001' } }],
  ['evaluation', { parameters: { id: '5001' } }],
  ['evaluations', {}],
  ['upload', { body: { file: csv, fileName: 'a.csv' } }],
  ['status', { parameters: { id: '1' } }],
  ['import-job', {}],
  ['token', {}],
  ['revoke', {}],
];

function pathOf(id: OperationId, { parameters = {}, query = '' }: Example): string {
  return operationOf(id).path.replace(/\{([^}]+)\}/g, (_match, name: string) => parameters[name] ?? '') + query;
}

function callExample(sandbox: TestSandbox, id: OperationId, example: Example, token?: string | null) {
  const refresh = { grant_type: 'refresh_token', refresh_token: sandbox.refreshToken };
  const body = id === 'token' ? refresh : example.body;
  const usual = id === 'token' ? sandbox.applicationToken : sandbox.accessToken;
  return sandbox.call(operationOf(id).method, pathOf(id, example), {
    token: token === undefined ? usual : token,
    ...(body === undefined ? {} : { body }),
  });
}

describe('the table of operations', () => {
  it('has every operation of the contract once', () => {
    const routes = operations.map(({ method, path }) => `${method} ${path}`);

    expect(new Set(routes).size).toBe(28);
    expect(new Set(operationIds).size).toBe(28);
    expect(examples.map(([id]) => id).toSorted()).toEqual(operationIds.toSorted());
  });

  it('is followed by every success: status, schema, and no body where there is none', async () => {
    const sandbox = await open({ users: 5, importSource: csv, processingMs: 0 });
    for (const [id, example] of examples) {
      const { successStatus, response } = operationOf(id);

      const answer = await callExample(sandbox, id, example);

      expect([id, answer.status]).toEqual([id, successStatus]);
      if (response === undefined) expect([id, answer.text]).toEqual([id, '']);
      else expect(response.safeParse(answer.body).error, id).toBeUndefined();
    }
  });

  it('is followed by every refusal: without a token all answer 401 in the body of their kind', async () => {
    const sandbox = await open({ users: 5 });
    for (const [id, example] of examples) {
      const { errorBody, errorStatuses } = operationOf(id);

      const answer = await callExample(sandbox, id, example, null);

      expect([id, answer.status]).toEqual([id, 401]);
      expect(errorStatuses, id).toContain(401);
      const schema = errorBody === 'grant' ? GrantErrorBody.strict() : PlatformErrorBody.strict();
      expect(schema.safeParse(answer.body).error, id).toBeUndefined();
    }
    expect(sandbox.state.log).toEqual([]);
  });

  it('lists what a request must be: bodies that are no JSON are refused with 400', async () => {
    const sandbox = await open({ users: 5 });
    await sandbox.call('POST', '/growth/public-api/v2/goals', {
      body: { ...goal, type: 'TEAM', assignment: 'SHARED', assignedTo: 'E000001' },
    });
    for (const [id, example] of examples.filter(([name]) => operationOf(name).request !== undefined)) {
      const { method } = operationOf(id);
      const token = id === 'token' ? sandbox.applicationToken : sandbox.accessToken;

      const answer = await sandbox.call(method, pathOf(id, example), { token, body: '{"a":' });

      expect([id, answer.status]).toEqual([id, 400]);
    }
  });

  it('is lenient: unknown members of answers pass', () => {
    const record = { id: 1, identification: 'E1', enabled: true, area: null, shoeSize: 42 };

    expect(operationOf('read').response?.parse({ result: record, more: 1 })).toEqual({ result: record, more: 1 });
  });
});
