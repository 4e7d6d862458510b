import { renderMermaidSVG } from 'beautiful-mermaid';

/** Replaces the Mermaid blocks of a page by pictures. Their colors come from the style of the site. */
export function withDiagrams(page: string): string {
  return page.replace(/^```mermaid\n([\s\S]*?)^```$/gm, (_whole, text: string) => {
    const svg = renderMermaidSVG(text, { bg: '#ffffff', fg: '#1f2328' })
      // It names a font of another host, and colors that the style of the site gives.
      .replace(/<style>[\s\S]*?<\/style>/, '')
      .replace(/^(<svg[^>]*) style="[^"]*"/, '$1')
      .replaceAll(/\n\s*/g, ' ');
    return `<div class="diagram" v-pre>${svg}</div>`;
  });
}
