const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * Returns why an address cannot be that of a platform, or undefined for a usable one. `isInsecure` accepts `http://` for
 * any host; else only for this machine.
 */
export function addressFault(address: string, isInsecure: boolean): string | undefined {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    return 'must be an address that begins with https://, such as https://platform.example.com';
  }
  if (url.username !== '' || url.password !== '')
    return 'must not contain a user name or password; tokens have keys of their own';
  if (url.search !== '' || url.hash !== '') return 'must not contain ? or #';
  if (/\/(os-api|growth)(\/|$)/.test(url.pathname)) return 'must not contain /os-api or /growth; they are added';
  if (url.protocol === 'http:' && !loopback.test(url.hostname) && !isInsecure) {
    return 'must begin with https://; http:// is accepted for this machine only, or with insecure: true beside it';
  }
  return undefined;
}
