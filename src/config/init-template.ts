import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { usageError } from '../core/run/errors.ts';
import type { ProposedSections, SourceKind, SourceStarter } from '../ports/source.ts';

/**
 * Returns what `rollcall init` writes and prints: the starter of that name, completed to a whole configuration, which
 * loads once the environment variables that it names are set. Throws `USAGE` for an unknown name.
 */
export function initTemplate(kinds: readonly SourceKind[], name: string) {
  const starters = kinds.flatMap((kind) => kind.starters);
  const starter = starters.find((one) => one.name === name);
  if (starter === undefined) {
    const names = starters.map((one) => one.name);
    const message = `no source starter is called ${name}; available are: ${names.join(', ')} (see: rollcall source list)`;
    throw usageError(message);
  }
  return { config: configOf(starter), samples: starter.samples ?? [], instructions: instructionsOf(starter) };
}

/** Starters with rotating tokens name this secret, which seals the tokens in the store. */
const keyName = 'ROLLCALL_KEY';

/** Returns `init.yaml` with proposed sections and a page on this machine. */
export function proposedConfig({ sync, policy, baseUrl, tokenVariable, ...sections }: ProposedSections): string {
  const text = configOf({ ...sections, secrets: {} })
    .replace('  people: ', () => `  ${sync}: `)
    .replace('policy: upsert-only', () => `policy: ${policy}`)
    .replaceAll('ROLLCALL_ACCESS_TOKEN', () => tokenVariable)
    .replace('https://platform.example.com', () => baseUrl ?? 'https://platform.example.com');
  return `${text}
# The page, on this machine only. rollcall start prints its address and a link that signs in once.
server:
  host: 127.0.0.1
  port: 8080
  signInLink: admin
`;
}

/** Returns `init.yaml` with the sections of the starter. */
function configOf({ source, mapping, secrets }: Pick<SourceStarter, 'source' | 'mapping' | 'secrets'>): string {
  const hasKey = Object.hasOwn(secrets, keyName);
  const key = `encryptionKey: \${env:${keyName}}     # openssl rand -base64 32; seals the tokens in the store`;
  // Functions as replacements, because `$&` and the like have a meaning in a text.
  return readFileSync(join(import.meta.dirname, 'init.yaml'), 'utf8')
    .replace('# (encryptionKey)\n', () => (hasKey ? `${key}\n` : ''))
    .replace('    # (source)', () => indent(source))
    .replace('    # (mapping)', () => indent(mapping));
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
