import { expect, it } from 'vitest';
import { hasValidSignature } from './aws-signature.ts';

// The first example of https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
const secret = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';
const example = {
  method: 'GET',
  url: '/test.txt',
  headers: {
    host: 'examplebucket.s3.amazonaws.com',
    range: 'bytes=0-9',
    'x-amz-content-sha256': 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    'x-amz-date': '20130524T000000Z',
    authorization:
      'AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,' +
      'SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,' +
      'Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  },
};

it("takes AWS's own example, and nothing that differs from it", () => {
  expect(hasValidSignature(example, secret)).toBe(true);
  expect(hasValidSignature(example, `${secret}x`)).toBe(false);
  expect(hasValidSignature({ ...example, url: '/test.txt?list-type=2' }, secret)).toBe(false);
  expect(hasValidSignature({ ...example, method: 'HEAD' }, secret)).toBe(false);
  expect(hasValidSignature({ ...example, headers: { ...example.headers, authorization: undefined } }, secret)).toBe(
    false,
  );
});
