'use strict'
/** A bundled program, as V8 compiled it when it was built: to compile it anew takes longer than all else of a start. */
const { existsSync, readFileSync, renameSync, statSync, writeFileSync } = require('node:fs')
const { createRequire } = require('node:module')
const { availableParallelism } = require('node:os')
const { dirname } = require('node:path')
const { pathToFileURL } = require('node:url')
const { Script } = require('node:vm')

/** What the process must have before the command is there. */
function prepare() {
  // libuv reads the size of its thread pool once. Signatures run there: as many threads as cores is the best measured
  // (more only raise the p99).
  process.env.UV_THREADPOOL_SIZE ??= String(Math.max(2, availableParallelism()))
}

/**
 * `bundle` is one function in parentheses, all of ASCII (`scripts/bundle.mjs`), which is read at once. What V8 compiled
 * lies beside it; V8 itself refuses what another version of it, other flags or another length of the source made, and
 * compiles as ever (`cachedDataRejected`). A source of the same length that was changed since is told by its time.
 */
function compiled(bundle) {
  const cache = cacheOf(bundle)
  return new Script(readFileSync(bundle, 'latin1'), {
    filename: bundle,
    ...(changed(cache) >= changed(bundle) && { cachedData: readFileSync(cache) }),
  })
}

function run(script, bundle) {
  script.runInThisContext()(createRequire(bundle), bundle, dirname(bundle))
}

/** A program in one file, or in as many as it was written in. Yields whether there is any. */
function start(bundle, main) {
  if (existsSync(bundle)) run(compiled(bundle), bundle)
  else if (existsSync(main)) void import(pathToFileURL(main).href)
  else return false
  return true
}

const changed = (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? -Infinity

/**
 * Each Node.js has its own: what 20.20 compiled, the V8 of 20.19 takes for its own, by its version, and then crashes on.
 */
const cacheOf = (bundle) => `${bundle}.${process.version}-${process.platform}-${process.arch}.compiled`

/** The build keeps what V8 has compiled of it by now. Whole or not at all: a start beside it must not read half of it. */
function keep(script, bundle) {
  writeFileSync(`${cacheOf(bundle)}.new`, script.createCachedData())
  renameSync(`${cacheOf(bundle)}.new`, cacheOf(bundle))
}

module.exports = { prepare, compiled, run, start, keep }
