import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { given } from '../../../src/core/run/given.ts';
import type { AlertNotice, ChannelSettings } from '../../../src/ports/alerts.ts';
import type { Egress } from '../../../src/ports/runtime.ts';
import { commandPrefixOf } from '../../../src/watch/alerts/pod-commands.ts';
import { openChannel } from '../../../src/watch/alerts/send.ts';
import { FakeClock, someInstant } from '../../support/fake-clock.ts';
import { startProxy } from '../../support/http-proxy.ts';
import { openMailServer } from '../../support/mail-server.ts';
import { openReceiver, type Received } from './receiver.ts';

const reveal = (value: string) => ({ reveal: () => value });
const signal = new AbortController().signal;

const notice: AlertNotice = {
  id: 'alert_01',
  kind: 'problem',
  subject: { kind: 'sync', name: 'people' },
  severity: 'critical',
  at: someInstant,
  problems: [
    {
      topic: 'run',
      code: 'run-failed',
      severity: 'critical',
      key: 'k',
      summary: 'The run run_1 failed: <!channel> & [link](http://example.com)',
      details: ['E1: no'],
      figures: [['Applied', 3]],
      unaffected: 'All else.',
      action: 'rollcall show run_1',
      run: 'run_1',
    },
  ],
  recovered: [],
  standing: [{ topic: 'held', code: 'changes-held' }],
};
const recovery: AlertNotice = {
  ...notice,
  id: 'alert_02',
  kind: 'recovery',
  problems: [],
  recovered: [
    {
      topic: 'run',
      code: 'run-failed',
      severity: 'critical',
      summary: 'It failed',
      since: someInstant - 3_600_000 * 3,
    },
  ],
};
const test: AlertNotice = { ...notice, id: 'alert_03', kind: 'test', problems: [], standing: [] };

const rule = { afterMs: 0, remindMs: undefined };
type Bare = ChannelSettings extends infer One ? (One extends unknown ? Omit<One, keyof typeof rule> : never) : never;
const place = { deployment: 'acme-prod', publicUrl: 'https://rollcall.example.com' };

interface Way {
  readonly first?: string;
  readonly egress?: Egress;
}

function send(settings: Bare, what = notice, { first, egress }: Way = {}): Promise<string | undefined> {
  return openChannel({ ...settings, ...rule } as ChannelSettings, { clock: new FakeClock(), egress, place }).send(
    what,
    signal,
    first,
  );
}

/** What a receiver gets of the notices, and takes with 202. `of`: the channel to an address. */
async function received(of: (url: string) => Bare, ...notices: readonly AlertNotice[]): Promise<readonly Received[]> {
  const receiver = await openReceiver();
  receiver.answer(202, 202, 202);
  for (const one of notices.length === 0 ? [notice] : notices) await send(of(receiver.url), one);
  return receiver.received;
}

