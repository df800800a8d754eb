import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';

const ROOT = dirname(dirname(import.meta.dirname));

export interface PublicName {
  readonly name: string;
  /** Whether the name is a type, or is exported with `export type`. */
  readonly isType: boolean;
  /**
   * The file from which the entry point exports the name, relative to the repository's root; for a name of another
   * package, that package's name.
   */
  readonly from: string;
}

export interface EntryPoint {
  /** The text of an import: `@trunkline/core/spi/storage`. */
  readonly specifier: string;
  /** From the root of the repository. */
  readonly source: string;
  /** Whether only this workspace can import the entry point: its package does not publish it (`publishConfig`). */
  readonly isPrivate: boolean;
  readonly names: readonly PublicName[];
}

export interface Package {
  readonly name: string;
  /** The path from the root of the repository: `packages/core`. */
  readonly folder: string;
  readonly entryPoints: readonly EntryPoint[];
}

/**
 * Reads every package, published or private, in the order of their folders. Omits the package for n8n, which loads its
 * files by path.
 */
export function readPackages(): readonly Package[] {
  return globSync('{packages,internal}/*/package.json', { cwd: ROOT })
    .toSorted()
    .filter((path) => !isForN8n(path))
    .map(readPackage);
}

function isForN8n(path: string): boolean {
  return 'n8n' in asRecord(JSON.parse(readFileSync(join(ROOT, path), 'utf8')), path);
}

function readPackage(path: string): Package {
  const text: unknown = JSON.parse(readFileSync(join(ROOT, path), 'utf8'));
  const { name, exports, publishConfig } = asRecord(text, path);
  if (typeof name !== 'string') throw new Error(`${path} has no name.`);
  const folder = dirname(path);
  const published =
    publishConfig === undefined
      ? {}
      : asRecord(asRecord(publishConfig, path)['exports'], `publishConfig of ${path}`);
  const entryPoints = Object.entries(asRecord(exports, `exports of ${path}`)).map(([subpath, target]) => {
    const source = join(folder, sourceOf(target, `${subpath} of ${path}`));
    const isPrivate = !(subpath in published);
    return { specifier: join(name, subpath), source, isPrivate, names: exportsOf(source) };
  });
  return { name, folder, entryPoints };
}

/** The source file of an entry of `exports`: TypeScript, or for JavaScript the separate file with its types. */
function sourceOf(target: unknown, what: string): string {
  const conditions = typeof target === 'string' ? { source: target } : asRecord(target, what);
  const source = conditions['source'] ?? conditions['types'];
  if (typeof source !== 'string') throw new Error(`${what} has no source.`);
  return source;
}

function asRecord(value: unknown, what: string): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) throw new Error(`${what} is not an object.`);
  return Object.fromEntries(Object.entries(value));
}

/** The exports of a file, in alphabetical order. Throws on `export *` without a name, because each public name must be listed. */
function exportsOf(file: string): readonly PublicName[] {
  return parse(file)
    .statements.flatMap((statement) => [...reexports(statement, file), ...declared(statement, file)])
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function reexports(statement: ts.Statement, file: string): readonly PublicName[] {
  if (!ts.isExportDeclaration(statement)) return [];
  const { exportClause, moduleSpecifier, isTypeOnly } = statement;
  if (exportClause === undefined) throw new Error(`${file} has an "export *": write down the names.`);
  const module =
    moduleSpecifier !== undefined && ts.isStringLiteral(moduleSpecifier) ? moduleSpecifier.text : '';
  const from = module.startsWith('.') ? relative('.', join(dirname(file), module)) : module;
  if (ts.isNamespaceExport(exportClause)) return [{ name: exportClause.name.text, isType: isTypeOnly, from }];
  return exportClause.elements.map((element) => ({
    name: element.name.text,
    isType: isTypeOnly || element.isTypeOnly,
    from,
  }));
}

function declared(statement: ts.Statement, file: string): readonly PublicName[] {
  if (!isExported(statement)) return [];
  const isType = ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement);
  return declarationNames(statement).map((name) => ({ name, isType, from: file }));
}

function isExported(node: ts.Node): boolean {
  const modifiers = ts.canHaveModifiers(node) ? (ts.getModifiers(node) ?? []) : [];
  return modifiers.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
}

