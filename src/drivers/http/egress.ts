import { BlockList, isIP } from 'node:net';
import { proxyProblem } from '../../core/run/addresses.ts';
import type { Egress } from '../../ports/runtime.ts';

/**
 * Returns the proxies of the environment: `HTTPS_PROXY` for https and for what else goes through a tunnel (sftp, smtp,
 * smtps), `HTTP_PROXY` for http, and no proxy for this machine and for what `NO_PROXY` lists. A name in small letters goes before one in capitals. Throws RangeError with the name of
 * a variable whose value is no proxy.
 */
export function environmentEgress(env: Readonly<Record<string, string | undefined>>): Egress {
  const read = (name: string): string => (env[name.toLowerCase()] ?? env[name] ?? '').trim();
  const proxyOf = (name: string): string | undefined => {
    const value = read(name);
    const address = value === '' || value.includes('://') ? value : `http://${value}`;
    if (address !== '' && proxyProblem(address) !== undefined) {
      throw new RangeError(`the environment variable ${name} is not the address of an HTTP proxy`);
    }
    return address === '' ? undefined : address;
  };
  const forHttp = proxyOf('HTTP_PROXY');
  const forTunnels = proxyOf('HTTPS_PROXY');
  const isExempt = exemptions(read('NO_PROXY'));
  return { proxyFor: (url) => (isExempt(url) ? undefined : url.protocol === 'http:' ? forHttp : forTunnels) };
}

/** Returns `outer` with one setting before it: `none` for no proxy, an address for this proxy whatever the address. */
export function egressWith(proxy: string | undefined, outer: Egress | undefined): Egress | undefined {
  if (proxy === undefined) return outer;
  return { proxyFor: () => (proxy === 'none' ? undefined : proxy) };
}

/** Compiles `NO_PROXY`: hosts (with their subdomains, with or without a port), addresses, and networks (`10.0.0.0/8`). */
function exemptions(list: string): (url: URL) => boolean {
  const networks = new BlockList();
  const hosts: { readonly name: string; readonly port: string | undefined }[] = [];
  let isAll = false;
  for (const entry of list.toLowerCase().split(/[,\s]+/)) {
    const [network = '', bits] = entry.split('/');
    const family = bits === undefined ? 0 : isIP(network);
    if (entry === '*') isAll = true;
    else if (family !== 0 && bits !== undefined && isPrefix(bits, family)) {
      networks.addSubnet(network, Number(bits), family === 4 ? 'ipv4' : 'ipv6');
    } else if (entry !== '') {
      const [, name = entry, port] = isIP(entry) === 6 ? [] : (/^(.+?)(?::(\d+))?$/.exec(entry) ?? []);
      hosts.push({ name: name.replace(/^\*?\./, '').replace(/^\[|\]$/g, ''), port });
    }
  }
  return (url) => {
    const host = url.hostname.toLowerCase().replace(/^\[|\]$/g, '');
    if (isAll || isThisMachine(host)) return true;
    const port = url.port === '' ? standardPorts[url.protocol] : url.port;
    if (isIP(host) !== 0 && networks.check(host, isIP(host) === 4 ? 'ipv4' : 'ipv6')) return true;
    return hosts.some(
      (entry) => (host === entry.name || host.endsWith(`.${entry.name}`)) && (entry.port ?? port) === port,
    );
  };
}

const standardPorts: Readonly<Record<string, string>> = {
  'http:': '80',
  'https:': '443',
  'sftp:': '22',
  'smtp:': '587',
  'smtps:': '465',
};

function isPrefix(bits: string, family: number): boolean {
  return /^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128);
}

function isThisMachine(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}
