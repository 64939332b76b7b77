#!/usr/bin/env node
'use strict'
// A CommonJS launcher, because an ES module would come too late to size the thread pool.
require('./signals.cjs')
const { existsSync } = require('node:fs')
const { join } = require('node:path')
const { pathToFileURL } = require('node:url')
const { compiled, prepare, run } = require('./compiled.cjs')

prepare()

// The same command, in one file or in as many as it was written in.
const dist = join(__dirname, '..', 'dist')
const bundle = join(dist, 'bundle', 'tessera.cjs')
const main = join(dist, 'cli', 'main.js')
if (existsSync(bundle)) {
  run(compiled(bundle), bundle)
} else if (existsSync(main)) {
  void import(pathToFileURL(main).href)
} else {
  process.stderr.write('tessera: it is not built yet. Run: npm run build\n')
  process.exitCode = 1
}
