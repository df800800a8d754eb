import { createHash } from 'node:crypto';
import { stringify } from 'yaml';

/**
 * Implements the part of Go's templates that the chart uses, because npm has no Helm. Throws for anything else in a
 * template, so that a test fails if the chart uses more.
 */
export function renderTemplates(
  files: Readonly<Record<string, string>>,
  data: unknown,
): Readonly<Record<string, string>> {
  const defined = new Map<string, readonly Node[]>();
  const parsed = Object.entries(files).map(([name, text]) => [name, parse(text, defined)] as const);
  const render = renderer(defined);
  return Object.fromEntries(
    parsed.map(([name, nodes]) => [name, render(nodes, { dot: data, variables: new Map([['$', data]]) })]),
  );
}

type Node =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'print'; readonly expression: string }
  | {
      readonly kind: 'if' | 'with' | 'range';
      readonly expression: string;
      readonly body: readonly Node[];
      readonly otherwise: readonly Node[];
    };

function parse(text: string, defined: Map<string, readonly Node[]>): readonly Node[] {
  const parts = [...text.matchAll(/([^]*?)(?:\{\{(-?)\s*([^]*?)\s*(-?)\}\}|$)/g)];
  let position = 0;
  let isTrimmed = false;

  /** Parses up to the action that ends the current body, and returns that action, too. */
  const body = (): { readonly nodes: readonly Node[]; readonly end: string } => {
    const nodes: Node[] = [];
    for (; position < parts.length;) {
      const [, raw = '', before, action, after] = parts[position] ?? [];
      position += 1;
      const start = isTrimmed ? raw.trimStart() : raw;
      const plain = before === '-' ? start.trimEnd() : start;
      if (plain !== '') nodes.push({ kind: 'text', text: plain });
      if (action === undefined) break;
      isTrimmed = after === '-';
      if (action.startsWith('/*')) continue;
      const [word = ''] = /^\w+/.exec(action) ?? [];
      const expression = action.slice(word.length).trim();
      if (word === 'end' || word === 'else') return { nodes, end: action };
      if (word === 'define') defined.set(JSON.parse(expression), body().nodes);
      else if (word === 'if' || word === 'with' || word === 'range') nodes.push(block(word, expression));
      else nodes.push({ kind: 'print', expression: action });
    }
    return { nodes, end: '' };
  };

  const block = (kind: 'if' | 'with' | 'range', expression: string): Node => {
    const { nodes, end } = body();
    if (end === 'end') return { kind, expression, body: nodes, otherwise: [] };
    if (end === 'else') return { kind, expression, body: nodes, otherwise: body().nodes };
    const [, next] = /^else if ([^]+)$/.exec(end) ?? [];
    if (next === undefined) throw new Error(`{{ ${kind} ${expression} }} has no end.`);
    return { kind, expression, body: nodes, otherwise: [block('if', next)] };
  };

  return body().nodes;
}

interface Scope {
  readonly dot: unknown;
  readonly variables: ReadonlyMap<string, unknown>;
}

type Render = (nodes: readonly Node[], scope: Scope) => string;

function renderer(defined: ReadonlyMap<string, readonly Node[]>): Render {
  const include = (name: unknown, dot: unknown): string => {
    const nodes = defined.get(String(name));
    if (nodes === undefined) throw new Error(`There is no template ${String(name)}.`);
    return render(nodes, { dot, variables: new Map([['$', dot]]) });
  };
  const functions: Functions = { ...FUNCTIONS, include };
  const render: Render = (nodes, scope) => nodes.map((node) => renderNode(node, scope)).join('');
  const renderNode = (node: Node, scope: Scope): string => {
    if (node.kind === 'text') return node.text;
    if (node.kind === 'print') return text(evaluate(node.expression, scope, functions));
    if (node.kind === 'range') return renderRange(node, scope);
    const value = evaluate(node.expression, scope, functions);
    if (!isTrue(value)) return render(node.otherwise, scope);
    return render(node.body, node.kind === 'with' ? { ...scope, dot: value } : scope);
  };
  const renderRange = (node: Extract<Node, { kind: 'if' | 'with' | 'range' }>, scope: Scope): string => {
    const [, key, name, expression = node.expression] =
      /^(\$\w+), (\$\w+) := ([^]*)$/.exec(node.expression) ?? [];
    const entries = Object.entries(Object(evaluate(expression, scope, functions)));
    return entries
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([at, dot]) => {
        const variables = new Map(scope.variables);
        if (key !== undefined && name !== undefined) variables.set(key, at).set(name, dot);
        return render(node.body, { dot, variables });
      })
      .join('');
  };
  return render;
}