describe('webhook', () => {
  it('signs time and body, and says the same in words and in data', async () => {
    const secret = reveal('s3cret');
    const [got] = await received((url) => ({ kind: 'webhook', name: 'w', url: reveal(`${url}/a`), secret }));
    const [, t = '', v1] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(got?.headers['x-rollcall-signature'])) ?? [];
    expect(Number(t)).toBe(someInstant / 1000);
    expect(v1).toBe(createHmac('sha256', 's3cret').update(`${t}.${got?.text}`).digest('hex'));
    expect(got?.headers['x-rollcall-notice']).toBe('alert_01');
    expect(got?.json()).toEqual({
      version: 1,
      id: 'alert_01',
      kind: 'problem',
      severity: 'critical',
      subject: { kind: 'sync', name: 'people' },
      deployment: 'acme-prod',
      thread: 'sync people run_1',
      links: [
        { text: 'Run', url: 'https://rollcall.example.com/runs/run_1' },
        { text: 'Runbook', url: 'https://rollcall.example.com/runbook#run-failed' },
      ],
      at: '2026-11-21T12:00:00.000Z',
      title: 'CRITICAL sync people: the run failed',
      text: [
        'The run run_1 failed: <!channel> & [link](http://example.com)',
        '- E1: no',
        'Not affected: All else.',
        'What to do: rollcall show run_1',
        'Code: run-failed (rollcall explain run-failed)',
        'Also open: changes wait for approval.',
        'Run: https://rollcall.example.com/runs/run_1',
        'Runbook: https://rollcall.example.com/runbook#run-failed',
        'Rollcall acme-prod, 2026-11-21 12:00 UTC, notice alert_01',
      ].join('\n'),
      problems: [
        {
          topic: 'run',
          code: 'run-failed',
          severity: 'critical',
          title: 'the run failed',
          figures: [{ name: 'Applied', value: 3 }],
          summary: 'The run run_1 failed: <!channel> & [link](http://example.com)',
          details: ['E1: no'],
          unaffected: 'All else.',
          action: 'rollcall show run_1',
          run: 'run_1',
        },
      ],
      recovered: [],
      standing: ['held'],
    });
  });

  it('without a secret goes out unsigned', async () => {
    const [got] = await received((url) => ({ kind: 'webhook', name: 'w', url: reveal(url) }), recovery);
    expect(got?.headers['x-rollcall-signature']).toBeUndefined();
    expect(got?.json()).toMatchObject({
      kind: 'recovery',
      title: 'RECOVERED sync people: runs succeed again',
      recovered: [{ topic: 'run', code: 'run-failed', since: '2026-11-21T09:00:00.000Z' }],
    });
  });

  it.each([
    [302, /answered 302: it redirects/],
    [403, /answered 403: check the url/],
    [410, /answered 410: the address no longer exists/],
    [429, /answered 429: too many/],
    [500, /answered 500$/],
  ])(
    'that answers %i has not taken it; the error does not show the secret part of the address',
    async (status, words) => {
      const receiver = await openReceiver();
      receiver.answer(status);
      const sending = send({ kind: 'webhook', name: 'w', url: reveal(`${receiver.url}/T00/s3cret`) });
      await expect(sending).rejects.toThrow(words);
      await expect(sending).rejects.not.toThrow(/s3cret/);
      expect(receiver.received).toHaveLength(1);
    },
  );

  it('that is not there is an error that says so', async () => {
    const receiver = await openReceiver();
    await receiver.close();
    await expect(send({ kind: 'webhook', name: 'w', url: reveal(`${receiver.url}/s3cret`) })).rejects.toThrow(
      /^127\.0\.0\.1:\d+ cannot be reached: ECONNREFUSED$/,
    );
  });

  it('that never answers is left when the signal aborts', async () => {
    const receiver = await openReceiver();
    const settings: ChannelSettings = { kind: 'webhook', name: 'w', url: reveal(receiver.url), ...rule };
    const channel = openChannel(settings, { clock: new FakeClock(), egress: undefined, place });
    await expect(channel.send(notice, AbortSignal.abort())).rejects.toThrow('timeout');
  });
});

describe('an answer', () => {
  const url = reveal('');
  const kinds = {
    webhook: { kind: 'webhook', url },
    slack: { kind: 'slack', url },
    bot: { kind: 'slack', url, token: url, channel: 'C1' },
    teams: { kind: 'teams', url },
    pagerduty: { kind: 'pagerduty', url, routingKey: url },
    opsgenie: { kind: 'opsgenie', url, apiKey: url },
    alertmanager: { kind: 'alertmanager', url },
  } as const;
  const page = '<!DOCTYPE html><html><title>Sign in</title></html>';
  const failed = 'Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error 413';
  it.each<[keyof typeof kinds, number, object | string, 'taken' | RegExp]>([
    ['webhook', 200, '', 'taken'],
    ['webhook', 204, 'thanks <b>', 'taken'],
    ['webhook', 200, `\n ${page}`, /with a sign-in page, perhaps of a proxy: the notice did not arrive/],
    ['slack', 200, 'ok', 'taken'],
    ['slack', 200, 'no_service', /not as slack does/],
    ['slack', 200, page, /with a sign-in page, perhaps of a proxy: the notice did not arrive/],
    ['bot', 200, { ok: true, ts: '1.1' }, 'taken'],
    ['bot', 200, { ok: false, error: 'is_archived' }, /refused the notice: is_archived$/],
    ['bot', 200, {}, /not as slack does/],
    ['teams', 202, '', 'taken'],
    ['teams', 200, failed, /not as teams does/],
    ['teams', 200, '1', /not as teams does/],
    ['teams', 202, page, /with a sign-in page, perhaps of a proxy: the notice did not arrive/],
    ['pagerduty', 202, { status: 'success', message: 'Event processed', dedup_key: 'k' }, 'taken'],
    ['pagerduty', 200, { status: 'invalid event' }, /not as pagerduty does/],
    ['opsgenie', 202, { result: 'Request will be processed', took: 0.1, requestId: 'r' }, 'taken'],
    ['opsgenie', 200, { message: 'No route' }, /not as opsgenie does/],
    ['alertmanager', 200, '', 'taken'],
    ['alertmanager', 200, { status: 'success' }, 'taken'],
    ['alertmanager', 200, { status: 'error', error: 'bad_data' }, /refused the notice/],
    ['alertmanager', 200, page, /with a sign-in page, perhaps of a proxy: the notice did not arrive/],
    ['alertmanager', 200, 'logged in', /not as alertmanager does/],
  ])('of a %s with %i and %j', async (kind, status, body, expected) => {
    const receiver = await openReceiver();
    receiver.answer(status, status, status);
    receiver.say(body);
    const settings = { ...kinds[kind], name: 'c', url: reveal(receiver.url) } as Bare;
    const sending = send(settings, test).then(() => 'taken');
    if (expected === 'taken') return expect(await sending).toBe('taken');
    await expect(sending).rejects.toThrow(expected);
    receiver.answer(status, status, status);
    expect(await send({ ...settings, accept: 'any' }, test).then(() => 'taken')).toBe('taken');
  });
});

