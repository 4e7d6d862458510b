import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { runCli } from '../../src/cli/run-cli.ts';
import { openProcessIo } from '../../src/main/process.ts';
import { openDemoWorld } from '../../src/sandbox/demo-world.ts';
import { drawBadges } from './badges.ts';
import { drawTerminal } from './terminal-picture.ts';

const columns = 112;

/**
 * Runs the commands of the pictures on the demo's platform. Returns their pictures and the badges by their file names in
 * docs/pictures.
 */
export async function drawPictures(): Promise<ReadonlyMap<string, string>> {
  const folder = await mkdtemp(join(tmpdir(), 'rollcall-pictures-'));
  const world = await openDemoWorld(folder, Date.now);
  const show = async (...words: readonly string[]): Promise<string> => {
    const output = await runOnTerminal(words, world.configPath);
    return `\u001b[2m$\u001b[22m \u001b[1mrollcall ${words.join(' ')}\u001b[22m\n\n${output}`;
  };
  try {
    const plan = await show('plan', 'people', '--limit', '4');
    const digest = /--approve (\w+)/.exec(plan)?.[1] ?? '';
    const apply = await show('apply', 'people', '--approve', digest);
    const why = await show('why', 'people', world.leaver);
    return new Map([
      ...drawBadges(),
      ['plan.svg', drawTerminal(plan, { columns, title: 'rollcall plan' })],
      ['apply.svg', drawTerminal(apply, { columns, title: 'rollcall apply' })],
      ['why.svg', drawTerminal(why, { columns, title: 'rollcall why' })],
    ]);
  } finally {
    await world.sandbox.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Runs one command line in this process, and returns what it prints on a terminal, with its colors. */
async function runOnTerminal(words: readonly string[], config: string): Promise<string> {
  const stdout = keeper(true);
  const self = Object.create(process, {
    stdin: { value: { isTTY: false } },
    stdout: { value: stdout.output },
    stderr: { value: keeper(false).output },
    env: { value: { TERM: 'xterm-256color', ROLLCALL_CONFIG: config } },
  }) as NodeJS.Process;
  await runCli(words, openProcessIo(self, new AbortController().signal));
  return stdout.text();
}

function keeper(isTTY: boolean) {
  const pieces: string[] = [];
  const output = new Writable({
    write(piece: Buffer, _encoding, done) {
      pieces.push(piece.toString());
      done();
    },
  });
  return { output: Object.assign(output, { isTTY, columns }), text: () => pieces.join('') };
}
