import { describe, expect, it } from 'vitest';
import { renderOpenApi } from '../../src/platform/table/index.ts';
import { html } from '../../src/sandbox/docs/html.ts';
import { renderDocsPage } from '../../src/sandbox/docs/render-docs-page.ts';

const evil = `"><script>alert('x')</script>&`;

describe('the page of the API', () => {
  it('escapes whatever is not markup of its own', () => {
    expect(html`<a title="${evil}">${evil}</a>${undefined}${[html`<b>${1}</b>`]}`.html).toBe(
      `<a title="&#34;&#62;&#60;script&#62;alert(&#39;x&#39;)&#60;/script&#62;&#38;">&#34;&#62;&#60;script&#62;alert(&#39;x&#39;)&#60;/script&#62;&#38;</a><b>1</b>`,
    );
  });

  it('cannot be broken out of by a token', () => {
    const page = renderDocsPage(renderOpenApi(), { accessToken: evil, applicationToken: evil, refreshToken: evil });

    expect(page).not.toContain('<script>alert');
    expect(page.match(/<script>/g)).toHaveLength(1);
  });

  it('has every tag closed', () => {
    const page = renderDocsPage(renderOpenApi(), { accessToken: 'a', applicationToken: 'b', refreshToken: 'c' });
    for (const tag of [
      'article',
      'form',
      'table',
      'tr',
      'td',
      'th',
      'label',
      'details',
      'ul',
      'li',
      'section',
      'main',
    ]) {
      const opened = page.match(new RegExp(`<${tag}[ >]`, 'g'))?.length;
      expect(opened, tag).toBe(page.match(new RegExp(`</${tag}>`, 'g'))?.length);
    }
  });
});
