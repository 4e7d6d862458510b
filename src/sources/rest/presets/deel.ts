import { lifecycleSection } from '../../kit/employment-status.ts';
import { plainDates, type RestPreset } from './preset.ts';

/** Deel, `GET /rest/v2/people`. */
export const deel: RestPreset = {
  name: 'deel',
  config: {
    baseUrl: 'https://api.letsdeel.com/rest/v2',
    path: '/people',
    items: 'data',
    key: 'id',
    total: 'page.total_rows',
    // The name of the total is not proven. The overlap shows when people move between pages.
    paging: { style: 'offset', size: 100, overlap: 1 },
    fields: {
      workEmail: { from: 'emails', where: { type: 'work' }, take: 'value' },
      personalEmail: { from: 'emails', where: { type: 'personal' }, take: 'value' },
      // One person, many contracts: the open one, else the newest.
      contract: { from: 'employments', prefer: { is_ended: false }, latest: 'start_date' },
      ...plainDates('start_date', 'completion_date', 'birth_date'),
    },
    status: {
      from: 'hiring_status',
      map: {
        active: 'active',
        offboarding: 'active',
        onboarding: 'prehire',
        onboarding_overdue: 'prehire',
        inactive: 'terminated',
      },
      hireDate: 'start_date',
    },
    holds: { terminated: 'configurable', future: 'configurable' },
  },
  starter: {
    source: `source:
  kind: rest
  preset: deel
  auth: { kind: bearer, token: "\${env:DEEL_TOKEN}" }
`,
    mapping: `mapping:
  identification: worker_id
  firstName: first_name
  lastName: last_name
  email: { from: workEmail, transform: [trim, lowercase] }
  job: job_title
  area: department.name
  orgEntryDate: start_date

# prehire and unknown are in neither list: these people are not changed.
${lifecycleSection({ hireDate: 'start_date', leaveDate: 'completion_date' })}`,
    secrets: { DEEL_TOKEN: 'an organisation token with the scope people:read' },
    steps: [
      'In Deel, make an organisation token with the scope people:read and no other.',
      'See which values hiring_status has, and map those that are missing: rollcall source try people',
    ],
  },
};
