import type { Channel } from '../../../ports/alerts.ts';
import { renderNotice } from '../render-notice.ts';
import { type ChannelIo, cut, type SettingsOf } from './post-json.ts';

type Settings = SettingsOf<'email'>;

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * Sends e-mail by SMTP, through a tunnel of the proxy if there is one. `smtps://` uses TLS from the first byte; `smtp://`
 * requires STARTTLS, except to this machine.
 */
export function openEmail(settings: Settings, { egress, place }: ChannelIo): Channel {
  return {
    settings,
    async send(notice, signal, first) {
      const { title, lines } = renderNotice(notice, place);
      const messageId = `<${notice.id}@rollcall.invalid>`;
      const mail = {
        subject: cut(`[rollcall] ${title}`, 200),
        text: `${lines.join('\n')}\n`,
        messageId,
        // Mail programs show the notices about one run as one conversation.
        ...(first === undefined ? {} : { inReplyTo: first, references: first }),
        headers: { 'X-Rollcall-Notice': notice.id },
      };
      await sendMail(settings, mail, egress, signal);
      return messageId;
    },
  };
}

interface Mail {
  readonly subject: string;
  readonly text: string;
  /** The same in every attempt, so that most mail programs show a repeated message once. */
  readonly messageId: string;
  readonly inReplyTo?: string;
  readonly references?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly attachments?: { filename: string; content: string; contentType: string }[];
}

/** Sends one message. Throws an error that says what the server answered, and nothing of the message. */
export async function sendMail(
  settings: Pick<Settings, 'url' | 'from' | 'to' | 'insecure'>,
  { headers, ...mail }: Mail,
  egress: ChannelIo['egress'],
  signal: AbortSignal,
): Promise<void> {
  const url = new URL(settings.url.reveal());
  const isSecure = url.protocol === 'smtps:';
  const proxy = egress?.proxyFor(url);
  const through = proxy === undefined ? '' : ` through the proxy ${new URL(proxy).host}`;
  // Loaded only when an e-mail is sent.
  const { createTransport } = await import('nodemailer');
  const auth = { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) };
  const transport = createTransport({
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? (isSecure ? 465 : 587) : Number(url.port),
    secure: isSecure,
    requireTLS: !isSecure && !settings.insecure && !loopback.test(url.hostname),
    ...(settings.insecure ? { tls: { rejectUnauthorized: false } } : {}),
    ...(url.username === '' ? {} : { auth }),
    ...(proxy === undefined ? {} : { proxy }),
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 15_000,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const close = (): void => transport.close();
  signal.addEventListener('abort', close, { once: true });
  try {
    await transport.sendMail({
      from: settings.from,
      to: [...settings.to],
      ...mail,
      headers: { ...headers, 'Auto-Submitted': 'auto-generated' },
    });
  } catch (error) {
    throw new Error(`${url.hostname} did not accept the e-mail${through}: ${faultOf(error)}`);
  } finally {
    signal.removeEventListener('abort', close);
    close();
  }
}

const noConnection = 'no connection; check host and port in the url, and whether it must be smtps:// or smtp://';
const hints: Readonly<Record<string, string>> = {
  EAUTH: 'check user name and password in the url',
  EDNS: 'the host has no address; check its name in the url',
  ESOCKET: noConnection,
  ECONNECTION: noConnection,
  ECONNREFUSED: noConnection,
  ETIMEDOUT: 'timeout; check host and port in the url, and the firewall',
  EPROXY: 'the proxy refused to connect; it must allow CONNECT to this host and port, or NO_PROXY names the host',
  ETLS: 'TLS failed; use smtps://, or a server with STARTTLS and a trusted certificate',
};

/** Returns the code and the SMTP status. nodemailer's own message may quote what was sent. */
function faultOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return 'unknown';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : 'unknown';
  const status = 'responseCode' in error && typeof error.responseCode === 'number' ? ` (${error.responseCode})` : '';
  const hint = hints[code];
  return `${code}${status}${hint === undefined ? '' : `: ${hint}`}`;
}
