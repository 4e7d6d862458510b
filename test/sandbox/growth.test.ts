import { describe, expect, it } from 'vitest';
import { admin, growth, sandboxes, type TestSandbox } from './open-sandbox.ts';

const open = sandboxes();
const two = { sender: 'E000001', recipient: 'E000002' };
const goal = {
  code: 'G1',
  title: 'Ship it',
  type: 'TEAM',
  weighting: 2.5,
  assignment: 'INDIVIDUAL',
  assignedTo: 'E000001',
  locale: 'en',
};

describe('feedback', () => {
  async function ask(sandbox: TestSandbox) {
    const body = { ...two, comment: 'How was it?', skills: ['craft'] };
    return sandbox.call('POST', `${growth}/feedback/requests`, { body });
  }

  it('is listed newest first, filtered and a page at a time', async () => {
    const sandbox = await open({ users: 3 });
    for (let i = 0; i < 5; i += 1) {
      await sandbox.call('POST', `${growth}/feedbacks`, {
        body: i === 2 ? { sender: 'E000003', recipient: 'E000001' } : two,
      });
      sandbox.advance(1000);
    }
    const ids = async (query: string) => {
      const { body } = await sandbox.call('GET', `${growth}/feedbacks?${query}`);
      return body.result.map(({ id }) => id);
    };

    expect((await sandbox.call('GET', `${growth}/feedbacks?size=2&page=2`)).body.page).toEqual({
      number: 2,
      size: 2,
      totalElements: 5,
      totalPages: 3,
      numberOfElements: 1,
    });
    expect(await ids('')).toEqual([5, 4, 3, 2, 1]);
    expect(await ids('size=2&page=1')).toEqual([3, 2]);
    expect(await ids('sender=E000003')).toEqual([3]);
    expect(await ids('recipient=E000002')).toEqual([5, 4, 2, 1]);
    expect(await ids(`creationTimeFrom=${sandbox.now() - 2000}`)).toEqual([5, 4]);
    expect(await ids(`creationTimeTo=${sandbox.now() - 4000}`)).toEqual([2, 1]);
    expect(await ids('creationTimeFrom=0&creationTimeTo=0&sort=creationTime')).toEqual([5, 4, 3, 2, 1]);
    // Each field of the record sorts; people by their identification.
    expect((await ids('sort=sender'))[0]).toBe(3);
    expect(await ids('sort=community')).toEqual([5, 4, 3, 2, 1]);
  });

  it('answers a request once', async () => {
    const sandbox = await open({ users: 3 });
    expect((await ask(sandbox)).status).toBe(201);

    const body = { sender: two.recipient, recipient: two.sender, feedbackRequestId: 1, feedback: { comments: 'Well' } };

    // 0 names a request as any other number does, and an empty comment is a comment.
    expect(
      (await sandbox.call('POST', `${growth}/feedbacks`, { body: { ...body, feedbackRequestId: 0 } })).status,
    ).toBe(404);
    expect((await sandbox.call('POST', `${growth}/feedbacks`, { body })).status).toBe(200);
    expect(sandbox.state.feedbackRequests).toMatchObject([{ id: 1, state: 'answered', skills: ['craft'] }]);
    expect((await sandbox.call('POST', `${growth}/feedbacks`, { body })).status).toBe(400);
    expect((await sandbox.call('GET', `${growth}/feedbacks`)).body.page.totalElements).toBe(1);
  });

  it('that was asked for can be declined for a reason of the catalogue', async () => {
    const sandbox = await open({ users: 3 });
    await ask(sandbox);
    const decline = (id: number, body: object) => sandbox.call('PUT', `${growth}/feedback-requests/${id}`, { body });

    expect((await decline(1, { ...two, declineReasonId: 99 })).status).toBe(400);
    expect((await decline(1, two)).status).toBe(400);
    expect((await decline(2, { ...two, declineReasonId: 1 })).status).toBe(404);
    expect((await decline(1, { ...two, sender: 'E000003', declineReasonId: 1 })).status).toBe(400);
    const declined = await decline(1, { ...two, declineReasonId: 1 });

    expect([declined.status, declined.text]).toEqual([200, '']);
    expect(sandbox.state.feedbackRequests).toMatchObject([{ state: 'declined', declineReasonId: 1 }]);
    expect((await decline(1, { ...two, declineReasonId: 1 })).status).toBe(400);
  });
});

