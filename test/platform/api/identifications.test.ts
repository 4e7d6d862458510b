import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PlatformError } from '../../../src/core/run/errors.ts';
import { openPlatformApi, type PlatformApi } from '../../../src/platform/client/api.ts';
import { callOperation, identificationNames, type OperationInput } from '../../../src/platform/client/calls.ts';
import { openPlatformClient, type PlatformClient } from '../../../src/platform/client/client.ts';
import { type OperationId, operations, pathParameters, queryMembers } from '../../../src/platform/table/index.ts';
import type { RunningSandbox } from '../../../src/sandbox/index.ts';
import { openConformingSandbox } from '../../support/conforming-sandbox.ts';
import { drawRuns } from '../../support/drawn.ts';
import { closeAndFailOnLeaks, closeLater } from '../closing.ts';
import { neverAborted as signal } from '../test-client.ts';

closeAndFailOnLeaks();

interface World {
  readonly sandbox: RunningSandbox;
  readonly client: PlatformClient;
  readonly api: PlatformApi;
}

async function openWorld(identifications: readonly string[]): Promise<World> {
  const people = identifications.map((identification, i) => ({
    identification,
    enabled: true,
    fields: { firstName: `Ana ${i}`, lastName: 'Núñez', email: `ana.${i}@example.com` },
  }));
  const { sandbox, connection } = await openConformingSandbox({ people });
  closeLater(() => sandbox.close());
  const client = openPlatformClient(connection);
  closeLater(() => client.close());
  return { sandbox, client, api: openPlatformApi(client) };
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

const odd = [
  'a/b',
  'ñ+ü@x',
  '%2F',
  '%',
  '%25 %2e%2e',
  'two words',
  'x'.repeat(200),
  '🙂👩‍👩‍👧',
  '?page=2',
  '#top',
  ';jsessionid=1',
  'back\\slash',
  '...',
  '../..',
  '/',
  'a&b=c',
  '"quoted", \'too\'',
  'E1:2',
  '{identification}',
  '*',
  'leaders',
];

const other = 'E2';
const third = 'E3';

/** Of one community, in turn: what one identification leaves must not disturb the next. */
describe('each odd identification', () => {
  it('survives reading, searching, updating, deleting and creating', async () => {
    const { api, sandbox } = await openWorld([...odd, other]);
    for (const identification of odd) {
      const user = await api.users.get(identification, signal);
      expect(user.identification).toBe(identification);
      const id = String(user.id);
      expect(await api.users.find(identification, signal), identification).toMatchObject({ found: true, user: { id } });
      const found = await collect(api.users.list({ searchString: identification, enabled: false }, signal));
      expect(found.map((one) => one.identification)).toContain(identification);
      await api.users.update(user, { identification, fields: { firstName: 'Zoë', lastName: 'Díaz' } }, signal);
      expect(sandbox.state.users.get(identification)?.fields.firstName).toBe('Zoë');
      await api.users.remove(identification, { blacklist: true }, signal);
      expect(sandbox.state.users.has(identification), identification).toBe(false);
    }
    expect([...sandbox.state.blacklist]).toEqual(odd);
    const { api: empty, sandbox: created } = await openWorld([]);
    for (const identification of odd)
      await empty.users.create({ identification, fields: { firstName: 'Ana', lastName: 'Núñez' } }, signal);
    expect([...created.state.users.keys()]).toEqual(odd);
  });

  it('survives as leader and as collaborator', async () => {
    const { api } = await openWorld([...odd, other, third]);
    const links = { mainLeaderIdentification: other, secondaryLeadersIdentifications: [third] };
    for (const identification of odd) {
      const led = { mainLeaderIdentification: identification, secondaryLeadersIdentifications: [identification] };
      await api.leaders.add({ collaboratorIdentification: identification, ...links }, signal);
      expect(await collect(api.leaders.list(identification, signal))).toHaveLength(2);
      await api.leaders.remove({ collaboratorIdentification: identification, ...links }, signal);
      expect(await collect(api.leaders.list(identification, signal))).toEqual([]);
      await api.leaders.add({ collaboratorIdentification: other, ...led }, signal);
      const [leader, ...more] = await collect(api.leaders.list(other, signal));
      expect([leader, more]).toMatchObject([{ identification, asMain: true, asSecondary: true }, []]);
      const { result } = (await api.leaders.collaborators(identification, signal)) as { result: unknown };
      expect(result).toMatchObject([{ identification: other }]);
      await api.leaders.remove({ collaboratorIdentification: other, ...led }, signal);
    }
  });

  it('survives in feedback', async () => {
    const { api, sandbox } = await openWorld([...odd, other]);
    for (const [i, identification] of odd.entries()) {
      const there = { sender: identification, recipient: other };
      const back = { sender: other, recipient: identification };
      await api.feedback.request({ ...there, comment: 'How?' }, signal);
      await api.feedback.decline(2 * i + 1, { ...there, declineReasonId: 1 }, signal);
      await api.feedback.request({ ...back, comment: 'How?' }, signal);
      await api.feedback.send({ ...there, feedbackRequestId: 2 * i + 2, feedback: { comments: 'Well' } }, signal);
      await api.feedback.send(back, signal);
      expect(sandbox.state.feedbackRequests.slice(-2).map(({ state }) => state)).toEqual(['declined', 'answered']);
      for (const [name, pair] of [['sender', there] as const, ['recipient', back] as const]) {
        const people = { sender: { identification: pair.sender }, recipient: { identification: pair.recipient } };
        const found = await collect(api.feedback.list({ [name]: identification }, signal));
        expect([found[0], found.length], identification).toMatchObject([people, 1]);
      }
    }
  });

  it('survives in goals, as a code too, and in evaluations', async () => {
    const { api } = await openWorld([...odd, other]);
    for (const identification of odd) {
      const goal = { code: identification, title: 'Ship', weighting: 1, locale: 'en' };
      const key = { code: identification, identification };
      await api.goals.create({ ...goal, type: 'TEAM', assignment: 'SHARED', assignedTo: identification }, signal);
      expect(await api.goals.get(key, signal)).toMatchObject({ code: identification, assignedTo: identification });
      expect(await collect(api.goals.list({ assignedTo: identification }, signal))).toHaveLength(1);
      expect(await api.goals.update(key, { ...goal, title: 'Shipped' }, signal)).toMatchObject({ title: 'Shipped' });
      await api.goals.remove(key, signal);
      expect(await collect(api.goals.list({}, signal))).toEqual([]);
      for (const name of ['evaluator', 'evaluee'] as const) {
        const found = await collect(api.evaluations.list({ [`${name}Identification`]: identification }, signal));
        expect([found[0]?.[name]?.identification, found.length]).toEqual([identification, 1]);
      }
    }
  });
});

interface Place {
  readonly id: OperationId;
  readonly place: 'path' | 'query' | 'body';
  readonly name: string;
}

/** Every place of the contract's requests where an identification stands, from the table of operations. */
const places: readonly Place[] = operations.flatMap((operation) => {
  const members = Object.keys((operation.request as { shape?: object } | undefined)?.shape ?? {});
  const named = {
    path: pathParameters(operation),
    query: queryMembers(operation).map(({ name }) => name),
    body: members,
  };
  return (['path', 'query', 'body'] as const).flatMap((place) =>
    named[place].filter((name) => identificationNames.has(name)).map((name) => ({ id: operation.id, place, name })),
  );
});

function inputWith({ id, place, name }: Place, value: string): OperationInput {
  const operation = operations.find((one) => one.id === id);
  const params = Object.fromEntries(pathParameters(operation ?? { path: '' }).map((one) => [one, 'E1']));
  if (place === 'path') return { params: { ...params, [name]: value } };
  if (place === 'query') return { params, query: { [name]: value } };
  return { params, json: { [name]: name.endsWith('Identifications') ? ['E1', value] : value } };
}

describe('an identification that no path can carry', () => {
  it('can stand in all these places', () => {
    expect(places.map(({ id, place, name }) => `${id} ${place} ${name}`)).toMatchInlineSnapshot(`
      [
        "delete path identification",
        "create body identification",
        "update body identification",
        "read path identification",
        "add-leaders body collaboratorIdentification",
        "add-leaders body mainLeaderIdentification",
        "add-leaders body secondaryLeadersIdentifications",
        "remove-leaders body collaboratorIdentification",
        "remove-leaders body mainLeaderIdentification",
        "remove-leaders body secondaryLeadersIdentifications",
        "feedbacks query sender",
        "feedbacks query recipient",
        "request-feedback body sender",
        "request-feedback body recipient",
        "decline-feedback body sender",
        "decline-feedback body recipient",
        "send-feedback body sender",
        "send-feedback body recipient",
        "goal path identification",
        "goals query assignedTo",
        "create-goal body assignedTo",
        "update-goal path identification",
        "delete-goal path identification",
        "evaluations query evaluatorIdentification",
        "evaluations query evalueeIdentification",
        "leaders path identification",
        "collaborators path identification",
      ]
    `);
  });

  const controls = Array.from({ length: 32 }, (_, code) => String.fromCharCode(code));
  const bad = fc.oneof(
    fc.constantFrom('', ' ', '\u00a0', '.', '..', '\ud800', 'E\udfff1'),
    fc
      .tuple(fc.string(), fc.constantFrom(...controls, '\u007f', '\u0080', '\u009f'), fc.string())
      .map((parts) => parts.join('')),
  );

  it('is refused before anything is sent, wherever it stands', async () => {
    const { client, sandbox } = await openWorld(['E1']);
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...places), bad, async (place, value) => {
        const refusal = (await callOperation(client, place.id, inputWith(place, value), signal).then(
          () => undefined,
          (error) => error,
        )) as PlatformError | undefined;
        expect(refusal).toMatchObject({ code: 'IDENTIFICATION_INVALID', effect: 'none', status: undefined });
        if (value.trim().length > 3) expect(refusal?.message).not.toContain(value);
      }),
      { numRuns: drawRuns(500) },
    );
    expect(Object.values(sandbox.state.requests).every((count) => count === 0)).toBe(true);
  });

  it.each(['', '..', 'a\nb', '\ud800'])('is refused by the methods with code of their own: %j', async (value) => {
    const { api, sandbox } = await openWorld(['E1']);
    const names = { firstName: 'Ana', lastName: 'Núñez' };
    const target = { id: '1001', identification: value };
    const calls: readonly (() => Promise<unknown>)[] = [
      () => api.users.get(value, signal),
      () => api.users.find(value, signal),
      () => api.users.create({ identification: value, fields: names }, signal),
      () => api.users.update(target, { identification: value, fields: names }, signal),
      () => api.users.remove(value, { blacklist: false }, signal),
      () => collect(api.leaders.list(value, signal)),
      () => collect(api.feedback.list({ recipient: value }, signal)),
      () => api.feedback.request({ sender: value, recipient: 'E1', comment: '' }, signal),
      () => api.goals.remove({ code: 'G1', identification: value }, signal),
    ];
    for (const call of calls) {
      const refusal = expect(call(), call.toString()).rejects;
      await refusal.toMatchObject({
        code: expect.stringMatching(/^(IDENTIFICATION_INVALID|PLATFORM_REFUSED)$/),
        effect: 'none',
        status: undefined,
      });
    }
    expect(Object.values(sandbox.state.requests).every((count) => count === 0)).toBe(true);
  });
});
