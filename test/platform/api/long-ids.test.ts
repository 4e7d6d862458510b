import { describe, expect, it } from 'vitest';
import { openPlatformApi } from '../../../src/platform/client/api.ts';
import { callOperation } from '../../../src/platform/client/calls.ts';
import { parseExactly } from '../../../src/platform/client/long-id.ts';
import { closeAndFailOnLeaks } from '../closing.ts';
import { type LocalServer, startLocalServer } from '../local-server.ts';
import { openTestClient, neverAborted as signal } from '../test-client.ts';

closeAndFailOnLeaks();

const long = '9223372036854775807';

/** Answers everything with this text as JSON. */
async function answering(text: string): Promise<{ server: LocalServer; api: ReturnType<typeof openPlatformApi> }> {
  const server = await startLocalServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(text);
  });
  return { server, api: openPlatformApi(openTestClient(server.url).client) };
}

const person = `{"id":${long},"identification":"E1","enabled":true}`;
const numberedPage = '{"number":0,"size":10,"totalElements":1,"totalPages":1,"numberOfElements":1}';

describe('an id beyond 2^53', () => {
  it('survives reading feedback, and goes back with all its digits', async () => {
    const { server, api } = await answering(
      `{"result":{"id":${long},"sender":${person},"creationTime":1700000000000}}`,
    );

    const feedback = await api.feedback.get(long, signal);
    await api.feedback.get(feedback.id, signal);

    expect(feedback).toMatchObject({ id: long, sender: { id: long }, creationTime: 1_700_000_000_000 });
    expect(server.seen.map(({ url }) => url.split('/').at(-1))).toEqual([long, long]);
  });

  it('survives lists', async () => {
    const { api } = await answering(`{"result":[{"id":${long}}],"page":${numberedPage}}`);

    expect((await api.feedback.page({}, signal)).items).toMatchObject([{ id: long }]);
    expect((await api.evaluations.page({}, signal)).items).toMatchObject([{ id: long }]);
  });

  it('survives reading evaluations, users, roles and files', async () => {
    const evaluation = await answering(`{"result":{"id":${long},"evaluee":${person},"period":{"id":${long}}}}`);
    const user = await answering(`{"result":${person}}`);
    const roles = await answering(`[{"id":${long},"name":"ROLE_X","permissions":[{"id":${long},"name":"P"}]}]`);
    const file = await answering(`{"result":{"id":${long},"fileStatus":"Processed"}}`);

    expect(await evaluation.api.evaluations.get(long, signal)).toMatchObject({ id: long, period: { id: long } });
    expect(await user.api.users.get('E1', signal)).toMatchObject({ id: long });
    expect(await roles.api.roles.list(signal)).toMatchObject([{ id: long, permissions: [{ id: long }] }]);
    expect(await file.api.userFiles.status(long, signal)).toMatchObject({ kind: 'done' });
  });

  it('travels in a body as a number, and in a path, with all its digits', async () => {
    const { server, api } = await answering('{}');
    const people = { sender: 'E1', recipient: 'E2' };

    await api.feedback.send({ ...people, feedbackRequestId: long }, signal);
    await api.feedback.decline(long, { ...people, declineReasonId: 1 }, signal);

    expect(server.seen[0]?.body).toContain(`"feedbackRequestId":${long}}`);
    expect(server.seen[1]?.url).toBe(`/growth/public-api/v1/feedback-requests/${long}`);
  });

  it('in JSON text is written out again as it was', () => {
    const text = `{"a":${long},"b":[1,1.5,-${long}],"c":"x"}`;

    expect(JSON.stringify(parseExactly(text))).toBe(text);
  });

  it('that has lost digits already, or is none, is not sent', async () => {
    const { server, api } = await answering('{}');
    for (const id of [2 ** 53 + 2, 1.5, Number.NaN, '12a', '', '../1', '1e3']) {
      const refusal = { code: 'PLATFORM_REFUSED', effect: 'none' };
      await expect(api.feedback.get(id, signal)).rejects.toMatchObject(refusal);
      await expect(
        api.feedback.send({ sender: 'E1', recipient: 'E2', feedbackRequestId: id }, signal),
      ).rejects.toMatchObject(refusal);
    }
    expect(server.seen).toEqual([]);
  });

  it('is given as text by calls of any operation, and small numbers stay numbers', async () => {
    const { server } = await answering(`{"result":[{"id":${long},"n":7,"x":1.5}],"page":{"totalElements":1}}`);
    const { client } = openTestClient(server.url);

    const { body, status, bodyBytes } = await callOperation(client, 'search', {}, signal);

    expect(body).toEqual({ result: [{ id: long, n: 7, x: 1.5 }], page: { totalElements: 1 } });
    expect(status).toBe(200);
    expect(bodyBytes).toBeGreaterThan(40);
  });
});
