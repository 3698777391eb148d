// Every command begins with this, so it must run on any Node.
'use strict';
const [major] = process.versions.node.split('.').map(Number);
if (major < 24) {
  console.error(
    `This needs Node 24 or later and runs on ${process.versions.node}: no Node of its own is packaged for ${process.platform}-${process.arch}, so install one from nodejs.org.`,
  );
  process.exit(1);
}