type Functions = Readonly<Record<string, (...values: readonly unknown[]) => unknown>>;

const TOKEN = /\s*("(?:[^"\\]|\\.)*"|`[^`]*`|-?\d+|[$.][\w.]*|\w+|[()|])/y;

/** Evaluates a pipeline: commands separated by `|`, each of which gets the previous result as its last argument. */
function evaluate(expression: string, { dot, variables }: Scope, functions: Functions): unknown {
  const tokens: string[] = [];
  for (TOKEN.lastIndex = 0; TOKEN.lastIndex < expression.length;) {
    const [, token] = TOKEN.exec(expression) ?? [];
    if (token === undefined) throw new Error(`This is not understood: {{ ${expression} }}`);
    tokens.push(token);
  }
  const pipeline = (): unknown => {
    let value: readonly unknown[] = [];
    do value = [command(value)];
    while (tokens.shift() === '|');
    return value[0];
  };
  const command = (piped: readonly unknown[]): unknown => {
    const [name = ''] = tokens;
    if (!/^[a-z]/i.test(name) || name === 'true' || name === 'false') return operand();
    const call = functions[name];
    if (call === undefined) throw new Error(`There is no function ${name}: {{ ${expression} }}`);
    tokens.shift();
    const values: unknown[] = [];
    while (tokens[0] !== undefined && tokens[0] !== '|' && tokens[0] !== ')') values.push(operand());
    return call(...values, ...piped);
  };
  const operand = (): unknown => {
    const token = tokens.shift() ?? '';
    if (token === '(') return pipeline();
    if (token.startsWith('"')) return JSON.parse(token);
    if (token.startsWith('`')) return token.slice(1, -1);
    if (/^-?\d/.test(token)) return Number(token);
    if (token === 'true' || token === 'false') return token === 'true';
    const [first = '', ...fields] = token.split('.');
    if (first !== '' && !variables.has(first)) throw new Error(`There is no ${first}: {{ ${expression} }}`);
    return fields
      .filter((field) => field !== '')
      .reduce((value, field) => Object(value)[field], first === '' ? dot : variables.get(first));
  };
  return pipeline();
}

const FUNCTIONS: Functions = {
  add: (...numbers) => numbers.reduce((sum: number, number) => sum + Number(number), 0),
  and: (...values) => values.find((value) => !isTrue(value)) ?? values.at(-1),
  contains: (part, whole) => text(whole).includes(text(part)),
  default: (other, value) => (isTrue(value) ? value : other),
  eq: (one, other) => one === other,
  fail: (message) => {
    throw new Error(text(message));
  },
  gt: (one, other) => Number(one) > Number(other),
  hasKey: (object, key) => Object.hasOwn(Object(object), text(key)),
  int: Number,
  list: (...values) => values,
  nindent: (spaces, lines) => `\n${text(lines).replaceAll(/^/gm, ' '.repeat(Number(spaces)))}`,
  not: (value) => !isTrue(value),
  or: (...values) => values.find(isTrue) ?? values.at(-1),
  printf: (format, ...values) => text(format).replaceAll('%s', () => text(values.shift())),
  quote: (value) => JSON.stringify(text(value)),
  sha256sum: (value) => createHash('sha256').update(text(value)).digest('hex'),
  toJson: (value) => JSON.stringify(value ?? null),
  toString: text,
  toYaml: (value) => stringify(value).trimEnd(),
  trimSuffix: (suffix, value) =>
    text(value).endsWith(text(suffix)) ? text(value).slice(0, -text(suffix).length) : value,
  trunc: (length, value) => text(value).slice(0, Number(length)),
};

function text(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'object') throw new Error(`An object is printed: ${JSON.stringify(value)}`);
  return String(value as string | number | boolean); // the remaining types of JSON
}

/** Go's rule: empty values are false. */
function isTrue(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
  return Boolean(value);
}
