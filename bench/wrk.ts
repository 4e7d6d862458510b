import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

/** What the load tool saw of one address, in milliseconds. */
export interface Load {
  readonly requests: number;
  /** Answers of 400 and above. */
  readonly errors: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

export interface LoadOrder {
  readonly url: string;
  readonly token?: string;
  readonly connections: number;
  /** How long each connection waits after an answer before it asks again. */
  readonly pauseMs: number;
}

/** Waits before each request: what is to be seen is how long an answer takes, not how many there can be. */
const script = (pauseMs: number): string => `
function delay() return ${pauseMs} end
function done(summary, latency)
  local e = summary.errors
  io.write(string.format('{"requests":%d,"errors":%d,"p50":%f,"p99":%f,"max":%f}',
    summary.requests, e.status,
    latency:percentile(50) / 1000, latency:percentile(99) / 1000, latency.max / 1000))
end
`;

/** Loads one address with wrk until it is told to stop. Throws when wrk is not there. */
export async function startLoad(folder: string, order: LoadOrder): Promise<{ stop(): Promise<Load> }> {
  const { url, token, connections, pauseMs } = order;
  const path = join(folder, `pause-${pauseMs}.lua`);
  await writeFile(path, script(pauseMs));
  const headers = token === undefined ? [] : ['-H', `Authorization: Bearer ${token}`];
  const args = ['-t1', `-c${connections}`, '-d1h', '--timeout', '30s', '-s', path, ...headers, url];
  const wrk = spawn('wrk', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const output = text(wrk.stdout);
  await once(wrk, 'spawn').catch(() => {
    throw new Error('wrk is not in PATH (Debian: apt-get install wrk)');
  });
  return {
    async stop() {
      // It stops its load and tells what it has seen.
      wrk.kill('SIGINT');
      const told = await output;
      const found = /\{"requests".*\}/.exec(told)?.[0];
      if (found !== undefined) return JSON.parse(found) as Load;
      process.stderr.write(`wrk reported no latencies of ${url}: ${told}\n`);
      return { requests: 0, errors: 0, p50: Number.NaN, p99: Number.NaN, max: Number.NaN };
    },
  };
}
