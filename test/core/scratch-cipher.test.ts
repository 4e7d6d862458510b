import { createCipheriv, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { scratchCipher, scratchKeyBytes } from '../../src/core/run/scratch-cipher.ts';

it('is AES-256 in counter mode from the first byte on', () => {
  const key = randomBytes(scratchKeyBytes);
  const text = randomBytes(100);
  const whole = createCipheriv('aes-256-ctr', key, Buffer.alloc(16)).update(text);
  expect(scratchCipher(key, 0)(text)).toEqual(whole);
});

it('reads from any position what was written in any pieces', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: scratchKeyBytes, maxLength: scratchKeyBytes }),
      fc.uint8Array({ minLength: 1, maxLength: 100 }),
      fc.nat(100),
      fc.nat(2 ** 40),
      (key, text, cut, start) => {
        const write = scratchCipher(key, start);
        const sealed = Buffer.concat([write(text.subarray(0, cut)), write(text.subarray(cut))]);
        const from = cut % text.length;
        expect(scratchCipher(key, start + from)(sealed.subarray(from))).toEqual(Buffer.from(text.subarray(from)));
      },
    ),
  );
});

it('continues one key stream at positions beyond four gigabytes', () => {
  const key = randomBytes(scratchKeyBytes);
  const zeros = Buffer.alloc(64);
  const blocks = 2 ** 33;
  const counter = Buffer.alloc(16);
  counter.writeBigUInt64BE(BigInt(blocks), 8);
  expect(scratchCipher(key, blocks * 16)(zeros)).toEqual(createCipheriv('aes-256-ctr', key, counter).update(zeros));
});
