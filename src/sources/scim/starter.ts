import type { SourceStarter } from '../../ports/source.ts';

/** Starter of `rollcall init --source scim`. */
export const scimStarter: SourceStarter = {
  name: 'scim',
  source: `# Users of a SCIM 2.0 service (docs/sources/scim.md).
source:
  kind: scim
  baseUrl: https://idp.example.com/scim/v2       # without /Users
  auth: { kind: bearer, token: "\${env:SCIM_TOKEN}" }   # or basic, headers, client-credentials, refresh-token
  # SCIM leaves empty attributes out: only this list tells an empty one from one that may not be seen.
  attributes:
    [externalId, name.givenName, name.familyName, emails, title, enterprise.employeeNumber, enterprise.department]
  # filter: userType eq "Employee"               # who is meant; \`scope\` does the same here, and works everywhere
  # paging: auto                                 # index or cursor, where the server says nothing of itself
  # total: unreliable                            # exact, if totalResults is always right; ignored, if it counts too many
  # sortBy: id                                   # false for servers that refuse to sort
  # filters: false                               # for servers that refuse filters: all users are read each time
`,
  mapping: `# Field of the platform: attribute; dots reach inside, and enterprise is the enterprise extension.
mapping:
  identification: externalId
  firstName: name.givenName
  lastName: name.familyName
  email: { from: workEmail, transform: [trim, lowercase] }   # the primary address
  area: enterprise.department
  # job: title                                   # never shown by the platform, so compared with what was written last

# SCIM knows active and not active, and no dates. Who is deleted there is missing here.
lifecycle: { status: rollcallStatus, active: [active], leaver: [terminated] }
`,
  samples: [],
  secrets: { SCIM_TOKEN: 'a token of the SCIM service that may read all users, and nothing else' },
  steps: ['Put the address of the SCIM service (without /Users) and the attributes you map into rollcall.yaml.'],
};
