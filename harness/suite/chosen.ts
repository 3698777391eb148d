/** The names given on the command line, or all of them; ends the process where there is no such name. */
export function chosen<Name extends string>(all: Readonly<Record<Name, unknown>>): Name[] {
  const names = Object.keys(all) as Name[];
  const wanted = process.argv.slice(2);
  const unknown = wanted.find((name) => !Object.hasOwn(all, name));
  if (unknown !== undefined) {
    console.error(`There is no ${unknown} to try. There are: ${names.join(', ')}.`);
    process.exit(1);
  }
  return wanted.length === 0 ? names : names.filter((name) => wanted.includes(name));
}
