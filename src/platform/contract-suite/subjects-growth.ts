import { sampleGoal } from './fixture.ts';
import { missingUser, type Subject } from './subject.ts';

const noId = '999999999999';

function links(person: (number: number) => string) {
  return {
    collaboratorIdentification: person(0),
    mainLeaderIdentification: person(1),
    secondaryLeadersIdentifications: [person(2)],
  };
}

function edited(code: string) {
  return { code, title: 'Contract check, edited', weighting: 2, locale: 'en' };
}

/** Tests of leaders, feedback, goals and evaluations, in an order in which each finds what it needs. */
export const growthSubjects: readonly Subject[] = [
  {
    id: 'add-leaders',
    method: 'leaders.add',
    input: ({ person }) => ({ json: links(person) }),
    invoke: ({ api, signal, person }) => api.leaders.add(links(person), signal),
    errors: { 400: () => ({ json: {} }), 404: () => ({ json: { collaboratorIdentification: missingUser } }) },
  },
  {
    id: 'leaders',
    method: 'leaders.page',
    input: ({ person }) => ({ params: { identification: person(0) } }),
    invoke: ({ api, signal, person }) => api.leaders.page(person(0), { pageNumber: 1, pageSize: 5 }, signal),
    errors: {
      400: ({ person }) => ({ params: { identification: person(0) }, query: { pageSize: -1 } }),
      404: () => ({ params: { identification: missingUser } }),
    },
    page: ({ api, signal, person }, page) => api.leaders.page(person(0), { pageNumber: page, pageSize: 1 }, signal),
    bare: ({ person }) => ({ params: { identification: person(0) } }),
  },
  {
    id: 'collaborators',
    method: 'leaders.collaborators',
    input: ({ person }) => ({ params: { identification: person(1) } }),
    invoke: ({ api, signal, person }) => api.leaders.collaborators(person(1), signal),
    errors: { 404: () => ({ params: { identification: missingUser } }) },
  },
  {
    id: 'remove-leaders',
    method: 'leaders.remove',
    input: ({ person }) => ({ json: links(person) }),
    invoke: ({ api, signal, person }) => api.leaders.remove(links(person), signal),
    errors: { 400: () => ({ json: {} }), 404: () => ({ json: { collaboratorIdentification: missingUser } }) },
  },
  {
    id: 'send-feedback',
    method: 'feedback.send',
    input: ({ person }) => ({ json: { sender: person(0), recipient: person(1), feedback: { comments: 'Contract' } } }),
    invoke: ({ api, signal, person }) =>
      api.feedback.send({ sender: person(0), recipient: person(1), feedback: { comments: 'Contract check' } }, signal),
    errors: { 400: () => ({ json: {} }), 404: () => ({ json: { sender: missingUser, recipient: missingUser } }) },
  },
  {
    id: 'request-feedback',
    method: 'feedback.request',
    input: ({ person }) => ({ json: { sender: person(0), recipient: person(1), comment: 'Contract check' } }),
    invoke: ({ api, signal, person }) =>
      api.feedback.request({ sender: person(0), recipient: person(1), comment: 'Contract check' }, signal),
    errors: {
      400: () => ({ json: {} }),
      404: () => ({ json: { sender: missingUser, recipient: missingUser, comment: '-' } }),
    },
  },
  {
    id: 'decline-feedback',
    method: 'feedback.decline',
    input: async (fixture) => ({
      params: { 'feedback-request-id': String(await fixture.feedbackRequestId()) },
      json: { sender: fixture.person(0), recipient: fixture.person(1), declineReasonId: 1 },
    }),
    async invoke(fixture) {
      const decline = { sender: fixture.person(0), recipient: fixture.person(1), declineReasonId: 1 };
      await fixture.api.feedback.decline(await fixture.feedbackRequestId(), decline, fixture.signal);
    },
    errors: {
      400: () => ({ params: { 'feedback-request-id': noId }, json: {} }),
      404: () => ({
        params: { 'feedback-request-id': noId },
        json: { sender: missingUser, recipient: missingUser, declineReasonId: 1 },
      }),
    },
  },
  {
    id: 'feedback',
    method: 'feedback.get',
    input: async (fixture) => ({ params: { id: String(await fixture.feedbackId()) } }),
    invoke: async (fixture) => fixture.api.feedback.get(await fixture.feedbackId(), fixture.signal),
    errors: { 404: () => ({ params: { id: noId } }) },
  },
  {
    id: 'feedbacks',
    method: 'feedback.page',
    input: () => ({ query: { page: 0, size: 5, sort: 'id' } }),
    invoke: ({ api, signal }) => api.feedback.page({ creationTimeFrom: 0, page: 0, size: 5 }, signal),
    errors: { 400: () => ({ query: { page: -1 } }) },
    page: ({ api, signal }, page) => api.feedback.page({ page, size: 1 }, signal),
    bare: () => ({}),
  },
  {
    id: 'create-goal',
    method: 'goals.create',
    async input(fixture) {
      const { code, identification } = await fixture.goal();
      await fixture.api.goals.remove({ code, identification }, fixture.signal);
      return { json: sampleGoal(code, identification) };
    },
    invoke: (fixture) => fixture.goal(),
    errors: { 400: () => ({ json: {} }), 404: () => ({ json: sampleGoal(missingUser, missingUser) }) },
  },
  {
    id: 'goal',
    method: 'goals.get',
    input: async (fixture) => ({ params: { ...(await fixture.goal()) } }),
    invoke: async (fixture) => fixture.api.goals.get(await fixture.goal(), fixture.signal),
    errors: { 404: () => ({ params: { code: missingUser, identification: missingUser } }) },
  },
  {
    id: 'goals',
    method: 'goals.page',
    input: () => ({ query: { pageNumber: 0, pageSize: 5 } }),
    invoke: ({ api, signal }) => api.goals.page({ pageNumber: 0, pageSize: 5 }, signal),
    errors: { 400: () => ({ query: { pageSize: -1 } }) },
    page: ({ api, signal }, pageNumber) => api.goals.page({ pageNumber, pageSize: 1 }, signal),
    bare: () => ({}),
  },
  {
    id: 'update-goal',
    method: 'goals.update',
    async input(fixture) {
      const key = await fixture.goal();
      return { params: { ...key }, json: edited(key.code) };
    },
    async invoke(fixture) {
      const key = await fixture.goal();
      await fixture.api.goals.update(key, edited(key.code), fixture.signal);
    },
    errors: { 404: () => ({ params: { code: missingUser, identification: missingUser }, json: edited(missingUser) }) },
  },
  {
    id: 'delete-goal',
    method: 'goals.remove',
    input: async (fixture) => ({ params: { ...(await fixture.goal()) } }),
    invoke: async (fixture) => fixture.api.goals.remove(await fixture.goal(), fixture.signal),
    errors: { 404: () => ({ params: { code: missingUser, identification: missingUser } }) },
  },
  {
    id: 'evaluation',
    method: 'evaluations.get',
    input: async (fixture) => ({ params: { id: String(await fixture.evaluationId()) } }),
    invoke: async (fixture) => fixture.api.evaluations.get(await fixture.evaluationId(), fixture.signal),
    errors: { 404: () => ({ params: { id: noId } }) },
  },
  {
    id: 'evaluations',
    method: 'evaluations.page',
    input: () => ({ query: { pageNumber: 0, pageSize: 5 } }),
    invoke: ({ api, signal }) => api.evaluations.page({ status: 'SUBMITTED', pageNumber: 0, pageSize: 5 }, signal),
    errors: { 400: () => ({ query: { pageSize: -1 } }) },
    page: ({ api, signal }, pageNumber) => api.evaluations.page({ pageNumber, pageSize: 1 }, signal),
    bare: () => ({}),
  },
];
