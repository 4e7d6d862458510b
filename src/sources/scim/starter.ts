import type { SourceStarter } from '../../ports/source.ts';

/** Starter of `rollcall init --source scim`. */
export const scimStarter: SourceStarter = {
  name: 'scim',
  source: `# Users of a SCIM 2.0 service (docs/sources/scim.md).
source:
  kind: scim
  baseUrl: https://idp.example.com/scim/v2       # without /Users
  auth: { kind: bearer, token: "\${env:SCIM_TOKEN}" }   # or basic, headers, client-credentials, refresh-token
  # SCIM leaves out empty attributes. Only this list tells an empty one from one that is not visible.
  attributes:
    [externalId, name.givenName, name.familyName, emails, title, enterprise.employeeNumber, enterprise.department]
  # filter: userType eq "Employee"               # selects users; \`scope\` does the same on every server
  # paging: auto                                 # index or cursor, if the server does not say
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
  # job: title                                   # the platform never shows it, so it is compared with the last write

# SCIM has active and inactive users, and no dates. A deleted user counts as missing.
lifecycle: { status: rollcallStatus, active: [active], leaver: [terminated] }
`,
  secrets: { SCIM_TOKEN: 'a token of the SCIM service that may read all users, and nothing else' },
  steps: ['Put the address of the SCIM service (without /Users) and the attributes you map into rollcall.yaml.'],
};
