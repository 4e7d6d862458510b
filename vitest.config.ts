import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    testTimeout: 30_000,
    projects: [
      { extends: true, test: { name: 'architecture', include: ['test/architecture.test.ts'] } },
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/architecture.test.ts', 'test/e2e/**', 'test/chaos/**'],
        },
      },
      {
        extends: true,
        test: { name: 'e2e', include: ['test/e2e/**/*.test.ts', 'test/chaos/**/*.test.ts'], testTimeout: 120_000 },
      },
    ],
  },
});
