/**
 * The source text with comments blanked and the insides of strings, templates and regular expressions blanked, every
 * other character at its place: what is found in it is code, at the line where it stands.
 */
export function codeOnly(text: string): string {
  const out = [...text.split('')];
  const blank = (from: number, to: number) => {
    for (let i = from; i < to; i++) if (out[i] !== '\n') out[i] = ' ';
  };
  /** Where each open `${` began to count braces. */
  const templates: number[] = [];
  let depth = 0;
  let at = 0;
  /** Last character of code, to tell a regular expression from a division. */
  let last = '';
  let lastWord = '';

  const skipTemplate = (from: number): number => {
    let i = from;
    while (i < text.length) {
      if (text[i] === '\\') i += 2;
      else if (text[i] === '`') {
        blank(from, i);
        return i + 1;
      } else if (text[i] === '$' && text[i + 1] === '{') {
        blank(from, i);
        templates.push(depth);
        depth++;
        return i + 2;
      } else i++;
    }
    return i;
  };

  while (at < text.length) {
    const char = text[at] ?? '';
    const next = text[at + 1];
    if (char === '/' && next === '/') {
      const end = indexOrEnd(text, '\n', at);
      blank(at, end);
      at = end;
    } else if (char === '/' && next === '*') {
      const end = Math.min(text.length, indexOrEnd(text, '*/', at + 2) + 2);
      blank(at, end);
      at = end;
    } else if (char === "'" || char === '"') {
      const end = endOfString(text, at, char);
      blank(at + 1, end);
      last = char;
      at = end + 1;
    } else if (char === '`') {
      at = skipTemplate(at + 1);
      last = '`';
    } else if (char === '/' && startsExpression(last, lastWord)) {
      const end = endOfRegExp(text, at);
      blank(at + 1, end);
      last = '/';
      at = end + 1;
    } else {
      if (char === '{') depth++;
      if (char === '}') depth--;
      if (char === '}' && templates.at(-1) === depth) {
        templates.pop();
        at = skipTemplate(at + 1);
        last = '`';
        continue;
      }
      if (/\w/.test(char)) lastWord = /\w/.test(text[at - 1] ?? '') ? lastWord + char : char;
      if (char.trim() !== '') last = char;
      at++;
    }
  }
  return out.join('');
}

function startsExpression(last: string, lastWord: string): boolean {
  if (/\w/.test(last)) return /^(?:return|typeof|case|in|of|await|yield|void)$/.test(lastWord);
  return !/[)\]}'"`/$]/.test(last);
}

function indexOrEnd(text: string, what: string, from: number): number {
  const index = text.indexOf(what, from);
  return index === -1 ? text.length : index;
}

function endOfString(text: string, start: number, quote: string): number {
  for (let i = start + 1; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === quote || text[i] === '\n') return i;
  }
  return text.length;
}

function endOfRegExp(text: string, start: number): number {
  let isInClass = false;
  for (let i = start + 1; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === '[') isInClass = true;
    else if (text[i] === ']') isInClass = false;
    else if ((text[i] === '/' && !isInClass) || text[i] === '\n') return i;
  }
  return text.length;
}