describe('goals', () => {
  const path = `${growth}/goals/G1/users/E000001`;
  const create = (sandbox: TestSandbox, change: object = {}) =>
    sandbox.call('POST', '/growth/public-api/v2/goals', { body: { ...goal, ...change } });

  it('begin and end with the current period when nothing else is said', async () => {
    const sandbox = await open({ users: 3 });

    expect((await create(sandbox)).status).toBe(201);

    expect((await sandbox.call('GET', path)).body.result).toEqual({
      code: 'G1',
      title: 'Ship it',
      description: '',
      type: 'TEAM',
      status: 'OPENED',
      weighting: 2.5,
      assignment: 'INDIVIDUAL',
      startDate: '2026-01-01',
      endDate: '2026-12-31',
      progress: 0,
      assignedTo: 'E000001',
      creationDate: '2026-05-20T12:00:00.000Z',
      period: { name: '2026', description: expect.any(String), startDate: '2026-01-01', endDate: '2026-12-31' },
      scales: [expect.objectContaining({ min: 0, max: 100 })],
    });
  });

  it('may be for a future period, and have the code of somebody else', async () => {
    const sandbox = await open({ users: 3 });
    await create(sandbox);

    expect((await create(sandbox, { assignedTo: 'E000002', periodName: '2027' })).status).toBe(201);

    const { result } = (await sandbox.call('GET', `${growth}/goals/G1/users/E000002`)).body;
    expect(result).toMatchObject({ startDate: '2027-01-01', endDate: '2027-12-31' });
  });

  it.each([
    ['a code that the user has', {}, 400],
    ['a date outside the period', { code: 'G2', startDate: '2025-12-31' }, 400],
    ['an end outside the period', { code: 'G2', endDate: '2027-01-01' }, 400],
    ['an end before the start', { code: 'G2', startDate: '2026-06-02', endDate: '2026-06-01' }, 400],
    ['a past period', { code: 'G2', periodName: '2025' }, 400],
    ['a weighting of zero', { code: 'G2', weighting: 0 }, 400],
    ['another type', { code: 'G2', type: 'PRIVATE' }, 400],
    ['another assignment', { code: 'G2', assignment: 'NOBODY' }, 400],
    ['no locale', { code: 'G2', locale: undefined }, 400],
    ['an unknown user', { assignedTo: 'nobody' }, 404],
  ])('are refused with %s', async (_name, change, status) => {
    const sandbox = await open({ users: 3 });
    await create(sandbox);

    expect((await create(sandbox, change)).status).toBe(status);
  });

  it('can be updated, which shows the locale, and get another code', async () => {
    const sandbox = await open({ users: 3 });
    await create(sandbox);
    await create(sandbox, { code: 'G2' });
    const change = { code: 'G3', title: 'Ship it twice', weighting: 1, locale: 'es', startDate: '2026-02-01' };

    const taken = await sandbox.call('PUT', path, { body: { ...change, code: 'G2' } });
    const updated = await sandbox.call('PUT', path, { body: change });

    expect([taken.status, updated.status]).toEqual([400, 200]);
    expect(updated.body.result).toMatchObject({ ...change, type: 'TEAM', endDate: '2026-12-31' });
    expect((await sandbox.call('GET', path)).status).toBe(404);
  });

  it('are listed newest first without description and progress, and without a total', async () => {
    const sandbox = await open({ users: 3 });
    for (const [i, type] of ['TEAM', 'COMMUNITY', 'TEAM'].entries()) {
      await create(sandbox, { code: `G${i}`, title: `Goal ${i}`, type, startDate: `2026-0${i + 1}-01` });
      sandbox.advance(1000);
    }
    const codes = async (query: string) => {
      const { body } = await sandbox.call('GET', `${growth}/goals?${query}`);
      return body.result.map((entry) => entry.code);
    };

    const { body } = await sandbox.call('GET', `${growth}/goals?pageSize=2`);
    expect(body.page).toEqual({ numberElements: 2 });
    expect(body.result[0]).not.toHaveProperty('description');
    expect(body.result[0]).not.toHaveProperty('progress');
    expect(await codes('')).toEqual(['G2', 'G1', 'G0']);
    expect(await codes('pageSize=2&pageNumber=1')).toEqual(['G0']);
    expect(await codes('sort=asc&orderBy=title')).toEqual(['G0', 'G1', 'G2']);
    expect(await codes('type=COMMUNITY')).toEqual(['G1']);
    expect(await codes('startDateFrom=2026-02-01&startDateTo=2026-02-28')).toEqual(['G1']);
    expect(await codes('assignedTo=E000002')).toEqual([]);
    expect(await codes('title=goal%202')).toEqual(['G2']);
  });
});

