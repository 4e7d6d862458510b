/** Messages of pg without a code, and of mysql2 with one. */
const noTls = /^The server does not support SSL|HANDSHAKE_NO_SSL_SUPPORT/;
const certificate = /CERT|SIGNATURE|SSL|TLS/;

/**
 * Returns what to do about an error of a driver that is about TLS; undefined for any other one. `advice` continues a
 * sentence that begins with the name of the database, and `key` is the configuration's key of the url.
 */
export function tlsTrouble(error: Error, key: string): { readonly advice: string; readonly shown: string } | undefined {
  const code = 'code' in error ? String(error.code) : '';
  if (noTls.test(code === '' ? error.message : code)) {
    const advice =
      'offers no TLS, and nothing was sent to it. Enable TLS there: without sslmode in the url, a server that is not ' +
      `on this machine uses sslmode=verify-full. If the network is trusted, add ?sslmode=disable to ${key}`;
    return { advice, shown: 'no TLS' };
  }
  if (!certificate.test(code)) return undefined;
  const advice =
    `could not prove its identity, so nothing was sent to it. Set its authority by ?sslrootcert= in ${key} and use the ` +
    'host name in its certificate, as sslmode=verify-full (the default over a network) demands; sslmode=verify-ca ' +
    'accepts any name, sslmode=require any certificate, and sslmode=disable uses no TLS';
  return { advice, shown: code };
}
