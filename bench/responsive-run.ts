import { createExpressions } from '../src/config/expressions.ts';
import { loadConfig } from '../src/config/load-config.ts';
import { openApp } from '../src/main/app.ts';
import { openEngine } from '../src/main/engine.ts';
import { systemClock as clock, newUlid } from '../src/main/process.ts';
import { requestRun } from '../src/run/request-run.ts';
import { knownKinds } from '../src/sources/kinds.ts';
import { type LoopWatch, watchLoop } from './loop-stops.ts';
import type { ResponsiveNews, ResponsiveOrder } from './responsive-order.ts';
import { type StepWatch, watchSteps } from './steps.ts';
import { silent } from './updates-world.ts';

/** So long what it has done is looked at: a run that holds much is not cheap to show. */
const afterwardsMs = 3000;

/** `rollcall start` with its server; does one run when its parent says so. Run as a child process; sends `ResponsiveNews`. */
async function work({ config: path, explain }: ResponsiveOrder): Promise<void> {
  const config = await loadConfig(path, { env: {}, sourceKinds: knownKinds, expressions: createExpressions() });
  const parts = { clock, logger: silent, newId: newUlid, checkpoint: () => {}, mayPresentSeed: true };
  const engine = await openEngine(config, parts);
  const app = openApp(config, engine);
  const { runs } = engine.io.store;
  const stopping = new AbortController();
  let watch: LoopWatch | undefined;
  let steps: StepWatch | undefined;
  const started = app.start({
    signal: stopping.signal,
    progress: ({ step }) => {
      watch?.doing(step);
      steps?.doing(step);
    },
    onReady: () => {},
    onListening: (url) => tell({ kind: 'listening', url }),
    role: 'all',
  });
  const failed = started.then(() => Promise.reject(new Error('the deployment has ended by itself')));
  await Promise.race([new Promise((resolve) => process.once('message', resolve)), failed]);
  const idleRssMb = process.memoryUsage.rss() / 1e6;
  watch = await watchLoop(explain);
  steps = watchSteps();
  const before = process.cpuUsage();
  await requestRun({ sync: 'people', kind: 'manual', scope: { kind: 'all' } }, engine.io);
  const look = async () => (await runs.list({ limit: 1 }))[0];
  let run = await look();
  for (; run === undefined; run = await look()) await Promise.race([clock.sleep(20), failed]);
  tell({ kind: 'running', run: run.id });
  for (; run === undefined || run.phase !== 'done'; run = await look()) await Promise.race([clock.sleep(100), failed]);
  const cpu = process.cpuUsage(before);
  watch.doing('afterwards');
  steps.doing('afterwards');
  await Promise.race([clock.sleep(afterwardsMs), failed]);
  const loop = await watch.end();
  const { outcome, counts, reason, endedAt = 0, startedAt } = run;
  tell({
    kind: 'ended',
    outcome: `${outcome}${reason === undefined ? '' : `: ${reason}`}`,
    changes: counts.create + counts.update,
    seconds: (endedAt - startedAt) / 1000,
    cpuSeconds: (cpu.user + cpu.system) / 1e6,
    idleRssMb,
    peakRssMb: (process.resourceUsage().maxRSS * 1024) / 1e6,
    loop,
    steps: steps.end(),
  });
  // The parent stops its load tools first: a closed server would count as errors.
  await new Promise((resolve) => process.once('message', resolve));
  stopping.abort(new Error('the run has ended'));
  await started;
  await app.close();
}

function tell(news: ResponsiveNews): void {
  process.send?.(news);
}

await work(JSON.parse(process.argv[2] ?? '{}') as ResponsiveOrder);
process.disconnect();
