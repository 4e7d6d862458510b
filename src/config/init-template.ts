import { RollcallError } from '../core/run/errors.ts';
import type { SourceKind, SourceStarter } from '../ports/source.ts';

/** What `rollcall init` writes and prints. Contains no real person or place. */
export interface InitTemplate {
  /** Text of rollcall.yaml. It loads once the environment variables that it names are set. */
  readonly config: string;
  /** Sample files. Paths are relative to the folder of rollcall.yaml. */
  readonly samples: readonly { readonly path: string; readonly text: string }[];
  /** Next steps, for the terminal. */
  readonly instructions: string;
}

/**
 * Returns the starter of that name, completed to a whole configuration. Throws `USAGE` for an unknown name.
 */
export function initTemplate({
  kinds,
  name,
}: {
  readonly kinds: readonly SourceKind[];
  readonly name: string;
}): InitTemplate {
  const starters = kinds.flatMap((kind) => kind.starters);
  const starter = starters.find((one) => one.name === name);
  if (starter === undefined) {
    const names = starters.map((one) => one.name);
    const message = `no source starter is called ${name}; available are: ${names.join(', ')} (see: rollcall source list)`;
    throw new RollcallError(message, { code: 'USAGE' });
  }
  return { config: configOf(starter), samples: starter.samples ?? [], instructions: instructionsOf(starter) };
}

/** Starters with rotating tokens name this secret, which seals the tokens in the store. */
const keyName = 'ROLLCALL_KEY';

function configOf({ source, mapping, secrets }: SourceStarter): string {
  const hasKey = Object.hasOwn(secrets, keyName);
  const key = `encryptionKey: \${env:${keyName}}     # openssl rand -base64 32; seals the tokens in the store`;
  return `# Rollcall: keeps a platform's users equal to the HR system's employees.
# Every key is explained in docs/configuration.md. \${env:NAME} is an environment variable, \${file:path} a file's text.

# store: sqlite:./.rollcall/rollcall.db        # where Rollcall keeps its state
${hasKey ? `${key}\n` : ''}
connections:
  acme:                                        # any name
    baseUrl: https://platform.example.com      # without /os-api and /growth
    accessToken: \${env:ROLLCALL_ACCESS_TOKEN}
    # A fixed access token expires. To let Rollcall refresh tokens, set these three instead of accessToken:
    # applicationToken: \${env:ROLLCALL_APPLICATION_TOKEN}
    # refreshToken: \${file:secrets/acme-refresh}
    # (and at the top of this file)  encryptionKey: \${env:ROLLCALL_KEY}     # openssl rand -base64 32
    # limits: { requestsPerSecond: 10, concurrency: 4 }
    # dialect: {}                              # properties that the API contract does not define: docs/platform-assumptions.md

syncs:
  people:                                      # any name
    connection: acme
    # schedule: { cron: "*/15 * * * *", timezone: UTC }     # without a schedule: only on request

${indent(source)}

    # What it may do:
    #   create-only   create, nothing else
    #   upsert-only   create, update and enable; never disables a user
    #   sync          all of it: also disable leavers and people who are gone from the source
    policy: upsert-only

${indent(mapping)}

    # scope: "country = 'UY'"                  # which employees are in scope
    # protected: [admin]                       # never disabled or removed
    # missing: { afterReads: 2, minAge: 24h }  # when a missing employee is disabled (policy: sync)
    # remove: { afterDays: 30 }                # when a disabled account is deleted (policy: sync)
    # guards: { disables: { absolute: 5, percent: 5, cap: 100 } }
`;
}

/** Indents to the depth of a sync's keys. */
function indent(text: string): string {
  return text.trimEnd().replace(/^(?=.)/gm, '    ');
}

function instructionsOf({ secrets, steps }: SourceStarter): string {
  const all = { ROLLCALL_ACCESS_TOKEN: 'access token of the platform', ...secrets };
  const width = Math.max(...Object.keys(all).map(({ length }) => length));
  const numbered = [
    ...steps,
    "Enter the platform's address in rollcall.yaml, and check its mapping.",
    `Set the environment variables of rollcall.yaml:\n${Object.entries(all)
      .map(([variable, what]) => `       export ${`${variable}=…`.padEnd(width + 2)}   # ${what}`)
      .join('\n')}`,
    'Try the source:                rollcall source try people',
    'Check the configuration:       rollcall check',
    'Preview the changes:           rollcall plan people',
    'Apply them:                    rollcall apply people',
  ];
  const lines = numbered.map((text, i) => `${String(i + 1).padStart(3)}. ${text}`);
  return `Next:
${lines.join('\n')}
Nothing is written to the platform before the last step.
`;
}
