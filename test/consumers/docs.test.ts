import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const CORE = fileURLToPath(new URL('../../shared', import.meta.url));
const ENTRY_POINTS = ['index.ts', 'undici.ts', 'webhook/index.ts'];

const { config } = ts.readConfigFile(`${CORE}/tsconfig.json`, (file) => ts.sys.readFile(file));
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, CORE);
const files = ENTRY_POINTS.map((file) => `${CORE}/src/${file}`);
const program = ts.createProgram(files, { ...options, composite: false, noEmit: true });
const checker = program.getTypeChecker();

/** The names that an entry point exports, with what they stand for. */
function exportsOf(file: string): [name: string, symbol: ts.Symbol][] {
  const entry = checker.getSymbolAtLocation(program.getSourceFile(`${CORE}/src/${file}`)!)!;
  return checker
    .getExportsOfModule(entry)
    .map((symbol) => [
      symbol.name,
      symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol,
    ]);
}

function isDocumented(symbol: ts.Symbol): boolean {
  return symbol.getDocumentationComment(checker).some(({ text }) => text.trim() !== '');
}

/** A class's methods and accessors, and those of the objects that its properties hold. */
function methodsOf(symbol: ts.Symbol, depth = 1): [name: string, symbol: ts.Symbol][] {
  const type = checker.getDeclaredTypeOfSymbol(symbol);
  return checker.getPropertiesOfType(type).flatMap((member): [string, ts.Symbol][] => {
    const [declaration] = member.declarations ?? [];
    const identifier = declaration && ts.getNameOfDeclaration(declaration);
    if (identifier === undefined || ts.isPrivateIdentifier(identifier)) return [];
    const name = `${symbol.name}.${member.name}`;
    if (member.flags & (ts.SymbolFlags.Method | ts.SymbolFlags.Accessor)) return [[name, member]];
    const held = checker.getTypeOfSymbol(member).getSymbol();
    const isObject = held !== undefined && (held.flags & ts.SymbolFlags.Class) !== 0;
    return isObject && depth > 0 ? methodsOf(held, depth - 1) : [];
  });
}

describe.each(ENTRY_POINTS)('the entry point %s', (file) => {
  it('documents every exported name', () => {
    const names = exportsOf(file);
    expect(names).not.toEqual([]);
    expect(names.filter(([, symbol]) => !isDocumented(symbol)).map(([name]) => name)).toEqual([]);
  });
});

it('documents every method of the client', () => {
  const client = exportsOf('index.ts').find(([name]) => name === 'QrServiceClient')![1];
  const methods = methodsOf(client);
  expect(methods.map(([name]) => name)).toEqual(
    expect.arrayContaining(['QrServiceClient.me', 'QrCodes.create', 'Webhooks.unsubscribe']),
  );
  expect(methods.filter(([, symbol]) => !isDocumented(symbol)).map(([name]) => name)).toEqual([]);
});

describe('the README for library users', () => {
  const readme = readFileSync(`${CORE}/README.md`, 'utf8');
  const exported = new Map(exportsOf('index.ts'));
  const missing = (names: readonly string[]) =>
    names.filter((name) => !new RegExp(`^\\| \`${name}\\b`, 'm').test(readme));

  it.each(['ClientOptions', 'VerifyInput'])('names every option of %s', (name) => {
    const options = checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(exported.get(name)!));
    expect(options).not.toEqual([]);
    expect(missing(options.map((option) => option.name))).toEqual([]);
  });

  it('names every method of the client', () => {
    const holders: Record<string, string> = { QrCodes: 'qr.', Scans: 'scans.', Webhooks: 'webhooks.' };
    const asWritten = methodsOf(exported.get('QrServiceClient')!).map(([name]) => {
      const [holder = '', method = ''] = name.split('.');
      return `${holders[holder] ?? ''}${method}`;
    });
    expect(missing(asWritten)).toEqual([]);
  });
});
