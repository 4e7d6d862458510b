import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse, stringify } from 'yaml';

const run = promisify(execFile);
const cache = join(import.meta.dirname, '../../node_modules/.cache/prometheus');

/**
 * Where promtool is: $PROMTOOL, the one on the PATH, or the one of Debian's prometheus package, unpacked under node_modules
 * and not installed. Undefined when there is none.
 */
export async function findPromtool(): Promise<string | undefined> {
  const kept = join(cache, 'promtool');
  for (const candidate of [process.env.PROMTOOL, 'promtool', kept]) {
    if (candidate !== undefined && (await works(candidate))) return candidate;
  }
  return fetchPromtool(kept).catch(() => undefined);
}

function works(promtool: string): Promise<boolean> {
  return run(promtool, ['--version']).then(
    () => true,
    () => false,
  );
}

async function fetchPromtool(target: string): Promise<string> {
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, 'fetch-'));
  try {
    await run('apt-get', ['download', 'prometheus'], { cwd: folder, timeout: 60_000 });
    await run('sh', ['-c', 'dpkg -x prometheus_*.deb .'], { cwd: folder });
    await rename(join(folder, 'usr/bin/promtool'), target);
    return target;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}
export interface Rules {
  readonly groups: readonly { readonly name: string; readonly rules: readonly Rule[] }[];
}

/** Runs promtool on a file of its own, with the rules beside it. Gives what it said when it was not content. */
export async function ask(words: readonly string[], text: string, rulesBeside: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'rollcall-rules-'));
  try {
    await writeFile(join(folder, 'rules.yaml'), rulesBeside);
    await writeFile(join(folder, 'input.yaml'), text.replace('RULES', join(folder, 'rules.yaml')));
    await run((await findPromtool()) ?? '', [...words, join(folder, 'input.yaml')]);
    return '';
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { readonly stdout?: string; readonly stderr?: string };
    return `${stdout}${stderr}` || String(error);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The rules without their words, which the examples do not repeat. */
export const bare = (text: string): string => {
  const { groups } = parse(text) as Rules;
  return stringify({
    groups: groups.map((group) => ({
      ...group,
      rules: group.rules.map(({ annotations: _, ...rule }) => rule),
    })),
  });
};