describe('a text', () => {
  it('is cut between characters', async () => {
    const many = '😀'.repeat(20_000);
    const problems = notice.problems.map((one) => ({
      ...one,
      title: `${many}.`,
      summary: `.${many}`,
      details: [many],
    }));
    const made: readonly ((url: string) => Bare)[] = [
      (url) => ({ kind: 'slack', name: 's', url: reveal(url) }),
      (url) => ({ kind: 'pagerduty', name: 'p', url: reveal(url), routingKey: reveal('key') }),
      (url) => ({ kind: 'opsgenie', name: 'o', url: reveal(url), apiKey: reveal('key') }),
    ];
    for (const of of made) {
      for (const { text } of await received(of, { ...notice, problems })) {
        expect(text).toContain('😀');
        // JSON writes half of a character as an escape.
        expect(text).not.toMatch(/\\ud[89a-f]/i);
      }
    }
  });
});

describe('chat', () => {
  const slackHook = (url: string): Bare => ({ kind: 'slack', name: 's', url: reveal(url) });
  const teamsHook = (url: string): Bare => ({ kind: 'teams', name: 't', url: reveal(url) });

  it('Slack gets text in which no row can call a channel or make a link', async () => {
    const [got] = await received(slackHook);
    const { text } = got?.json<{ text: string }>() ?? { text: '' };
    expect(text).toContain('*CRITICAL sync people: the run failed*\nThe run run_1 failed: &lt;!channel&gt; &amp;');
    expect(text).not.toMatch(/<|>/);
  });

  const hold: AlertNotice = {
    ...notice,
    severity: 'warning',
    problems: [
      {
        topic: 'held',
        code: 'changes-held',
        severity: 'warning',
        key: 'held disables',
        title: '22 disables wait for approval',
        figures: [
          ['disables', 22],
          ['Approve until', '2026-11-22 12:00 UTC'],
        ],
        summary: '22 changes wait for approval until 2026-11-22 12:00 UTC',
        details: ['E1: disable'],
        unaffected: undefined,
        action: 'rollcall holds --sync people\nrollcall approve run_1',
      },
    ],
    standing: [],
  };

  it('Slack shows the number and the class first, counts, commands to copy, and buttons with absolute links', async () => {
    const [got] = await received(slackHook, hold);
    const { blocks } = got?.json<{ blocks: readonly { readonly type: string }[] }>() ?? { blocks: [] };
    expect(blocks.map(({ type }) => type)).toEqual([
      ...['header', 'context', 'section', 'section', 'section', 'context', 'actions', 'context'],
    ]);
    expect(blocks[0]).toEqual({
      type: 'header',
      text: { type: 'plain_text', text: '22 disables wait for approval', emoji: false },
    });
    expect(blocks[1]).toMatchObject({ elements: [{ text: 'WARNING sync people' }] });
    expect(blocks[2]).toMatchObject({
      fields: [{ text: '*disables*\n22' }, { text: '*Approve until*\n2026-11-22 12:00 UTC' }],
    });
    expect(blocks[4]).toMatchObject({
      text: { text: '*What to do*\n```rollcall holds --sync people\nrollcall approve run_1```' },
    });
    expect(blocks[6]).toMatchObject({
      elements: [
        { type: 'button', text: { text: 'Held changes' }, url: 'https://rollcall.example.com/holds' },
        { type: 'button', text: { text: 'Runbook' }, url: 'https://rollcall.example.com/runbook#changes-held' },
      ],
    });
  });

  it('Slack takes a notice of any size: no block is longer than its limit', async () => {
    const [problem] = hold.problems;
    const long = {
      ...problem,
      title: 'x'.repeat(500),
      details: ['`'.repeat(9000)],
      action: `rollcall ${'<'.repeat(5000)}`,
    };
    const problems = Array.from({ length: 30 }, () => long) as AlertNotice['problems'];
    const [got] = await received(slackHook, { ...hold, problems });
    const { blocks } = got?.json<{ blocks: readonly object[] }>() ?? { blocks: [] };
    expect(blocks.length).toBeLessThanOrEqual(50);
    const texts = [...JSON.stringify(blocks).matchAll(/"text":"((?:[^"\\]|\\.)*)"/g)].map(
      ([, text]) => (JSON.parse(`"${text}"`) as string).length,
    );
    expect(Math.max(...texts)).toBeLessThanOrEqual(3000);
  });

  it('Teams shows the same in a card of plain text runs, as a workflow takes it', async () => {
    const [got] = await received(teamsHook, hold);
    const { type, attachments } = got?.json<{ type: string; attachments: readonly unknown[] }>() ?? {};
    expect(type).toBe('message');
    expect(JSON.stringify(attachments)).toContain('"text":"- E1: disable"');
    expect(JSON.stringify(attachments)).not.toContain('"TextBlock"');
    expect(attachments).toMatchObject([
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          type: 'AdaptiveCard',
          version: '1.4',
          body: expect.arrayContaining([
            expect.objectContaining({
              inlines: [expect.objectContaining({ text: '22 disables wait for approval', color: 'Warning' })],
            }),
            {
              type: 'FactSet',
              facts: [
                { title: 'disables', value: '22' },
                { title: 'Approve until', value: '2026-11-22 12:00 UTC' },
              ],
            },
          ]),
          actions: [
            { type: 'Action.OpenUrl', title: 'Held changes', url: 'https://rollcall.example.com/holds' },
            { type: 'Action.OpenUrl', title: 'Runbook', url: 'https://rollcall.example.com/runbook#changes-held' },
          ],
        },
      },
    ]);
  });

  it.each([
    ['prod/rollcall', 'kubectl -n prod exec deploy/rollcall -- rollcall show run_1'],
    ['production', 'rollcall show run_1'],
  ])('a deployment %s has commands that work there', async (deployment, command) => {
    const receiver = await openReceiver();
    const settings: ChannelSettings = { kind: 'webhook', name: 'w', url: reveal(receiver.url), ...rule };
    const there = { ...place, deployment, ...given({ commandPrefix: commandPrefixOf(deployment) }) };
    const channel = openChannel(settings, { clock: new FakeClock(), egress: undefined, place: there });
    await channel.send(notice, signal);
    const sent = receiver.received[0]?.json<{ text: string; problems: readonly { readonly action: string }[] }>();
    expect(sent?.problems[0]?.action).toBe(command);
    expect(sent?.text).toContain(`What to do: ${command}`);
    expect(sent?.text).toContain(`${command.replace('show run_1', 'explain run-failed')}`);
  });
});

