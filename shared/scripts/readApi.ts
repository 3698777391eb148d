import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

/** The folder of the core. */
export const CORE = fileURLToPath(new URL('..', import.meta.url));

/** A module that users import, and what it exports. */
export interface EntryPoint {
  /** `@qr-service/core/webhook`. */
  name: string;
  exports: ApiExport[];
}

/** What a docstring says. */
interface Documented {
  name: string;
  /** As in code, on one line. */
  signature: string;
  /** The docstring's text without its tags; empty if there is none. */
  text: string;
  /** What leaving it out means: the text of `@default`. */
  defaultText: string | undefined;
}

/** An exported name. */
export interface ApiExport extends Documented {
  kind: 'class' | 'function' | 'constant' | 'type';
  /** Code of each `@example`. */
  examples: string[];
  members: Member[];
  /** The entry point that exported it first, if another one did. */
  firstIn: string | undefined;
}

/** A method, property or option. */
export interface Member extends Documented {
  optional: boolean;
}

const LONGEST_TYPE = 80;
const { NoTruncation, UseSingleQuotesForStringLiteralType } = ts.TypeFormatFlags;

/** Reads what the entry points in the core's package.json export, from its source. */
export function readApi(): EntryPoint[] {
  const { name, exports } = JSON.parse(readFileSync(`${CORE}/package.json`, 'utf8')) as {
    name: string;
    exports: Record<string, string | Record<string, unknown>>;
  };
  const sources = Object.entries(exports).flatMap(([path, target]) =>
    typeof target === 'object' ? [{ name: name + path.slice(1), file: sourceOf(target) }] : [],
  );
  const { config } = ts.readConfigFile(`${CORE}/tsconfig.json`, (file) => ts.sys.readFile(file)) as {
    config: unknown;
  };
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, CORE);
  const program = ts.createProgram(
    sources.map(({ file }) => file),
    { ...options, composite: false, noEmit: true },
  );
  return new ApiReader(program).read(sources);
}

function sourceOf(target: Record<string, unknown>): string {
  return `${CORE}${String(target['@qr-service/source']).slice(2)}`;
}

class ApiReader {
  readonly #program: ts.Program;
  readonly #checker: ts.TypeChecker;
  /** All exports, each with the entry point that exports it first. */
  readonly #exported = new Map<ts.Symbol, string>();

  constructor(program: ts.Program) {
    this.#program = program;
    this.#checker = program.getTypeChecker();
  }

