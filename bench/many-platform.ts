import { startSandbox } from '../src/sandbox/index.ts';

/** Empty platforms, each with its address and a token that lasts. */
export type ManyPlatforms = readonly { readonly url: string; readonly accessToken: string }[];

/** Sandboxes in a process of their own, until the parent lets go. Run as a child process with their number. */
async function serve(count: number): Promise<void> {
  const sandboxes = await Promise.all(
    Array.from({ length: count }, () =>
      startSandbox({ now: () => Date.now(), processingMs: 200, accessTokenLifeMs: 1e12 }),
    ),
  );
  const news: ManyPlatforms = sandboxes.map(({ url, accessToken }) => ({ url, accessToken }));
  process.send?.(news);
  process.once('disconnect', () => void Promise.all(sandboxes.map((sandbox) => sandbox.close())));
}

await serve(Number(process.argv[2]));