describe('Slack with a bot token', () => {
  const slack = (url: string): Bare => ({
    kind: 'slack',
    name: 's',
    url: reveal(url),
    token: reveal('xoxb-1'),
    channel: 'C1',
  });

  it('threads notices about one run, and shows what got worse in the channel too', async () => {
    const receiver = await openReceiver();
    receiver.say({ ok: true, ts: '171.1' });
    expect(await send(slack(receiver.url))).toBe('171.1');
    await send(slack(receiver.url), notice, { first: '171.1' });
    await send(slack(receiver.url), recovery, { first: '171.1' });
    const [first, worse, over] = receiver.received.map((one) => one.json<Record<string, unknown>>());
    expect(receiver.received[0]?.path).toBe('/chat.postMessage');
    expect(receiver.received[0]?.headers.authorization).toBe('Bearer xoxb-1');
    expect(first).toMatchObject({ channel: 'C1', text: expect.stringContaining('*CRITICAL') });
    expect(first).not.toHaveProperty('thread_ts');
    expect(worse).toMatchObject({ thread_ts: '171.1', reply_broadcast: true });
    expect(over).toMatchObject({ thread_ts: '171.1', reply_broadcast: false });
  });
});

describe('Opsgenie', () => {
  const genie = (url: string): Bare => ({ kind: 'opsgenie', name: 'o', url: reveal(url), apiKey: reveal('key') });

  it('opens one alert for each deployment, subject and topic, notes what is new, and closes it at the end', async () => {
    const got = await received(genie, notice, recovery);
    const alias = encodeURIComponent('rollcall acme-prod sync people run');
    expect(got.map(({ path }) => path)).toEqual([
      '/v2/alerts',
      `/v2/alerts/${alias}/notes?identifierType=alias`,
      `/v2/alerts/${alias}/close?identifierType=alias`,
    ]);
    expect(got[0]?.headers.authorization).toBe('GenieKey key');
    expect(got[0]?.json()).toMatchObject({
      alias: 'rollcall acme-prod sync people run',
      priority: 'P1',
      message: 'CRITICAL sync people: the run failed',
    });
  });
});