  read(sources: readonly { name: string; file: string }[]): EntryPoint[] {
    const modules = sources.map(({ name, file }) => ({ name, symbols: this.#exportsOf(file) }));
    for (const { name, symbols } of modules)
      for (const symbol of symbols.values())
        if (!this.#exported.has(symbol)) this.#exported.set(symbol, name);
    return modules.map(({ name, symbols }) => ({
      name,
      exports: [...symbols].map(([exported, symbol]) => {
        const first = this.#exported.get(symbol);
        const examples = symbol
          .getJsDocTags(this.#checker)
          .filter((tag) => tag.name === 'example')
          .map((tag) => ts.displayPartsToString(tag.text));
        return {
          name: exported,
          ...this.#docstring(symbol),
          ...this.#describe(symbol),
          examples,
          firstIn: first === name ? undefined : first,
        };
      }),
    }));
  }

  #exportsOf(file: string): Map<string, ts.Symbol> {
    const source = this.#program.getSourceFile(file);
    const module = source && this.#checker.getSymbolAtLocation(source);
    if (module === undefined) throw new Error(`${file} is not a module.`);
    const symbols = this.#checker.getExportsOfModule(module);
    const target = (symbol: ts.Symbol) =>
      symbol.flags & ts.SymbolFlags.Alias ? this.#checker.getAliasedSymbol(symbol) : symbol;
    return new Map(symbols.map((symbol) => [symbol.name, target(symbol)]));
  }

  #describe(symbol: ts.Symbol): Pick<ApiExport, 'kind' | 'signature' | 'members'> {
    const declaration = declarationOf(symbol);
    if (ts.isClassDeclaration(declaration))
      return { kind: 'class', signature: header('class', declaration), members: this.#classMembers(symbol) };
    if (ts.isFunctionDeclaration(declaration))
      return { kind: 'function', signature: symbol.name + this.#callOf(symbol), members: [] };
    if (ts.isVariableDeclaration(declaration))
      return { kind: 'constant', ...this.#constant(symbol, declaration) };
    if (ts.isTypeAliasDeclaration(declaration)) return { kind: 'type', ...this.#alias(symbol, declaration) };
    if (!ts.isInterfaceDeclaration(declaration))
      throw new Error(
        `${symbol.name} is a ${ts.SyntaxKind[declaration.kind]}: add a case for it to #describe.`,
      );
    const members = [...(symbol.members?.values() ?? [])].filter(({ flags }) => flags & MEMBER);
    return {
      kind: 'type',
      signature: header('interface', declaration),
      members: members.map((member) => this.#member(member)),
    };
  }

  /** A constant with its type, if that is short. For a record, also the members that have a docstring. */
  #constant(
    symbol: ts.Symbol,
    { type: declared, initializer }: ts.VariableDeclaration,
  ): { signature: string; members: Member[] } {
    const type = this.#typeOf(symbol);
    const signature = `const ${symbol.name}${type.length > LONGEST_TYPE ? '' : `: ${type}`}`;
    if (declared !== undefined || !ts.isObjectLiteralExpression(unwrapped(initializer)))
      return { signature, members: [] };
    const members = this.#checker.getTypeOfSymbol(symbol).getProperties();
    return {
      signature,
      members: members.map((member) => this.#member(member)).filter(({ text }) => text !== ''),
    };
  }

  /** A type alias as written in its source, or spelled out if it is derived from data or from the API description. */
  #alias(symbol: ts.Symbol, declaration: ts.TypeAliasDeclaration): { signature: string; members: Member[] } {
    const type = this.#checker.getDeclaredTypeOfSymbol(symbol);
    const source = oneLine(declaration.type.getText());
    const isDerived = /\btypeof\b|\['/.test(source);
    if (isDerived && !type.isUnion())
      return {
        signature: `type ${symbol.name}`,
        members: type.getProperties().map((member) => this.#member(member)),
      };
    // Sorted, as the compiler's order changes with code elsewhere.
    const values = isDerived && type.isUnion() ? type.types.map((each) => this.#format(each)).sort() : [];
    return { signature: `type ${symbol.name} = ${isDerived ? values.join(' | ') : source}`, members: [] };
  }

  /**
   * The documented public members of a class. A property whose class isn't exported is listed by its methods, as they
   * are called.
   */
  #classMembers(symbol: ts.Symbol, prefix = ''): Member[] {
    const members = [...(symbol.members?.values() ?? [])].filter(isPublic);
    const construction = members.filter(({ flags }) => flags & ts.SymbolFlags.Constructor && prefix === '');
    const others = members.filter(({ flags }) => !(flags & ts.SymbolFlags.Constructor));
    const listed = others.flatMap((member) => {
      const held = this.#checker.getTypeOfSymbol(member).getSymbol();
      const isPart = held !== undefined && held.flags & ts.SymbolFlags.Class && !this.#exported.has(held);
      if (isPart) return this.#classMembers(held, `${prefix}${member.name}.`);
      return member.name === 'name' ? [] : [this.#member(member, prefix)];
    });
    return [...construction.map((member) => this.#construction(symbol, member)), ...listed];
  }

  #construction(type: ts.Symbol, constructor: ts.Symbol): Member {
    const signature = `new ${type.name}${this.#callOf(constructor)}`;
    return { name: signature, ...this.#docstring(constructor), signature, optional: false };
  }

  #member(symbol: ts.Symbol, prefix = ''): Member {
    const name = prefix + symbol.name;
    const optional = (symbol.flags & ts.SymbolFlags.Optional) !== 0;
    const signature =
      symbol.flags & ts.SymbolFlags.Method
        ? name + this.#callOf(symbol)
        : `${name}${optional ? '?' : ''}: ${this.#typeOf(symbol)}`;
    return { name, ...this.#docstring(symbol), signature, optional };
  }

  /** `(id: string, options?: CallOptions): Promise<QrCode>`. */
  #callOf(symbol: ts.Symbol): string {
    const declaration = declarationOf(symbol) as ts.SignatureDeclaration;
    const { parameters, typeParameters = [], type } = declaration;
    const generics = typeParameters.map((each) => each.getText()).join(', ');
    const given = parameters.map((parameter) => {
      const { name, questionToken, initializer } = parameter;
      const written = ts.isObjectBindingPattern(name) ? fieldsOf(name) : name.getText();
      const mark = questionToken === undefined && initializer === undefined ? '' : '?';
      return `${written}${mark}: ${this.#written(parameter, parameter.type)}`;
    });
    const result = ts.isConstructorDeclaration(declaration) ? '' : `: ${oneLine(type?.getText() ?? 'void')}`;
    return oneLine(`${generics && `<${generics}>`}(${given.join(', ')})`) + result;
  }

  #typeOf(symbol: ts.Symbol): string {
    const declaration = declarationOf(symbol) as { type?: ts.TypeNode; initializer?: ts.Expression };
    const { type, initializer } = declaration;
    const asserted = initializer && ts.isAsExpression(initializer) ? initializer.type : undefined;
    const isConst = asserted?.getText() === 'const';
    return this.#written(declarationOf(symbol), type ?? (isConst ? undefined : asserted));
  }

  /** A type as written in the source, or else as the compiler infers it. */
  #written(declaration: ts.Declaration, type: ts.TypeNode | undefined): string {
    if (type !== undefined) return oneLine(type.getText());
    return this.#format(this.#checker.getTypeAtLocation(declaration));
  }

  #format(type: ts.Type): string {
    return this.#checker.typeToString(type, undefined, NoTruncation | UseSingleQuotesForStringLiteralType);
  }

  #docstring(symbol: ts.Symbol): Pick<Documented, 'text' | 'defaultText'> {
    const tags = symbol.getJsDocTags(this.#checker);
    const tag = (name: string) => {
      const found = tags.find((each) => each.name === name);
      return found && ts.displayPartsToString(found.text).trim();
    };
    // Types generated from the API description have their docstring in a tag.
    const text = tag('description') ?? ts.displayPartsToString(symbol.getDocumentationComment(this.#checker));
    return { text: text.trim(), defaultText: tag('default') };
  }
}

const MEMBER = ts.SymbolFlags.Property | ts.SymbolFlags.Accessor | ts.SymbolFlags.Method;

function isPublic(member: ts.Symbol): boolean {
  if (member.flags & ts.SymbolFlags.Constructor) return true;
  const name = ts.getNameOfDeclaration(member.declarations?.[0]);
  return (member.flags & MEMBER) !== 0 && name !== undefined && !ts.isPrivateIdentifier(name);
}

function declarationOf({ name, declarations }: ts.Symbol): ts.Declaration {
  const [declaration] = declarations ?? [];
  if (declaration === undefined) throw new Error(`${name} has no declaration.`);
  return declaration;
}

/** `interface Page<Row> extends …`, as written in the source. */
function header(keyword: string, declaration: ts.ClassDeclaration | ts.InterfaceDeclaration): string {
  const { name, typeParameters = [], heritageClauses = [] } = declaration;
  const parameters = typeParameters.map((parameter) => parameter.getText()).join(', ');
  const heritage = heritageClauses.map((clause) => ` ${clause.getText()}`).join('');
  return oneLine(`${keyword} ${name?.text ?? ''}${parameters && `<${parameters}>`}${heritage}`);
}

/** The value in `value as const satisfies Type`. */
function unwrapped(value: ts.Expression | undefined): ts.Node {
  if (value !== undefined && (ts.isAsExpression(value) || ts.isSatisfiesExpression(value)))
    return unwrapped(value.expression);
  return value ?? ts.factory.createEmptyStatement();
}

/** `{ body, secret }`, without the defaults in it. */
function fieldsOf({ elements }: ts.ObjectBindingPattern): string {
  return `{ ${elements.map(({ name, propertyName }) => (propertyName ?? name).getText()).join(', ')} }`;
}

/** Source text on one line, without comments. */
function oneLine(text: string): string {
  return text
    .replaceAll(/\/\*.*?\*\//gs, '')
    .replaceAll(/\s+/g, ' ')
    .replace(/^\| /, '')
    .trim();
}
