import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fieldTable } from '../../src/core/person/fields.ts';
import type { LogFields, Logger } from '../../src/ports/runtime.ts';
import { createLogger, keyedHash, type LoggerOptions, prettyLines } from '../../src/watch/logs/create-logger.ts';
import { openLogScope } from '../../src/watch/logs/log-scope.ts';
import { fixedClock } from '../support/fake-clock.ts';

const key = Buffer.alloc(32, 3);

function record(options: Partial<LoggerOptions> = {}) {
  const lines: string[] = [];
  const destination = { write: (line: string) => lines.push(line) };
  const logger = createLogger({ level: 'debug', destination, key, clock: fixedClock(), ...options });
  return { logger, lines, json: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

describe('createLogger', () => {
  it('writes one JSON object per line with level, time of the clock, fields and message', () => {
    const { logger, lines, json } = record();
    logger.child({ run: 'run_1' }).warn({ batch: 3, isSplit: true, gaps: ['no marker'] }, 'batch is late');
    expect(json()).toEqual([
      {
        level: 'warn',
        time: '2026-11-21T12:00:00.000Z',
        run: 'run_1',
        batch: 3,
        isSplit: true,
        gaps: ['no marker'],
        msg: 'batch is late',
      },
    ]);
    expect(lines[0]?.endsWith('}\n')).toBe(true);
  });

  it.each([
    ['debug', ['debug', 'info', 'warn', 'error']],
    ['warn', ['warn', 'error']],
  ] as const)('at level %s writes %j', (level, written) => {
    const { logger, json } = record({ level });
    for (const one of ['debug', 'info', 'warn', 'error'] as const) logger[one]({}, one);
    expect(json().map(({ msg }) => msg)).toEqual(written);
  });

  it('says in every line what the work is that goes on, through calls that wait, and nothing of other work', async () => {
    const scope = openLogScope();
    const { logger, json } = record({ scope });
    const child = logger.child({ connection: 'acme' });
    const work = (run: string) =>
      scope.during({ run }, async () => {
        await Promise.resolve();
        child.info({ step: 'sync' }, 'one');
        child.info({ run: 'said' }, 'two');
        await scope.during({ identification: 'E1001' }, async () => child.info({}, 'three'));
      });
    await Promise.all([work('run_1'), work('run_2')]);
    child.info({}, 'outside');
    const common = { level: 'info', time: '2026-11-21T12:00:00.000Z', connection: 'acme' };
    const of = (run: string) => [
      { ...common, run, step: 'sync', msg: 'one' },
      { ...common, run: 'said', msg: 'two' },
      { ...common, run, identification: expect.stringMatching(/^[0-9a-f]{12}$/), msg: 'three' },
    ];
    const found = json();
    expect(found).toHaveLength(7);
    for (const line of [...of('run_1'), ...of('run_2'), { ...common, msg: 'outside' }]) {
      expect(found).toContainEqual(line);
    }
  });

  it('writes lines for people on a terminal', async () => {
    const lines: string[] = [];
    const { logger } = record({ destination: await prettyLines({ write: (line: string) => lines.push(line) }) });
    logger.info({ sync: 'people', refreshToken: 'r-123' }, 'run finished');
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/INFO.*run finished.*people/s);
    expect(lines[0]).not.toContain('r-123');
  });
});

/** Every way by which a value can come into a log line. */
const ways: readonly (readonly [string, (logger: Logger, fields: LogFields) => void])[] = [
  ['a line', (logger, fields) => logger.error(fields, 'failed')],
  ['a child', (logger, fields) => logger.child(fields).error({}, 'failed')],
  ['a child of a child', (logger, fields) => logger.child({ run: 'r' }).child(fields).debug({}, 'failed')],
];

describe.each(ways)('in the fields of %s', (_, write) => {
  it.each([
    ...fieldTable.map(({ name }) => name),
    ...['accessToken', 'access_token', 'refresh-token', 'applicationToken', 'Authorization', 'clientSecret'],
    ...['encryptionKey', 'password', 'cookie', 'apiKey', 'body', 'fields', 'before', 'after', 'headers'],
  ])('%s never gets out', (name) => {
    const { logger, lines } = record();
    write(logger, { [name]: 'Zanzibar' });
    write(logger, { [name]: ['Zanzibar'] });
    expect(lines.join('')).not.toContain('Zanzibar');
    expect(lines).toHaveLength(2);
  });

  it('people appear as keyed hashes', () => {
    const { logger, lines, json } = record();
    write(logger, { identification: 'E-1007', identifications: ['E-1007', 'E-1008'] });
    expect(lines.join('')).not.toMatch(/E-100/);
    const hash = keyedHash(key);
    expect(json()).toMatchObject([
      { identification: hash('E-1007'), identifications: [hash('E-1007'), hash('E-1008')] },
    ]);
  });

  it('an object is taken out as a whole', () => {
    const { logger, lines } = record();
    const smuggled = { user: { nested: 'Zanzibar' }, list: [{ nested: 'Zanzibar' }] } as unknown as LogFields;
    write(logger, smuggled);
    expect(lines.join('')).not.toContain('Zanzibar');
  });
});

describe('in texts', () => {
  const secret = 'Zq7-secret_value.42';
  const texts: readonly string[] = [
    `sent Authorization: Bearer ${secret}`,
    `postgres://user:${secret}@db.example.com/rollcall refused`,
    `{"access_token":"${secret}","expires_in":3600}`,
    `refresh_token=${secret}&grant_type=refresh_token`,
    `invalid ey${'J'.repeat(20)}.${secret}.sig`,
    `no such user ${secret}@example.com`,
  ];

  it.each(texts)('takes it out of: %s', (text) => {
    const { logger, lines } = record();
    logger.info({ reason: text, reasons: [text] }, text);
    logger.child({ cause: text }).info({}, 'x');
    expect(lines.join('')).not.toContain(secret);
  });

  it('leaves ordinary words, numbers, ids and path templates as they are', () => {
    const { logger, json } = record();
    const fields = {
      operation: 'GET /os-api/public-api/v1/users/{identification}',
      run: 'run_01J8',
      rows: 520,
      tokens: 2,
    };
    logger.info(fields, 'read 520 rows in 1.5 s; state refreshing (2 of 3): 14 % done');
    expect(json()).toMatchObject([{ ...fields, msg: 'read 520 rows in 1.5 s; state refreshing (2 of 3): 14 % done' }]);
  });
});

describe('keyedHash', () => {
  it('gives 12 hex digits, the same for the same person, another with another key', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (text) => {
        const hash = keyedHash(key)(text);
        expect(hash).toMatch(/^[0-9a-f]{12}$/);
        expect(keyedHash(key)(` ${text.normalize('NFD')}`)).toBe(hash);
        expect(keyedHash(Buffer.alloc(32, 4))(text)).not.toBe(hash);
      }),
    );
  });

  it('refuses a key that could be tried out', () => {
    expect(() => keyedHash(Buffer.alloc(8))).toThrow('at least 16');
  });
});
