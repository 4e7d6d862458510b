import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIPv6, type Socket } from 'node:net';
import { ProxyFailure } from './dispatcher.ts';

/** How to reach a server through a proxy. */
export interface Tunnel {
  /** Address of an HTTP proxy; may hold a user and a password. */
  readonly proxy: string;
  readonly host: string;
  readonly port: number;
}

/**
 * Opens a connection to a server through an HTTP proxy (CONNECT, RFC 9110, 9.3.6), for protocols other than HTTP. Throws
 * ProxyFailure, with the status when the proxy refuses. An abort closes the socket until the tunnel is open.
 */
export function openTunnel({ proxy, host, port }: Tunnel, timeoutMs: number, signal: AbortSignal): Promise<Socket> {
  const { protocol, hostname, port: proxyPort, host: shown, username, password } = new URL(proxy);
  const target = `${isIPv6(host) ? `[${host}]` : host}:${port}`;
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const isTls = protocol === 'https:';
  const asked = (isTls ? requestHttps : requestHttp)({
    method: 'CONNECT',
    host: hostname.replace(/^\[|\]$/g, ''),
    port: proxyPort === '' ? (isTls ? 443 : 80) : Number(proxyPort),
    path: target,
    headers: {
      host: target,
      ...(username === '' ? {} : { 'proxy-authorization': `Basic ${Buffer.from(pair, 'utf8').toString('base64')}` }),
    },
    agent: false,
    timeout: timeoutMs,
    signal,
  });
  return new Promise((resolve, reject) => {
    const fail = (cause: unknown): void => reject(signal.aborted ? signal.reason : new ProxyFailure(shown, cause));
    asked.once('timeout', () => {
      asked.destroy(Object.assign(new Error('no answer in time'), { code: 'UND_ERR_CONNECT_TIMEOUT' }));
    });
    asked.once('error', fail);
    // Only a proxy that does not know CONNECT answers it like any other request.
    const refuse = (status = 502): void => reject(new ProxyFailure(shown, undefined, status));
    asked.once('response', (answer) => {
      answer.destroy();
      refuse(answer.statusCode);
    });
    asked.once('connect', (answer, socket: Socket, head) => {
      if (answer.statusCode !== 200) {
        socket.destroy();
        refuse(answer.statusCode);
        return;
      }
      socket.setTimeout(0);
      if (head.length > 0) socket.unshift(head);
      resolve(socket);
    });
    asked.end();
  });
}
