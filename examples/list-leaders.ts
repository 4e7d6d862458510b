// Prints who leads whom, as CSV: every enabled user with the main leader and the secondary ones.
//
//   node examples/list-leaders.ts > leaders.csv

import { connectPlatform, RollcallError } from 'rollcall/platform';

const { PLATFORM_URL: baseUrl, PLATFORM_TOKEN: accessToken } = process.env;
if (!baseUrl || !accessToken) {
  process.stderr.write('usage: PLATFORM_URL=… PLATFORM_TOKEN=… node examples/list-leaders.ts\n');
  process.exit(2);
}

/** A cell of RFC 4180. */
function cell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const platform = connectPlatform({ baseUrl, accessToken, now: Date.now });

async function lineOf(identification: string): Promise<string> {
  const main: string[] = [];
  const secondary: string[] = [];
  for await (const leader of platform.leaders.list(identification)) {
    if (leader.asMain) main.push(leader.identification);
    if (leader.asSecondary) secondary.push(leader.identification);
  }
  return [identification, main.join(' '), secondary.join(' ')].map(cell).join(',');
}

try {
  process.stdout.write('identification,main,secondary\n');
  // The scan proves that it returned every user once, or it fails. Many lookups at a time are fine: the connection's own
  // limits (10 calls a second, 4 at once) hold them back.
  for await (const { users } of platform.users.scan()) {
    const lines = await Promise.all(
      users.filter(({ enabled }) => enabled).map(({ identification }) => lineOf(identification)),
    );
    process.stdout.write(lines.map((line) => `${line}\n`).join(''));
  }
} catch (error) {
  if (!(error instanceof RollcallError)) throw error;
  process.stderr.write(`not complete: ${error.message}\n`);
  process.exitCode = 1;
} finally {
  await platform.close();
}