describe('Alertmanager', () => {
  const manager = (url: string): Bare => ({ kind: 'alertmanager', name: 'm', url: reveal(`${url}/`) });
  interface Alert {
    readonly labels: Readonly<Record<string, string>>;
    readonly endsAt: string;
    readonly generatorURL?: string;
  }
  const alertsOf = (text: string | undefined) =>
    (JSON.parse(text ?? '[]') as readonly Alert[]).map(({ labels, endsAt }) => [
      labels.severity,
      Date.parse(endsAt) - someInstant,
    ]);

  it('gets an alert with labels of its own for the severity, and the end of the other severities', async () => {
    const [fires, ends, ...more] = await received(manager, notice, recovery, { ...notice, kind: 'note' });
    expect(more).toEqual([]);
    expect(fires?.path).toBe('/api/v2/alerts');
    expect(fires?.json<readonly Alert[]>()[0]?.labels).toEqual({
      alertname: 'Rollcall',
      deployment: 'acme-prod',
      sync: 'people',
      topic: 'run',
      severity: 'critical',
    });
    expect(alertsOf(fires?.text)).toEqual([
      ['critical', 30 * 86_400_000],
      ['info', 0],
      ['warning', 0],
    ]);
    expect(alertsOf(ends?.text)).toEqual([
      ['info', 0],
      ['warning', 0],
      ['critical', 0],
    ]);
  });
});

describe('PagerDuty', () => {
  const pager = (url: string): Bare => ({
    kind: 'pagerduty',
    name: 'p',
    url: reveal(url),
    routingKey: reveal('key'),
  });
  interface Event {
    readonly event_action: string;
    readonly dedup_key: string;
    readonly payload?: { readonly severity: string; readonly summary: string };
  }

  it('triggers and resolves the same incident', async () => {
    const [trigger, resolve] = (await received(pager, notice, recovery)).map((one) => one.json<Event>());
    expect(trigger).toMatchObject({
      routing_key: 'key',
      event_action: 'trigger',
      payload: { severity: 'critical', class: 'run' },
    });
    expect(resolve).toEqual({ routing_key: 'key', event_action: 'resolve', dedup_key: trigger?.dedup_key });
  });

  it('gets a test that nobody has to close', async () => {
    const events = (await received(pager, test)).map((one) => one.json<Event>());
    expect(events.map((one) => one.event_action)).toEqual(['trigger', 'resolve']);
    expect(new Set(events.map((one) => one.dedup_key)).size).toBe(1);
  });
});

