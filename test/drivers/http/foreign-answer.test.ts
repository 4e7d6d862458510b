import { expect, it } from 'vitest';
import {
  type Expected,
  ForeignAnswer,
  ownBody,
  refuseForeign,
  webPageIn,
} from '../../../src/drivers/http/foreign-answer.ts';

const signIn = '<!DOCTYPE html>\n<html><form><input type="password"></form></html>';

const outcome = (body: string, expected: Expected): string => {
  try {
    refuseForeign(Buffer.from(body), expected);
    return 'read';
  } catch (error) {
    return error instanceof ForeignAnswer ? error.message : String(error);
  }
};

it.each<[string, Expected | 'any', string]>([
  [signIn, 'any', 'the body is a sign-in page, perhaps of a proxy'],
  [
    `\ufeff\r\n<!-- a --><?xml version="1.0"?><!-- b -->${signIn}`,
    'any',
    'the body is a sign-in page, perhaps of a proxy',
  ],
  ['<HTML lang=de><h1>Wartungsarbeiten</h1>', 'any', 'the body is a maintenance page'],
  ['<head><title>503 Service Temporarily Unavailable', 'any', 'the body is a maintenance page'],
  ['<html><title>Access denied by policy', 'any', 'the body is a web page of a proxy or a firewall'],
  ['<body>Hello', 'any', 'the body is a web page, perhaps of a proxy'],
  [
    '--b1\r\nContent-Type: text/csv\r\n\r\nid;name',
    'a file',
    'the body is a message of several parts instead of a file',
  ],
  [
    '<?xml version="1.0"?><fault/>',
    'JSON',
    'the body is XML instead of JSON, perhaps of another version of the server',
  ],
  ['{"fault":1}', 'XML', 'the body is JSON instead of XML, perhaps of another version of the server'],
  ['<!-- note --><soap:Envelope>', 'XML', 'read'],
  ['{"a":"<html>"}', 'JSON', 'read'],
  ['id;<html>', 'a file', 'read'],
  ['{"people":[]}', 'a file', 'read'],
  ['<htmlish>', 'text', 'read'],
  ['', 'any', 'read'],
])('what begins as %j instead of %s says who answered: %s', (body, expected, said) => {
  const all: readonly Expected[] = expected === 'any' ? ['JSON', 'XML', 'a file', 'text'] : [expected];
  for (const one of all) expect(outcome(body, one)).toBe(said);
});

it('a body is judged by what comes first, however it is cut, and hostile comments cost nothing', async () => {
  const pieces = ['', ' \n', '<html>', 'sign in'].map((text) => Buffer.from(text));
  const body = ownBody(
    (async function* () {
      yield* pieces;
    })(),
    'a file',
  );
  await expect(Array.fromAsync(body)).rejects.toThrow('the body is a web page, perhaps of a proxy');
  expect(webPageIn(`${'<!---->'.repeat(2_000)}x`)).toBeUndefined();
});
