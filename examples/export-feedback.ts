// Writes all feedback of a period to stdout, one JSON object per line, ready for jq or a data warehouse.
//
//   node examples/export-feedback.ts 2026-01-01 2026-06-30 > feedback.ndjson

import { once } from 'node:events';
import { connectPlatform, RollcallError } from 'rollcall/platform';

const [from = '', to = ''] = process.argv.slice(2);
const dayMs = 86_400_000;
const creationTimeFrom = Date.parse(`${from}T00:00:00Z`);
// The bound is inclusive: the last millisecond of the last day.
const creationTimeTo = Date.parse(`${to}T00:00:00Z`) + dayMs - 1;
const { PLATFORM_URL: baseUrl, PLATFORM_TOKEN: accessToken } = process.env;

if (!baseUrl || !accessToken || Number.isNaN(creationTimeFrom) || Number.isNaN(creationTimeTo)) {
  process.stderr.write(
    'usage: PLATFORM_URL=… PLATFORM_TOKEN=… node examples/export-feedback.ts YYYY-MM-DD YYYY-MM-DD\n',
  );
  process.exit(2);
}

const platform = connectPlatform({ baseUrl, accessToken, now: Date.now });
let count = 0;
try {
  for await (const feedback of platform.feedback.list({ creationTimeFrom, creationTimeTo })) {
    const line = {
      id: feedback.id,
      at: new Date(feedback.creationTime ?? 0).toISOString(),
      sender: feedback.sender?.identification,
      recipient: feedback.recipient?.identification,
      comment: feedback.comment,
      topics: (feedback.ratedTopics ?? []).map(({ name, value }) => ({ name, value })),
    };
    // Waits for the reader, so that any amount of feedback fits into memory.
    if (!process.stdout.write(`${JSON.stringify(line)}\n`)) await once(process.stdout, 'drain');
    count += 1;
  }
  process.stderr.write(`${count} feedback exported\n`);
} catch (error) {
  if (!(error instanceof RollcallError)) throw error;
  process.stderr.write(`stopped after ${count}: ${error.message}\n`);
  process.exitCode = 1;
} finally {
  await platform.close();
}
