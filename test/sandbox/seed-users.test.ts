import { describe, expect, it } from 'vitest';
import { seedUsers } from '../../src/sandbox/index.ts';

describe('synthetic users', () => {
  it('are the same for the same seed, and the first ones do not depend on how many follow', () => {
    expect([...seedUsers(20, 7)]).toEqual([...seedUsers(100, 7)].slice(0, 20));
    expect([...seedUsers(20, 7)]).not.toEqual([...seedUsers(20, 8)]);
  });

  it('have an identification and an e-mail of their own, at example.com', () => {
    const people = [...seedUsers(5000)];

    expect(new Set(people.map(({ identification }) => identification)).size).toBe(5000);
    expect(new Set(people.map(({ fields }) => fields.email)).size).toBe(5000);
    for (const { fields } of people) expect(fields.email).toMatch(/^[a-z.-]+\.\d+@example\.com$/);
  });

  it('have accents, apostrophes and an emoji now and then, and some are disabled', () => {
    const people = [...seedUsers(5000)];
    const names = people.map(({ fields }) => `${fields.firstName} ${fields.lastName}`);
    const share = (test: (name: string) => boolean) => names.filter(test).length / names.length;

    expect(share((name) => /\p{L}/u.test(name) && name !== name.normalize('NFD'))).toBeGreaterThan(0.2);
    expect(share((name) => name.includes("'"))).toBeGreaterThan(0.01);
    expect(share((name) => /\p{Emoji_Presentation}/u.test(name))).toBeGreaterThan(0.002);
    const disabled = people.filter(({ enabled }) => !enabled).length / people.length;
    expect(disabled).toBeGreaterThan(0.01);
    expect(disabled).toBeLessThan(0.05);
  });

  it('are NFC, without blanks at the ends', () => {
    for (const { fields } of seedUsers(1000)) {
      for (const value of Object.values(fields)) expect(value).toBe(value?.normalize('NFC').trim());
    }
  });
});
