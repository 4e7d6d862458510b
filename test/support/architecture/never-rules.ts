import { basename } from 'node:path';
import { folderOf } from './import-rules.ts';
import { lineAt, type SourceFile, type Violation } from './source-file.ts';

/** One thing that must not be in the code, as far as a look at the text can tell (design, section 3, "Never"). */
export interface NeverRule {
  readonly name: string;
  readonly pattern: RegExp;
  /** Looks at the text with its comments and strings instead of the code alone. */
  readonly inText?: true;
  /** Folders where it is allowed. */
  readonly except?: readonly string[];
  /** Only outside every brace: what happens when the file is imported. */
  readonly atTop?: true;
  /** Something that the rule must catch: proof that it can. */
  readonly example: string;
}

const main = ['src/main'];
const parsedInput = [
  'src/config',
  'src/drivers',
  'src/sandbox',
  'src/server',
  'src/sources',
  'src/web/api/schema.d.ts',
];

export const neverRules: readonly NeverRule[] = [
  {
    name: 'a dry run is a plan that stops, never a flag',
    pattern: /\w*dry_?run\w*/gi,
    example: 'run({ isDryRun: true });',
  },
  {
    name: 'only main ends the process',
    pattern: /\bprocess\s*\.\s*(?:exit|abort|kill)\b/g,
    except: main,
    example: 'process.exit(1);',
  },
  {
    name: 'only main reads the environment',
    pattern: /\bprocess\s*\.\s*env\b/g,
    except: main,
    example: 'f(process.env.HOME);',
  },
  { name: 'no default exports', pattern: /\bexport\s+default\b|\bas\s+default\b/g, example: 'export default 1;' },
  { name: 'no enums', pattern: /\benum\s+\w+\s*\{/g, example: 'enum Colour { Red }' },
  { name: 'no any', pattern: /(?::|\bas|[<,|&]|=>)\s*any\b(?!\s*[:(?])|\bany\s*\[\]/g, example: 'const x = y as any;' },
  {
    name: 'no decision by the message of an error: by class or code',
    pattern:
      /\.message\s*(?:[!=]==?|\.(?:includes|startsWith|endsWith|match|indexOf|search)\b)|\b(?:switch|test)\s*\(\s*\w+\.message\b/g,
    example: "if (error.message.includes('timeout')) retry();",
  },
  {
    name: 'time comes from the injected clock',
    pattern: /\bDate\s*\.\s*now\b|\bnew\s+Date\s*(?:\(\s*\)|(?![\s(\w]))|\bperformance\s*\.\s*now\b/g,
    // The limit of an expression is real time: the thread that evaluates it knows no other.
    except: [...main, 'src/config/expression-thread.ts', 'src/config/expression-worker.ts', 'src/web/state/now.tsx'],
    example: 'const now = new Date();',
  },
  {
    name: 'chance comes from outside',
    pattern: /\bMath\s*\.\s*random\b/g,
    except: main,
    example: 'const x = Math.random();',
  },
  {
    name: 'no module-level variables',
    pattern: /^(?:export\s+)?(?:let|var)\s/gm,
    atTop: true,
    example: 'let count = 0;',
  },
  {
    name: 'no module-level state that is filled later',
    pattern: /^(?:export\s+)?const\s+\w+(?:\s*:[^=\n]*)?\s*=\s*new\s+(?:Weak)?(?:Map|Set)(?:<[^\n]*>)?\(\s*\)/gm,
    atTop: true,
    example: 'const cache = new Map<string, number>();',
  },
  {
    name: 'no work at import',
    pattern: /^(?:await\b|void\b|(?:[\w$]+\.)*[\w$]+\(|for\b|if\b|while\b|try\b)/gm,
    atTop: true,
    except: [...main, 'src/web/main.tsx'],
    example: 'await connect();',
  },
  {
    name: 'absence is said once: an optional property, or one that may be undefined',
    pattern: /\w\?:(?:=>|\((?:[^()]|\([^()]*\))*\)|[^;={},()])*\|\s*undefined\b/g,
    // Parsed input has optional properties that may be undefined, and these folders pass it on.
    except: parsedInput,
    example: 'interface Read { readonly total?: number | undefined }',
  },
  {
    name: 'every TODO has a link to its issue',
    // Not XXX: three letters X are the zone in a date format.
    pattern: /\b(?:TODO|FIXME|HACK)\b(?!.*(?:https?:\/\/\S+|#\d+))/g,
    inText: true,
    example: '// TODO: make it faster',
  },
];

/** Where a file breaks a rule. */
export function findNever(rule: NeverRule, file: SourceFile): Violation[] {
  if (rule.except?.some((place) => place === folderOf(file.path) || place === file.path)) return [];
  const looked = rule.inText ? file.text : file.code;
  return [...looked.matchAll(rule.pattern)]
    .filter(({ index }) => !rule.atTop || isAtTop(file.code, index))
    .map((match) => ({
      file: file.path,
      line: lineAt(looked, match.index),
      what: `${match[0].trim()}: ${rule.name}`,
    }));
}

function isAtTop(code: string, index: number): boolean {
  let depth = 0;
  for (let i = 0; i < index; i++) {
    const char = code[i];
    if (char === '{' || char === '(' || char === '[') depth++;
    if (char === '}' || char === ')' || char === ']') depth--;
  }
  return depth === 0;
}

const vagueNames = /^(?:utils?|helpers?|common|misc|shared|lib)(?:[.-]|$)/i;
const kebabCase = /^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.d)?\.tsx?$/;

/** A file is named after what it holds, in kebab-case. */
export function badFileName(file: SourceFile): Violation[] {
  const parts = file.path.split('/');
  const vague = parts.find((part) => vagueNames.test(part));
  const what = [
    ...(vague === undefined ? [] : [`${vague} says nothing: name it after what it holds`]),
    ...(kebabCase.test(basename(file.path)) ? [] : ['file names are kebab-case']),
  ];
  return what.map((one) => ({ file: file.path, line: 1, what: one }));
}
