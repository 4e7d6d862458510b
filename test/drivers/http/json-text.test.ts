import { expect, it } from 'vitest';
import { exactValue, maxFields, readJson } from '../../../src/drivers/http/json-text.ts';

const objectOf = (count: number) => `{"data":[{${Array.from({ length: count }, (_, at) => `"k${at}":1`).join()}}]}`;
const read = (text: string) => exactValue(readJson(Buffer.from(text)));

it('an object with far more fields than any record is refused, without its content', () => {
  expect(read(objectOf(maxFields))).toHaveProperty('data');
  expect(() => read(objectOf(maxFields + 1))).toThrow('an object of the body has more than 20000 fields');
});
