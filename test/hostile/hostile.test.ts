import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { slowly } from '../support/slowness.ts';
import type { HostileReport } from './hostile.ts';

const script = fileURLToPath(new URL('hostile.ts', import.meta.url));

/** Plays one part in a process of its own, where an error that no code owns ends the process. */
function play(part: string): HostileReport {
  const child = spawnSync(process.execPath, [script, part], { encoding: 'utf8', timeout: slowly(400_000) });
  expect(child.signal, child.stderr).toBeNull();
  expect(child.stderr.replaceAll(/\(node:\d+\) \w*Warning.*\n|\(Use `node.*\n/g, '')).toBe('');
  const report: HostileReport = JSON.parse(child.stdout);
  return report;
}

describe('no input ends the process, and each ends in data or a classified error:', () => {
  it.each(['answers', 'documents', 'files'])('%s', { timeout: slowly(420_000) }, (part) => {
    const { inputs, wrong, longestStopMs, stops, tookMs } = play(part);

    expect(wrong).toEqual([]);
    process.stdout.write(
      `hostile ${part}: ${inputs} inputs in ${tookMs} ms, longest stop ${longestStopMs} ms by the clock, ${stops[0]?.ms} ms of CPU (${stops[0]?.input})\n`,
    );
  });
});
