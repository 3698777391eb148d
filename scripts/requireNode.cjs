// Every command runs this first, so it must work on any Node version.
'use strict';
const [major] = process.versions.node.split('.').map(Number);
if (major < 24) {
  console.error(
    `This needs Node 24 or later, but runs on ${process.versions.node}. There is no pinned Node for ${process.platform}-${process.arch}: install one from nodejs.org.`,
  );
  process.exit(1);
}