function declarationNames(statement: ts.Statement): readonly string[] {
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.map(({ name }) => name.getText());
  }
  const isNamed =
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement) ||
    ts.isFunctionDeclaration(statement) ||
    ts.isClassDeclaration(statement);
  return isNamed && statement.name !== undefined ? [statement.name.text] : [];
}

/**
 * The names of the types that a declaration mentions, directly or through other types of the repository. Function
 * bodies are not searched.
 */
export function typesReachedFrom(start: PublicName, packages: readonly Package[]): ReadonlySet<string> {
  const sources = sourcesOf(packages);
  const reached = new Set<string>();
  const visited = new Set<string>();
  const visit = (file: string | undefined, name: string): void => {
    if (file === undefined || visited.has(`${file} ${name}`)) return;
    visited.add(`${file} ${name}`);
    for (const mentioned of typesNamedIn(file, name)) {
      reached.add(mentioned);
      visit(declaringFile(file, mentioned, sources), mentioned);
    }
  };
  visit(sources.get(start.from) ?? start.from, start.name);
  return reached;
}

function typesNamedIn(file: string, name: string): ReadonlySet<string> {
  const types = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isBlock(node)) return;
    if (ts.isTypeReferenceNode(node)) types.add(node.typeName.getText());
    if (ts.isExpressionWithTypeArguments(node)) types.add(node.expression.getText());
    ts.forEachChild(node, visit);
  };
  parse(file)
    .statements.filter((statement) => declarationNames(statement).includes(name))
    .forEach(visit);
  return types;
}

/** The file that declares a type, or exports it to `file`; undefined if a dependency or the language declares it. */
function declaringFile(file: string, name: string, sources: ReadonlyMap<string, string>): string | undefined {
  for (const statement of parse(file).statements) {
    if (declarationNames(statement).includes(name)) return file;
    if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier)) continue;
    const bindings = statement.importClause?.namedBindings;
    if (bindings === undefined || !ts.isNamedImports(bindings)) continue;
    if (!bindings.elements.some((element) => element.name.text === name)) continue;
    const module = statement.moduleSpecifier.text;
    const target = module.startsWith('.') ? join(dirname(file), module) : sources.get(module);
    if (target === undefined) return undefined;
    const from = exportsOf(target).find((exported) => exported.name === name)?.from;
    return from === undefined ? undefined : (sources.get(from) ?? from);
  }
  return undefined;
}

function sourcesOf(packages: readonly Package[]): ReadonlyMap<string, string> {
  return new Map(
    packages.flatMap(({ entryPoints }) => entryPoints.map(({ specifier, source }) => [specifier, source])),
  );
}

const parsed = new Map<string, ts.SourceFile>();

function parse(file: string): ts.SourceFile {
  const known = parsed.get(file);
  if (known !== undefined) return known;
  const text = readFileSync(join(ROOT, file), 'utf8');
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2024, true);
  parsed.set(file, source);
  return source;
}

/**
 * For each imported file, the imported names, each with the files that import it. Reads all files of the repository
 * that may import: sources, tests, programs and pages.
 */
export function readImports(
  packages: readonly Package[],
): ReadonlyMap<string, ReadonlyMap<string, readonly string[]>> {
  const sources = sourcesOf(packages);
  const imports = new Map<string, Map<string, string[]>>();
  const files = globSync(['{packages,internal,examples,bench,scripts,docs}/**/*.{ts,js,mjs,md}', '*.md'], {
    cwd: ROOT,
    exclude: ['**/node_modules', '**/dist'],
  });
  for (const file of files) {
    for (const [, list = '', specifier = ''] of readFileSync(join(ROOT, file), 'utf8').matchAll(IMPORT)) {
      const source = sources.get(specifier) ?? join(dirname(file), specifier);
      const users = imports.get(source) ?? new Map<string, string[]>();
      imports.set(source, users);
      for (const name of list.split(',').map(importedName))
        users.set(name, [...(users.get(name) ?? []), file]);
    }
  }
  return imports;
}

const IMPORT = /\b(?:import|export)(?: type)?\s*\{([^{}]*)\}\s*from\s*'([^']*)'/g;

/** The imported name: `A` in `type A as B`. */
function importedName(specifier: string): string {
  return specifier
    .trim()
    .replace(/^type /, '')
    .replace(/ as .*/, '');
}

