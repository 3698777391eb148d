// Every command runs this first, so it must work on any Node version.
'use strict';
const [major, minor] = process.versions.node.split('.').map(Number);
// The oldest that runs TypeScript files without a flag.
if (major < 22 || (major === 22 && minor < 18)) {
  console.error(
    `This needs Node 22.18 or later, but runs on ${process.versions.node}. There is no pinned Node for ${process.platform}-${process.arch}: install one from nodejs.org.`,
  );
  process.exit(1);
}