describe('e-mail', () => {
  const mail = (url: string): Bare => ({
    kind: 'email',
    name: 'e',
    url: reveal(url),
    from: 'rollcall@example.com',
    to: ['ops@example.com', 'night@example.com'],
    insecure: false,
  });

  it('reaches everybody named, with the words of the notice and its id', async () => {
    const { mails, port } = await openMailServer();
    await send(mail(`smtp://127.0.0.1:${port}`));
    const [text = ''] = mails;
    expect(text).toContain('Subject: [rollcall] CRITICAL sync people: the run failed');
    expect(text).toContain('To: ops@example.com, night@example.com');
    expect(text).toMatch(/X-Rollcall-Notice: alert_01/i);
    expect(text).toContain('What to do: rollcall show run_1');
  });

  it('gives name and password, and says when they are refused, without showing them', async () => {
    const tries: unknown[] = [];
    const { mails, port } = await openMailServer({
      authOptional: false,
      allowInsecureAuth: true,
      authMethods: ['PLAIN'],
      onAuth({ username, password }, _session, callback) {
        tries.push([username, password]);
        if (password === 'p@ss') callback(null, { user: 'ops' });
        else callback(new Error('no'));
      },
    });
    await send(mail(`smtp://ops:p%40ss@127.0.0.1:${port}`));
    expect(mails).toHaveLength(1);
    const refused = send(mail(`smtp://ops:wrong-one@127.0.0.1:${port}`));
    await expect(refused).rejects.toThrow(
      /^127\.0\.0\.1 did not accept the e-mail: EAUTH.*check user name and password/,
    );
    await expect(refused).rejects.not.toThrow(/wrong-one/);
    expect(tries).toEqual([
      ['ops', 'p@ss'],
      ['ops', 'wrong-one'],
    ]);
  });

  it('goes through a tunnel of the proxy of the environment, and a refusal names the proxy', async () => {
    const { mails, port } = await openMailServer();
    const proxy = await startProxy(port, 'ana:secret');
    const through = (credentials: string) =>
      send(mail('smtp://mail.example.com:587'), notice, {
        egress: {
          proxyFor: ({ protocol }) =>
            protocol === 'smtp:' ? `http://${credentials}@127.0.0.1:${proxy.port}` : undefined,
        },
      });

    // The test server has no STARTTLS, which mail to any other machine needs.
    await expect(through('ana:secret')).rejects.toThrow(
      /^mail\.example\.com did not accept the e-mail through the proxy/,
    );
    expect(proxy.seen).toEqual(['CONNECT mail.example.com:587']);
    await send({ ...mail('smtp://mail.example.com:587'), insecure: true } as Bare, notice, {
      egress: { proxyFor: () => `http://ana:secret@127.0.0.1:${proxy.port}` },
    });
    expect(mails).toHaveLength(1);

    const refused = through('ana:wrong-word');
    await expect(refused).rejects.toThrow(`through the proxy 127.0.0.1:${proxy.port}: EPROXY: the proxy refused`);
    await expect(refused).rejects.not.toThrow(/wrong-word/);
  });

  it('is not taken when the server refuses the recipients', async () => {
    const { port } = await openMailServer({
      onRcptTo: (_address, _session, callback) =>
        callback(Object.assign(new Error('no such user'), { responseCode: 550 })),
    });
    await expect(send(mail(`smtp://127.0.0.1:${port}`))).rejects.toThrow(/EENVELOPE \(550\)/);
  });

  it('is not sent in the clear to another machine that offers no TLS', async () => {
    const { mails, port } = await openMailServer();
    // 0.0.0.0 is this machine by a name that the channel does not know as such.
    await expect(send(mail(`smtp://0.0.0.0:${port}`))).rejects.toThrow(/did not accept the e-mail/);
    expect(mails).toEqual([]);
  });

  it('is not sent over TLS whose certificate nobody vouches for', async () => {
    const { mails, port } = await openMailServer({ secure: true });
    await expect(send(mail(`smtps://127.0.0.1:${port}`))).rejects.toThrow(/did not accept the e-mail/);
    expect(mails).toEqual([]);
  });

  it('to a server that is not there is an error', async () => {
    const { port, close } = await openMailServer();
    await close();
    await expect(send(mail(`smtp://127.0.0.1:${port}`))).rejects.toThrow(/E[A-Z]+: no connection; check host and port/);
  });
});