/**
 * The names of an entry point, and the members of their declarations, that have no comment. A type without a public
 * name counts as part of the declaration that mentions it.
 */
export function undocumentedIn(entryPoint: EntryPoint, packages: readonly Package[]): readonly string[] {
  const sources = sourcesOf(packages);
  const known = publicDeclarations(packages);
  const isPublic = (file: string, name: string): boolean => known.has(`${file} ${name}`);
  const visited = new Set<string>();
  const missing: string[] = [];
  const visitDeclaration = (file: string, name: string): void => {
    if (visited.has(`${file} ${name}`)) return;
    visited.add(`${file} ${name}`);
    const declarations = parse(file).statements.filter((one) => declarationNames(one).includes(name));
    // A private type needs no comment, but its members do.
    if (isPublic(file, name) && !declarations.some(isDocumented)) missing.push(`${file}: ${name}`);
    for (const declaration of declarations) visitMembers(declaration, file, name);
  };
  const visitMembers = (node: ts.Node, file: string, path: string): void => {
    ts.forEachChild(node, (child) => {
      // Users never see the members of the type after `extends` in a conditional type.
      if (isImplementation(child) || (ts.isConditionalTypeNode(node) && child === node.extendsType)) return;
      if (ts.isTypeReferenceNode(child) || ts.isExpressionWithTypeArguments(child)) {
        const mentioned = ts.isTypeReferenceNode(child)
          ? child.typeName.getText()
          : child.expression.getText();
        const declaring = resolveName(declaringFile(file, mentioned, sources), mentioned, sources);
        if (declaring !== undefined && !isPublic(declaring, mentioned))
          visitDeclaration(declaring, mentioned);
      }
      if (!isMember(child)) return visitMembers(child, file, path);
      const member = `${path}.${child.name.getText()}`;
      if (!isDocumented(child)) missing.push(`${file}: ${member}`);
      visitMembers(child, file, member);
    });
  };
  for (const { name, from } of entryPoint.names) {
    const file = resolveName(sources.get(from) ?? from, name, sources);
    if (file !== undefined) visitDeclaration(file, name);
  }
  return missing;
}

/** Whether the node is code or a value, whose members editors do not show. */
function isImplementation(node: ts.Node): boolean {
  return (
    ts.isBlock(node) ||
    ts.isConstructorDeclaration(node) ||
    (ts.isExpression(node) && !ts.isExpressionWithTypeArguments(node))
  );
}

type Member = ts.PropertySignature | ts.MethodSignature | ts.PropertyDeclaration | ts.MethodDeclaration;

function isMember(node: ts.Node): node is Member {
  return (
    ts.isPropertySignature(node) ||
    ts.isMethodSignature(node) ||
    ((ts.isPropertyDeclaration(node) || ts.isMethodDeclaration(node)) && !ts.isPrivateIdentifier(node.name))
  );
}

function isDocumented(node: ts.Node): boolean {
  return ts
    .getJSDocCommentsAndTags(node)
    .some((comment) => ts.isJSDoc(comment) && comment.comment !== undefined);
}

/** The file that declares a name, found through re-exports; undefined if it is not in the repository. */
function resolveName(
  file: string | undefined,
  name: string,
  sources: ReadonlyMap<string, string>,
): string | undefined {
  if (file === undefined || !/\.[jt]s$/.test(file)) return undefined;
  if (parse(file).statements.some((statement) => declarationNames(statement).includes(name))) return file;
  const from = exportsOf(file).find((exported) => exported.name === name)?.from;
  return from === undefined || from === ''
    ? undefined
    : resolveName(sources.get(from) ?? from, name, sources);
}

const publicOf = new WeakMap<readonly Package[], ReadonlySet<string>>();

function publicDeclarations(packages: readonly Package[]): ReadonlySet<string> {
  const known = publicOf.get(packages);
  if (known !== undefined) return known;
  const sources = sourcesOf(packages);
  const declarations = new Set(
    packages.flatMap(({ entryPoints }) =>
      entryPoints.flatMap(({ isPrivate, names }) =>
        isPrivate
          ? []
          : names.map(({ name, from }) => `${resolveName(sources.get(from) ?? from, name, sources)} ${name}`),
      ),
    ),
  );
  publicOf.set(packages, declarations);
  return declarations;
}
