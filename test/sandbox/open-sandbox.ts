import { afterEach } from 'vitest';
import { parseFault, type RunningSandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/index.ts';
import { failOnLeaks } from '../support/leak-check.ts';

export const admin = '/os-api/public-api/v1';
export const growth = '/growth/public-api/v1';

/** A sandbox with its own time, and a hand to call it with. */
export interface TestSandbox extends RunningSandbox {
  /** Moves its time on. */
  advance(ms: number): void;
  now(): number;
  call(method: string, path: string, more?: CallOptions): Promise<TestAnswer>;
  /** Uploads CSV lines as multipart. */
  upload(...lines: string[]): Promise<TestAnswer>;
  /** Uploads CSV lines and lets the platform process them; returns the file record afterwards. */
  provision(...lines: string[]): Promise<WireRecord>;
  fault(...texts: string[]): void;
}

export interface CallOptions {
  readonly body?: unknown;
  /** The token to send; null for no `Authorization` header. Default: the first access token. */
  readonly token?: string | null;
  readonly headers?: Record<string, string>;
}

export interface TestAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON, by the members that tests look at; an empty object when it is none. */
  readonly body: WireBody;
}

export interface WireBody {
  readonly result: WireRecord & readonly WireRecord[];
  readonly page: Readonly<Record<string, number>>;
  readonly userId: string;
  readonly error: string;
  readonly access_token: string;
  readonly refresh_token: string;
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly expires_in: number;
  readonly title: string;
  readonly detail: string;
  readonly message: string;
}

export interface WireRecord {
  readonly id: number;
  readonly identification: string;
  readonly firstName: string;
  readonly lastUpdate: string;
  readonly fileStatus: string;
  readonly [name: string]: unknown;
}

/** Call it once at the top of a test file: sandboxes that it opens are closed after each test. */
export function sandboxes(): (options?: Partial<SandboxOptions> & { readonly at?: number }) => Promise<TestSandbox> {
  failOnLeaks();
  const open: RunningSandbox[] = [];
  afterEach(async () => {
    await Promise.all(open.splice(0).map((sandbox) => sandbox.close()));
  });
  return async ({ at = Date.UTC(2026, 4, 20, 12), ...options } = {}) => {
    let now = at;
    const sandbox = await startSandbox({ now: () => now, ...options });
    open.push(sandbox);
    const call = callerOf(sandbox);
    const upload = (...lines: string[]) => {
      const form = new FormData();
      form.append('file', new Blob([lines.map((line) => `${line}\n`).join('')], { type: 'text/csv' }), 'users.csv');
      form.append('fileName', 'users.csv');
      return call('POST', `${admin}/admin/userFiles/`, { body: form });
    };
    return Object.assign(sandbox, {
      advance: (ms: number) => {
        now += ms;
      },
      now: () => now,
      call,
      upload,
      provision: async (...lines: string[]) => {
        const { body } = await upload(...lines);
        now += 1000;
        return (await call('GET', `${admin}/admin/userFiles/${body.result.id}`)).body.result;
      },
      fault: (...texts: string[]) => sandbox.setFaults(texts.map(parseFault)),
    });
  };
}

function callerOf(sandbox: RunningSandbox): TestSandbox['call'] {
  return async (method, path, { body, token = sandbox.accessToken, headers = {} } = {}) => {
    const isForm = body instanceof FormData;
    const response = await fetch(sandbox.url + path, {
      method,
      redirect: 'manual',
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: isForm || typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: readJson(text) };
  };
}

function readJson(text: string): WireBody {
  try {
    return JSON.parse(text) as WireBody;
  } catch {
    return {} as WireBody;
  }
}
