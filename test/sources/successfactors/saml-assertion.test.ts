import { createPrivateKey } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type AssertionFacts, signedAssertion } from '../../../src/sources/successfactors/index.ts';
import { makeClientKeys } from '../../fakes/hris/successfactors.ts';
import { run } from '../../support/services/programs.ts';
import { findXmlsec } from '../../support/services/xmlsec.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const xmlsec = await findXmlsec('checking signatures of assertions by another implementation');

const facts: AssertionFacts = {
  issuer: 'www.successfactors.com',
  subject: 'rollcall.api',
  audience: 'www.successfactors.com',
  recipient: 'https://api68.sapsf.example/oauth/token',
  attributes: { api_key: apiKeyOf('a'), use_username: 'false' },
  now: Date.UTC(2026, 10, 21, 12),
};

function apiKeyOf(letter: string): string {
  return letter.repeat(32);
}

async function verify(xml: string, publicKey: string): Promise<string> {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'assertion.xml'), xml);
  await writeFile(join(folder, 'public.pem'), publicKey);
  const idAttribute = ['--id-attr:ID', 'urn:oasis:names:tc:SAML:2.0:assertion:Assertion'];
  const key = ['--pubkey-pem', join(folder, 'public.pem')];
  return run(xmlsec ?? '', ['--verify', ...idAttribute, ...key, join(folder, 'assertion.xml')]).then(
    () => 'valid',
    () => 'invalid',
  );
}

describe.skipIf(xmlsec === undefined)('a signed assertion, for the XML Security Library', () => {
  const odd = `a & <b> "c" 'd' ü\t\r\n]]> ${String.fromCharCode(0)}😀 \ud800`;

  it.each([
    { name: 'plain', changed: {} },
    {
      name: 'with every sign that XML has a meaning for',
      changed: { subject: odd, issuer: odd, recipient: odd, attributes: { [odd]: odd } },
    },
  ])('is valid: $name', async ({ changed }) => {
    const { privateKey, publicKey } = makeClientKeys();
    const xml = signedAssertion({ ...facts, ...changed }, createPrivateKey(privateKey));
    expect(await verify(xml, publicKey)).toBe('valid');
  });

  it('is not valid when a word was changed, or for another key', async () => {
    const { privateKey, publicKey } = makeClientKeys();
    const xml = signedAssertion(facts, createPrivateKey(privateKey));
    expect(await verify(xml.replace('rollcall.api', 'somebody'), publicKey)).toBe('invalid');
    expect(await verify(xml, makeClientKeys().publicKey)).toBe('invalid');
  });
});

it('an assertion is good for ten minutes, and from five minutes before it was made', () => {
  const xml = signedAssertion(facts, createPrivateKey(makeClientKeys().privateKey));
  expect(xml).toContain('NotBefore="2026-11-21T11:55:00.000Z" NotOnOrAfter="2026-11-21T12:10:00.000Z"');
  expect(xml).toContain('Recipient="https://api68.sapsf.example/oauth/token"');
});