describe('evaluations', () => {
  it('are read with rated topics in the wanted language', async () => {
    const sandbox = await open({ users: 5 });
    const read = (headers: Record<string, string>) => sandbox.call('GET', `${growth}/evaluations/5002`, { headers });

    const spanish = await read({ 'accept-language': 'fr;q=0.9, es-UY' });

    expect(spanish.headers.get('content-language')).toBe('es');
    expect(spanish.body.result.ratedTopics).toMatchObject([
      { name: 'Colaboración', ratedTopicImage: { imageCode: 'collaboration' } },
      {},
      {},
    ]);
    expect((await read({ 'accept-language': 'es;q=0.2, pt-BR;q=0.9, en;q=0' })).headers.get('content-language')).toBe(
      'pt',
    );
    expect((await read({})).headers.get('content-language')).toBe('en');
    expect((await sandbox.call('GET', `${growth}/evaluations/1`)).status).toBe(404);
  });

  it('are listed without rated topics, filtered, sorted by several properties, a page at a time', async () => {
    const sandbox = await open({ users: 12 });
    const list = async (query: string) => (await sandbox.call('GET', `${growth}/evaluations?${query}`)).body;

    const first = await list('');
    expect(first.page).toEqual({ number: 0, size: 10, totalElements: 12, totalPages: 2, numberOfElements: 10 });
    for (const entry of first.result) expect(entry).not.toHaveProperty('ratedTopics');
    expect((await list('pageNumber=1')).result).toHaveLength(2);
    const drafts = await list('status=DRAFT');
    expect(drafts.result).toHaveLength(4);
    for (const entry of drafts.result) expect(entry).not.toHaveProperty('submissionTime');
    expect((await list('evaluatorIdentification=E000003')).result).toMatchObject([{ id: 5003 }]);
    expect((await list('evalueeIdentification=E000003')).result).toMatchObject([{ id: 5002 }]);
    const sorted = (await list('sort=title(desc),creationTime(desc)&pageSize=4')).result;
    expect(sorted.map(({ id, title }) => [title, id])).toEqual([
      ['Project review', 5012],
      ['Project review', 5008],
      ['Project review', 5004],
      ['Probation review', 5009],
    ]);
    expect((await list('sort=evaluator(desc)&pageSize=1')).result).toMatchObject([
      { evaluator: { identification: 'E000012' } },
    ]);
    const lastDay = sandbox.now() - 86_400_000;
    expect((await list(`creationTimeFrom=${lastDay}`)).result).toMatchObject([{ id: 5012 }]);
    expect((await list(`creationTimeTo=${lastDay}&pageSize=50`)).result).toHaveLength(12);
  });
});

describe('leaders', () => {
  const leaders = `${growth}/users/E000001/leaders`;
  const link = (sandbox: TestSandbox, method: 'POST' | 'DELETE', body: object) =>
    sandbox.call(method, `${admin}/leaders`, { body: { collaboratorIdentification: 'E000001', ...body } });

  it('are added and listed, the main leader first, pages counting from 1', async () => {
    const sandbox = await open({ users: 20 });
    const secondary = Array.from({ length: 11 }, (_, i) => `E0000${String(i + 2).padStart(2, '0')}`);

    const added = await link(sandbox, 'POST', {
      mainLeaderIdentification: 'E000015',
      secondaryLeadersIdentifications: secondary,
    });

    expect([added.status, added.text]).toEqual([201, '']);
    const first = await sandbox.call('GET', leaders);
    expect(first.body.page).toEqual({ totalElements: 12 });
    expect(first.body.result).toHaveLength(10);
    expect(first.body.result[0]).toMatchObject({ identification: 'E000015', asMain: true, asSecondary: false });
    expect((await sandbox.call('GET', `${leaders}?pageNumber=2`)).body.result).toHaveLength(2);
    const { result } = (await sandbox.call('GET', `${growth}/users/E000015/collaborators`)).body;
    expect(result.map(({ identification }) => identification)).toEqual(['E000001']);
  });

  it.each([
    ['oneself', { secondaryLeadersIdentifications: ['E000001'] }, 400],
    ['a list that is none', { secondaryLeadersIdentifications: 'E000002' }, 400],
  ])('are refused with %s', async (_name, body, status) => {
    const sandbox = await open({ users: 3 });

    expect((await link(sandbox, 'POST', body)).status).toBe(status);
  });
});

describe('roles', () => {
  it.each([
    ['any', 200, 200],
    ['access', 200, 403],
    ['application', 403, 200],
  ] as const)('take the %s token', async (rolesToken, withAccess, withApplication) => {
    const sandbox = await open({ quirks: { rolesToken } });
    const path = `${admin}/community/roles`;

    expect((await sandbox.call('GET', path)).status).toBe(withAccess);
    expect((await sandbox.call('GET', path, { token: sandbox.applicationToken })).status).toBe(withApplication);
  });
});
