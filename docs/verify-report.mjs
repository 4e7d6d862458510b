// Verifies a sealed report of Rollcall: node verify-report.mjs FILE [PUBLIC_KEY]
// Take the public key from the deployment (rollcall admin keys signing), never from whoever gives you the file.
import { createHash, createPublicKey, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';

const sha256 = (text) => createHash('sha256').update(text).digest('hex');
const [file, trusted] = process.argv.slice(2);
const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
const last = lines.length;
const faults = [];
const check = (isRight, line, fault) => isRight || faults.push(`line ${line}: ${fault}`);
const { signature = '', ...seal } = /^\{.*\}$/.test(lines.at(-1)) ? JSON.parse(lines.pop()) : {};
if (seal.kind !== 'seal') throw new Error(`line ${last}: is no seal, so the end of the file is missing`);
check([undefined, seal.public].includes(trusted), last, 'another key has sealed the report');
const key = createPublicKey({ key: Buffer.from(seal.public, 'base64'), type: 'spki', format: 'der' });
const isSigned = verify(null, Buffer.from(JSON.stringify(seal)), key, Buffer.from(signature, 'base64'));
check(isSigned, last, 'the seal was changed');
const head = seal.hashes.reduce((before, hash) => sha256(before + hash), '');
check(head === seal.head, last, 'the chain of the lines is broken');
const sealedAs = new Map(seal.hashes.map((hash, at) => [hash, at + 1]));
const hashes = lines.map(sha256);
const found = new Set(hashes);
const counts = {};
let [before, chain] = [0, ''];
for (const [at, hash] of hashes.entries()) {
  const place = sealedAs.get(hash) ?? before;
  check(sealedAs.has(hash), at + 1, 'was changed or added');
  check(place > before || !sealedAs.has(hash), at + 1, `was moved or repeated: it was sealed as line ${place}`);
  before = Math.max(before, place);
  const { kind, link, ...row } = sealedAs.has(hash) ? JSON.parse(lines[at]) : {};
  counts[kind] = (counts[kind] ?? 0) + 1;
  if (kind === 'audit') check(sha256(chain + JSON.stringify(link)) === row.chain, at + 1, 'breaks the audit');
  chain = row.auditStart ?? row.chain ?? chain;
}
for (const [hash, place] of sealedAs) check(found.has(hash), place, 'of the sealed report is missing or was changed');
check(JSON.stringify(counts) === JSON.stringify(seal.counts), last, 'the lines are not as many as were sealed');
process.stdout.write(
  `${faults.join('\n') || `Nothing was changed. Key ${seal.key}: ${JSON.stringify(seal.totals)}`}\n`,
);
process.exitCode = faults.length > 0 ? 1 : 0;
