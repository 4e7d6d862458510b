// Prints the users of a search, with tokens that are refreshed and kept in a file. Run it as often as you like:
// the first refresh token is used once, and any number of programs may share the file.
//
//   node examples/rotate-tokens.ts tokens.json ana

import { connectPlatform, openFileCustody, RollcallError } from 'rollcall/platform';

const [path, searchString = ''] = process.argv.slice(2);
const { PLATFORM_URL: baseUrl, APPLICATION_TOKEN: applicationToken, TOKEN_KEY: encryptionKey } = process.env;
// Required at the first run only, and again after REAUTH_REQUIRED.
const { REFRESH_TOKEN: refreshToken } = process.env;
if (!baseUrl || !applicationToken || !encryptionKey || path === undefined) {
  process.stderr.write(
    'usage: PLATFORM_URL=… APPLICATION_TOKEN=… TOKEN_KEY=$(openssl rand -base64 32) REFRESH_TOKEN=… ' +
      'node examples/rotate-tokens.ts FILE [SEARCH]\n',
  );
  process.exit(2);
}

const platform = connectPlatform({
  baseUrl,
  applicationToken,
  tokens: { custody: openFileCustody({ path }), encryptionKey, ...(refreshToken ? { refreshToken } : {}) },
  now: Date.now,
});
try {
  for await (const { page, items } of platform.users.pages({ searchString, enabled: false })) {
    process.stdout.write(items.map((user) => `${user.identification} ${user.firstName} ${user.lastName}\n`).join(''));
    process.stderr.write(`${items.length} of ${page.totalElements}\n`);
  }
  const { state, generation } = await platform.tokens.status();
  process.stderr.write(`tokens: ${state}, generation ${generation}\n`);
} catch (error) {
  if (!(error instanceof RollcallError)) throw error;
  process.stderr.write(`${error.code}: ${error.message}\n`);
  process.exitCode = 1;
} finally {
  // A program that ends without this may lose a refresh in progress.
  await platform.close();
}
