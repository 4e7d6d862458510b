import type { SourceStarter } from '../../ports/source.ts';

/** Starter of `rollcall init --source rest`: an API without its own kind or preset. */
export const restStarter: SourceStarter = {
  name: 'rest',
  source: `source:
  kind: rest
  baseUrl: https://hr.example.com/api          # requests go to this host only
  path: /v1/people
  # query: { include: department }
  auth: { kind: bearer, token: "\${env:HR_TOKEN}" }   # or none, basic, headers, client-credentials, refresh-token
  items: data                                  # path of the list in an answer; . if the answer is the list
  key: id                                      # identifies a record
  total: meta.total                            # number of people; remove it unless it is exact
  paging: { style: offset, size: 100 }         # none, page, cursor, after-id, next-link, link-header …: docs/sources/rest.md
  # limits: { requestsPerSecond: 5, timeout: 60s, deadline: 15m }
  # fields: { hired: { from: start_date, date: true }, mail: { from: emails, where: { type: work }, take: value } }
  status:                                      # becomes the field rollcallStatus
    from: status
    map: { active: active, leave: leave, terminated: terminated }
    # hireDate: start_date                     # before it an active person is prehire
    # terminationDate: end_date                # after it the person is terminated
`,
  mapping: `# Field of the platform: field of the source; dots reach inside.
mapping:
  identification: id
  firstName: first_name
  lastName: last_name
  email: { from: email, transform: [trim, lowercase] }

# prehire and unknown are in neither list: these people are not changed.
lifecycle: { status: rollcallStatus, active: [active, leave, suspended], leaver: [terminated] }
`,
  secrets: { HR_TOKEN: 'the token of an API account that may read all people, and nothing else' },
  steps: [
    'Put the address, the paths and the paging of your API into rollcall.yaml; docs/sources/rest.md explains each key.',
  ],
};
