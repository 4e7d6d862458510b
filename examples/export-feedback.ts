// Adds to a file what is new of the feedback or the evaluations: one JSON object per line, each state of an item once. Run it
// as often as you like. FILE.mark keeps how far it came; a run that was killed is repeated from there.
//
//   node examples/export-feedback.ts feedback feedback.ndjson
//   node examples/export-feedback.ts evaluations evaluations.ndjson

import { open, readFile, rename, writeFile } from 'node:fs/promises';
import { callOperation, connectPlatform, RollcallError } from 'rollcall/platform';

/** Everything up to `until` is in the first `bytes` of the file. `written`: the states that may be shown again. */
interface Mark {
  readonly until: number;
  readonly bytes: number;
  readonly written: readonly (readonly [state: string, at: number])[];
}

const [list = '', path] = process.argv.slice(2);
const { PLATFORM_URL: baseUrl, PLATFORM_TOKEN: accessToken } = process.env;
if (!baseUrl || !accessToken || !['feedback', 'evaluations'].includes(list) || path === undefined) {
  process.stderr.write('usage: PLATFORM_URL=… PLATFORM_TOKEN=… node export-feedback.ts feedback|evaluations FILE\n');
  process.exit(2);
}
/** An item may show up so long after its own time. */
const lateMs = 3_600_000;
const platform = connectPlatform({ baseUrl, accessToken, now: Date.now });

async function* itemsOf(from: number, to: number) {
  if (list === 'feedback') {
    const items = platform.feedback.list({ creationTimeFrom: from, creationTimeTo: to });
    for await (const item of items) yield { item, at: item.creationTime ?? 0 };
    return;
  }
  // An evaluation changes, and shows up by the time of each change.
  for (const time of ['creationTime', 'updateTime', 'submissionTime']) {
    for await (const item of platform.evaluations.list({ [`${time}From`]: from, [`${time}To`]: to })) {
      yield { item, at: Math.max(item.creationTime ?? 0, item.updateTime ?? 0, item.submissionTime ?? 0) };
    }
  }
}

async function keep(mark: Mark): Promise<void> {
  await writeFile(`${path}.new`, JSON.stringify(mark));
  await rename(`${path}.new`, `${path}.mark`);
}

try {
  await using file = await open(path, 'a');
  const known = await readFile(`${path}.mark`, 'utf8').catch(() => undefined);
  const mark: Mark = known ? JSON.parse(known) : { until: 0, bytes: (await file.stat()).size, written: [] };
  await keep(mark);
  await file.truncate(mark.bytes);
  // The platform's own time: this machine's clock may be ahead, and would then skip items.
  const { header } = await callOperation(platform.client, list === 'feedback' ? 'feedbacks' : 'evaluations', {});
  const until = Date.parse(header('date') ?? '');
  const from = Math.max(0, mark.until - lateMs);
  const written = new Map(mark.written);
  for await (const { item, at } of itemsOf(from, until)) {
    const state = `${item.id}@${at}`;
    if (at < from || at > until || written.has(state)) continue;
    // It names people: write no more of it than you need.
    await file.appendFile(`${JSON.stringify(item)}\n`);
    written.set(state, at);
  }
  await file.sync();
  const again = [...written].filter(([, at]) => at >= until - lateMs);
  await keep({ until, bytes: (await file.stat()).size, written: again });
  process.stderr.write(`${written.size - mark.written.length} new\n`);
} catch (error) {
  if (!(error instanceof RollcallError)) throw error;
  process.stderr.write(`stopped: ${error.message}\n`);
  process.exitCode = 1;
} finally {
  await platform.close();
}
