import { startSandbox } from '../src/sandbox/index.ts';
import { loadPeople } from './load-people.ts';

/** Where the platform of a load listens. */
export interface LoadPlatformNews {
  readonly url: string;
  readonly accessToken: string;
}

const pageSize = 100;

/** A sandbox in a process of its own, so that its work and its memory are not counted as ours. */
async function main(users: number): Promise<void> {
  const sandbox = await startSandbox({
    now: Date.now,
    processingMs: 200,
    accessTokenLifeMs: 86_400_000,
    people: loadPeople(users),
    quirks: { maxPageSize: pageSize },
  });
  process.on('disconnect', () => void sandbox.close());
  const { url, accessToken } = sandbox;
  process.send?.({ url, accessToken } satisfies LoadPlatformNews);
}

await main(Number(process.argv[2]));
