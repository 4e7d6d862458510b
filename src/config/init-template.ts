import { RollcallError } from '../core/errors.ts';

/** What `rollcall init` writes and says. Nothing here names a real person or place. */
export interface InitTemplate {
  /** Text of rollcall.yaml. It loads as soon as the environment variables that it names are set. */
  readonly config: string;
  /** Files to lie beside it; paths are relative to its folder. */
  readonly samples: readonly { readonly path: string; readonly text: string }[];
  /** What to do next, for the terminal. */
  readonly instructions: string;
}

/** A commented starter configuration for a kind of source. Throws `USAGE` for a kind without one. */
export function initTemplate({ sourceKind }: { readonly sourceKind: string }): InitTemplate {
  if (sourceKind !== 'csv') {
    const message = `there is no starter configuration for sources of kind ${sourceKind}; use: rollcall init --source csv`;
    throw new RollcallError(message, { code: 'USAGE' });
  }
  return { config: csvConfig, samples: [{ path: 'employees.csv', text: csvSample }], instructions };
}

const csvConfig = `# Rollcall: keeps a platform's users equal to the HR system's employees.
# Every key is explained in docs/configuration.md. \${env:NAME} is an environment variable, \${file:path} a file's text.

# store: sqlite:./.rollcall/rollcall.db        # where Rollcall keeps its memory

connections:
  acme:                                        # any name
    baseUrl: https://platform.example.com      # without /os-api and /growth
    accessToken: \${env:ROLLCALL_ACCESS_TOKEN}
    # A fixed access token ends one day. To have tokens renewed, give these three instead of accessToken:
    # applicationToken: \${env:ROLLCALL_APPLICATION_TOKEN}
    # refreshToken: \${file:secrets/acme-refresh}
    # (and at the top of this file)  encryptionKey: \${env:ROLLCALL_KEY}     # openssl rand -base64 32
    # limits: { requestsPerSecond: 10, concurrency: 4 }
    # dialect: {}                              # what the platform's API leaves open: docs/platform-assumptions.md

syncs:
  people:                                      # any name
    connection: acme
    # schedule: { cron: "*/15 * * * *", timezone: UTC }     # without it: only when you say so
    source: { kind: csv, path: ./employees.csv, complete: stable }

    # What it may do:
    #   create-only   create, nothing else
    #   upsert-only   create, update and enable; nobody is ever disabled
    #   sync          all of it: also disable leavers and people who are gone from the source
    policy: upsert-only

    # Field of the platform: column of the file.
    mapping:
      identification: employee_id
      firstName: first_name
      lastName: last_name
      email: { from: work_email, transform: [trim, lowercase] }
      area: department
      orgEntryDate: { from: hire_date, format: dd/MM/yyyy }
      # job: title                             # never shown by the platform, so compared with what was written last
      # account: { value: Acme }
      # seniority: { expression: "$number(level) > 5 ? 'Senior' : 'Junior'" }
      # customFields: { 1: cost_center }

    # Who works here and who left. A status in neither list does nothing.
    lifecycle: { status: status, active: [active, leave], leaver: [terminated], leaveDate: end_date, dateFormat: dd/MM/yyyy }

    # scope: "country = 'UY'"                  # who is meant at all
    # protected: [admin]                       # never disabled or removed
    # missing: { afterReads: 2, minAge: 24h }  # when somebody who is gone from the file is disabled (policy: sync)
    # remove: { afterDays: 30 }                # when a disabled account is deleted (policy: sync)
    # guards: { disables: { absolute: 5, percent: 5, cap: 100 } }
`;

const csvSample = `employee_id,first_name,last_name,work_email,department,hire_date,status,end_date
1001,Ana,Álvarez,ana.alvarez@example.com,Finance,04/03/2019,active,
1002,Bruno,Okafor,bruno.okafor@example.com,Sales,17/08/2021,active,
1003,Chloé,"Müller, Dr.",chloe.mueller@example.com,Engineering,01/02/2023,leave,
1004,Darío,Sato,dario.sato@example.com,Sales,12/11/2018,terminated,30/06/2024
`;

const instructions = `Next:
  1. Put the platform's address and your columns into rollcall.yaml; employees.csv shows what they belong to.
  2. Set the token:              export ROLLCALL_ACCESS_TOKEN=…
  3. See whether all is well:    rollcall check
  4. See what would change:      rollcall plan people
  5. Do it:                      rollcall apply people
Nothing is written to the platform before step 5.
`;
