import { join } from 'node:path';
import { defineConfig } from 'vitepress';
import { anchorOf } from '../../scripts/docs/headings.ts';
import { navigation, searchWeight, sidebar } from '../navigation.ts';

// Built by `npm run docs:build` from a copy of docs/ that site/prepare.ts makes.
export default defineConfig({
  title: 'Rollcall',
  description:
    "Keeps a workplace platform's users equal to the HR system's employees: on a schedule, safely, and explainably.",
  lang: 'en-US',
  // Relative addresses would break the search of pages in folders: set base when the site is not at the root of its host.
  base: process.env.DOCS_BASE ?? '/',
  srcDir: '../dist-site/source',
  outDir: '../dist-site/pages',
  cacheDir: '../dist-site/cache',
  cleanUrls: false,
  markdown: {
    anchor: { slugify: anchorOf },
    config(markdown) {
      // Two braces begin an expression of the page's template, also within code of a table.
      const render = markdown.renderer.rules.code_inline;
      markdown.renderer.rules.code_inline = (...parts) => (render?.(...parts) ?? '').replaceAll('{{', '&#123;&#123;');
    },
  },
  vite: {
    resolve: {
      // Parts of the theme that the site does not use, and that would load scripts or pictures from other hosts.
      alias: [
        { find: /^.*\/VP(CarbonAds|SocialLink)\.vue$/, replacement: join(import.meta.dirname, 'theme/nothing.ts') },
      ],
    },
    // The project's tsconfig.json names a newer language than this bundler knows.
    esbuild: { tsconfigRaw: '{}' },
    // The search index and the reference of the configuration are large.
    build: { chunkSizeWarningLimit: 4000 },
  },
  themeConfig: {
    nav: [...navigation],
    sidebar: [...sidebar],
    search: { provider: 'local', options: { miniSearch: { searchOptions: { boostDocument: searchWeight } } } },
    outline: [2, 3],
    footer: { message: 'Apache-2.0' },
  },
});
