import { type ChildProcess, fork } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runSync } from '../src/app/requests.ts';
import { createExpressions } from '../src/config/expressions.ts';
import { loadConfig } from '../src/config/load-config.ts';
import { openApp } from '../src/main/app.ts';
import { openEngine } from '../src/main/engine.ts';
import { systemClock as clock, newUlid } from '../src/main/process.ts';
import { knownKinds } from '../src/sources/kinds.ts';
import { loadPeople } from './load-people.ts';
import type { LoadPlatformNews } from './load-platform.ts';
import { silent } from './updates-world.ts';

/** Half of the changes are creates, half are updates of users who are there. */
export interface LoadOrder {
  readonly changes: number;
  readonly folder: string;
}

/** Requests of one run, by what they were for. */
export interface LoadRequests {
  readonly planning: number;
  readonly lookups: number;
  readonly uploads: number;
  readonly polls: number;
  readonly readBack: number;
}

export interface LoadResult {
  readonly changes: number;
  readonly outcome: string;
  readonly requests: LoadRequests;
  /** Two scans, and an upload and a poll for each file. */
  readonly floor: number;
  readonly seconds: number;
  readonly peakRssMb: number;
}

const batchRows = 1000;
const pageSize = 100;

/** Applies one load to a new platform. Run as a child process of its own, which sends the `LoadResult`. */
async function load({ changes, folder }: LoadOrder): Promise<LoadResult> {
  const creates = Math.floor(changes / 2);
  const users = changes;
  const platform = await startPlatform(users);
  try {
    const path = await writeWorld({ users, creates, folder, platform });
    const config = await loadConfig(path, { env: {}, sourceKinds: knownKinds, expressions: createExpressions() });
    const engine = await openEngine(config, {
      clock,
      logger: silent,
      newId: newUlid,
      checkpoint: () => {},
      mayPresentSeed: true,
    });
    const app = openApp(config, engine);
    try {
      const requests = { planning: 0, lookups: 0, uploads: 0, polls: 0, readBack: 0 };
      let purpose: 'planning' | 'lookups' | 'readBack' = 'planning';
      engine.meter.attach({
        requestEnded({ operation }) {
          if (operation.startsWith('POST ')) requests.uploads += 1;
          else if (operation.includes('userFiles')) requests.polls += 1;
          else requests[purpose] += 1;
        },
        tokenPresented: () => {},
      });
      const began = clock.now();
      const report = await runSync(app, 'people', {
        signal: AbortSignal.timeout(7_200_000),
        by: 'shell:bench',
        progress: ({ step }) => {
          if (step === 'looking-up') purpose = 'lookups';
          if (step === 'delivering' || step === 'proving' || step === 'reading-back') purpose = 'readBack';
        },
      });
      const seconds = (clock.now() - began) / 1000;
      const files = report.batches.filter(({ kind }) => kind === 'csv').length;
      // Each scan starts with a search that counts the enabled users.
      const scan = (people: number): number => Math.ceil(people / pageSize) + 1;
      const { outcome = '', reason } = report.run;
      return {
        changes: report.run.counts.applied,
        outcome: reason === undefined ? outcome : `${outcome}: ${reason}`,
        requests,
        floor: scan(users) + 2 * files + scan(users + creates),
        seconds,
        peakRssMb: (process.resourceUsage().maxRSS * 1024) / 1e6,
      };
    } finally {
      await app.close();
    }
  } finally {
    platform.close();
  }
}

interface Platform {
  readonly url: string;
  readonly accessToken: string;
  close(): void;
}

async function startPlatform(users: number): Promise<Platform> {
  const child = fork(join(import.meta.dirname, 'load-platform.ts'), [String(users)], {
    execArgv: ['--max-old-space-size=6144'],
  });
  const listening = await nextNews(child);
  const { url, accessToken } = listening;
  return {
    url,
    accessToken,
    close: () => child.disconnect(),
  };
}

function nextNews(child: ChildProcess): Promise<LoadPlatformNews> {
  return new Promise((resolve, reject) => {
    child.once('message', (news) => resolve(news as LoadPlatformNews));
    child.once('exit', (code) => reject(new Error(`the platform has ended with ${code}`)));
  });
}

interface World {
  readonly users: number;
  readonly creates: number;
  readonly folder: string;
  readonly platform: Platform;
}

async function writeWorld({ users, creates, folder, platform }: World): Promise<string> {
  const lines = ['id,first,last,mail,area,status\n'];
  const updates = users - Math.floor(users / 2);
  let number = 0;
  for (const { identification, fields } of loadPeople(users + creates)) {
    number += 1;
    const area = number <= updates ? 'South' : fields.area;
    lines.push(`${identification},${fields.firstName},${fields.lastName},${fields.email},${area},active\n`);
  }
  await writeFile(join(folder, 'employees.csv'), lines.join(''));
  const all = { absolute: users + creates, percent: 100 };
  const config = {
    store: 'sqlite:./rollcall.db',
    connections: {
      acme: {
        baseUrl: platform.url,
        accessToken: platform.accessToken,
        limits: { requestsPerSecond: 1000, concurrency: 4 },
        dialect: { search: { pageSize } },
      },
    },
    syncs: {
      people: {
        connection: 'acme',
        source: { kind: 'csv', path: './employees.csv', complete: 'stable' },
        policy: 'sync',
        delivery: 'csv',
        batchRows,
        mapping: { identification: 'id', firstName: 'first', lastName: 'last', email: 'mail', area: 'area' },
        lifecycle: { status: 'status', active: ['active'], leaver: ['left'] },
        guards: { updates: all, creates: all },
      },
    },
  };
  const path = join(folder, 'rollcall.json');
  await writeFile(path, JSON.stringify(config));
  return path;
}

process.send?.(await load(JSON.parse(process.argv[2] ?? '{}') as LoadOrder));
process.disconnect();
