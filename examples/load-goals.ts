// Creates the goals of a CSV file, or updates those that are there already. Run it as often as you like.
//
//   node examples/load-goals.ts goals.csv
//
// Columns: code,title,description,type,weighting,assignment,assignedTo,locale

import { createReadStream } from 'node:fs';
import { parse } from 'csv-parse';
import { connectPlatform, type GoalPayload, PlatformError } from 'rollcall/platform';

const [file] = process.argv.slice(2);
const { PLATFORM_URL: baseUrl, PLATFORM_TOKEN: accessToken } = process.env;
if (!baseUrl || !accessToken || file === undefined) {
  process.stderr.write('usage: PLATFORM_URL=… PLATFORM_TOKEN=… node examples/load-goals.ts FILE\n');
  process.exit(2);
}

const platform = connectPlatform({ baseUrl, accessToken, now: Date.now });

/** What a row says; the client checks it against the API's rules before it sends anything. */
function goalOf(row: Record<string, string>): GoalPayload {
  const { code = '', title = '', description, type, weighting, assignment, assignedTo = '', locale = 'en' } = row;
  const kinds = { type, assignment } as Pick<GoalPayload, 'type' | 'assignment'>;
  return { code, title, description: description || null, ...kinds, weighting: Number(weighting), assignedTo, locale };
}

async function exists(goal: GoalPayload): Promise<boolean> {
  try {
    await platform.goals.get({ code: goal.code, identification: goal.assignedTo });
    return true;
  } catch (error) {
    if (error instanceof PlatformError && error.status === 404) return false;
    throw error;
  }
}

async function load(goal: GoalPayload): Promise<'created' | 'updated'> {
  if (!(await exists(goal))) {
    await platform.goals.create(goal);
    return 'created';
  }
  const { type: _type, assignment: _assignment, assignedTo: identification, ...edited } = goal;
  await platform.goals.update({ code: goal.code, identification }, edited);
  return 'updated';
}

const counts = { created: 0, updated: 0, failed: 0 };
let line = 1;
try {
  const rows = createReadStream(file).pipe(parse({ columns: true, bom: true, skipEmptyLines: true }));
  for await (const row of rows) {
    line += 1;
    try {
      counts[await load(goalOf(row))] += 1;
    } catch (error) {
      // A refused goal is told, and the others go on. When nobody knows whether a goal arrived, running again finds out.
      if (!(error instanceof PlatformError)) throw error;
      counts.failed += 1;
      process.stderr.write(`goal ${line - 1}: ${error.message}\n`);
    }
  }
} finally {
  await platform.close();
}
process.stdout.write(`${counts.created} created, ${counts.updated} updated, ${counts.failed} failed\n`);
process.exitCode = counts.failed === 0 ? 0 : 1;
