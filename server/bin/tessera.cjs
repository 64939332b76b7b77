#!/usr/bin/env node
'use strict'
// A CommonJS launcher, because libuv reads the size of its thread pool once, before an ES module could set it.
// Signatures run there: as many threads as cores is the best measured (more only raise the p99).
const { existsSync } = require('node:fs')
const { availableParallelism } = require('node:os')
const { join } = require('node:path')
const { pathToFileURL } = require('node:url')
const { setFlagsFromString } = require('node:v8')

process.env.UV_THREADPOOL_SIZE ??= String(Math.max(2, availableParallelism()))

// What a start leaves behind would otherwise grow the part of the heap for young objects to its full size, 16 MiB that
// an idle service keeps. `serve` lets it grow when there is traffic.
setFlagsFromString('--semi-space-growth-factor=1')

// The same command, in a few files or in as many as it was written in.
const dist = join(__dirname, '..', 'dist')
const main = [join(dist, 'bundle', 'main.js'), join(dist, 'cli', 'main.js')].find(existsSync)
if (main !== undefined) {
  void import(pathToFileURL(main).href)
} else {
  process.stderr.write('tessera: it is not built yet. Run: npm run build\n')
  process.exitCode = 1
}
