// Sends a partial-provisioning file from standard input, and waits until the platform has processed it.
//
//   printf 'command,identification,firstName,lastName\nU,E000001,Ana,Pérez\n' | node examples/upload-people.ts people.csv
//
// A file without the column "command" is refused here: it would disable every user whom it does not name.

import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { connectPlatform, PlatformError } from 'rollcall/platform';

const [name] = process.argv.slice(2);
const { PLATFORM_URL: baseUrl, PLATFORM_TOKEN: accessToken } = process.env;
if (!baseUrl || !accessToken || name === undefined) {
  process.stderr.write('usage: PLATFORM_URL=… PLATFORM_TOKEN=… node examples/upload-people.ts NAME < FILE\n');
  process.exit(2);
}

const content = await text(process.stdin);
if (!content.startsWith('command,')) {
  process.stderr.write('the first column must be "command"\n');
  process.exit(2);
}

const platform = connectPlatform({ baseUrl, accessToken, now: Date.now });
try {
  // At most ten minutes for everything: `signal` is the last parameter of every call.
  const signal = AbortSignal.timeout(600_000);
  const { fileId, record } = await platform.userFiles.upload({ name, content, preprocessing: false }, signal);
  process.stderr.write(`file ${fileId} of ${record.fileDate}: ${record.fileStatus}\n`);
  let status = await platform.userFiles.status(fileId, signal);
  while (status.kind === 'pending') {
    await wait(500, undefined, { signal });
    status = await platform.userFiles.status(fileId, signal);
  }
  const end = status.kind === 'no-status' ? 'accepted; this platform does not show how it ends' : status.text;
  process.stdout.write(`${end}\n`);
  process.exitCode = status.kind === 'failed' ? 1 : 0;
} catch (error) {
  if (!(error instanceof PlatformError)) throw error;
  const advice = error.effect === 'none' ? 'Nothing was sent.' : 'It may have arrived: look before you send it again.';
  process.stderr.write(`${error.code}: ${error.message} ${advice}\n`);
  process.exitCode = 1;
} finally {
  await platform.close();
}
