import { RollcallError } from '../core/errors.ts';
import type { SourceKind, SourceStarter } from '../ports/source.ts';

/** What `rollcall init` writes and says. Nothing here names a real person or place. */
export interface InitTemplate {
  /** Text of rollcall.yaml. It loads as soon as the environment variables that it names are set. */
  readonly config: string;
  /** Files to lie beside it; paths are relative to its folder. */
  readonly samples: readonly { readonly path: string; readonly text: string }[];
  /** What to do next, for the terminal. */
  readonly instructions: string;
}

/**
 * The starting point of that name, completed to a whole configuration. Throws `USAGE` for a name that no kind has.
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
    const message = `there is no source called ${name} to begin with; there are: ${names.join(', ')} (rollcall source list tells what each is)`;
    throw new RollcallError(message, { code: 'USAGE' });
  }
  return { config: configOf(starter), samples: starter.samples, instructions: instructionsOf(starter) };
}

/** A starter whose tokens rotate names this secret: rotating tokens are kept in the store, sealed with it. */
const keyName = 'ROLLCALL_KEY';

function configOf({ source, mapping, secrets }: SourceStarter): string {
  const hasKey = Object.hasOwn(secrets, keyName);
  const key = `encryptionKey: \${env:${keyName}}     # openssl rand -base64 32; seals the tokens in the store`;
  return `# Rollcall: keeps a platform's users equal to the HR system's employees.
# Every key is explained in docs/configuration.md. \${env:NAME} is an environment variable, \${file:path} a file's text.

# store: sqlite:./.rollcall/rollcall.db        # where Rollcall keeps its memory
${hasKey ? `${key}\n` : ''}
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

${indent(source)}

    # What it may do:
    #   create-only   create, nothing else
    #   upsert-only   create, update and enable; nobody is ever disabled
    #   sync          all of it: also disable leavers and people who are gone from the source
    policy: upsert-only

${indent(mapping)}

    # scope: "country = 'UY'"                  # who is meant at all
    # protected: [admin]                       # never disabled or removed
    # missing: { afterReads: 2, minAge: 24h }  # when somebody who is gone from the source is disabled (policy: sync)
    # remove: { afterDays: 30 }                # when a disabled account is deleted (policy: sync)
    # guards: { disables: { absolute: 5, percent: 5, cap: 100 } }
`;
}

/** As deep as the keys of a sync stand. */
function indent(text: string): string {
  return text.trimEnd().replace(/^(?=.)/gm, '    ');
}

function instructionsOf({ secrets, steps }: SourceStarter): string {
  const all = { ROLLCALL_ACCESS_TOKEN: 'access token of the platform', ...secrets };
  const width = Math.max(...Object.keys(all).map(({ length }) => length));
  const numbered = [
    ...steps,
    "Put the platform's address into rollcall.yaml, and look at its mapping.",
    `Set what rollcall.yaml takes from the environment:\n${Object.entries(all)
      .map(([variable, what]) => `       export ${`${variable}=…`.padEnd(width + 2)}   # ${what}`)
      .join('\n')}`,
    'See what the source gives:     rollcall source try people',
    'See whether all is well:       rollcall check',
    'See what would change:         rollcall plan people',
    'Do it:                         rollcall apply people',
  ];
  const lines = numbered.map((text, i) => `${String(i + 1).padStart(3)}. ${text}`);
  return `Next:
${lines.join('\n')}
Nothing is written to the platform before the last step.
`;
}
