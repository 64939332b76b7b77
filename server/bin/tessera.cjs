#!/usr/bin/env node
'use strict'
// A CommonJS launcher, because an ES module would come too late to size the thread pool.
require('./signals.cjs')
const { join } = require('node:path')
const { prepare, start } = require('./compiled.cjs')

prepare()

const dist = join(__dirname, '..', 'dist')
if (!start(join(dist, 'bundle', 'tessera.cjs'), join(dist, 'cli', 'main.js'))) {
  process.stderr.write('tessera: it is not built yet. Run: npm run build\n')
  process.exitCode = 1
}
