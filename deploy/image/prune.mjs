/**
 * Takes out of folders what no running service reads: types, source maps, what tsc remembers, sources in C, and native
 * code for another system than this one. `node prune.mjs FOLDER…`. Readmes stay: some hold the licence.
 */
import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'

const unread = /\.(?:[cm]?ts|map|tsbuildinfo|c|cc|cpp|h|gypi?)$/

/** Of the two builds for Linux, the one for the C library that this Node.js does not run on. */
const otherLibrary =
  process.platform === 'linux' &&
  (process.report.getReport().header.glibcVersionRuntime === undefined ? '.glibc.' : '.musl.')

/** `prebuilds/linux-x64/NAME.glibc.node`, as node-gyp-build finds it. */
function isForeign(path) {
  const [, platform, architectures = '', name = ''] = /\bprebuilds\/(\w+)-([^/]+)\/(.+)$/.exec(path) ?? []
  if (platform === undefined) return false
  const isOurs = platform === process.platform && architectures.split('+').includes(process.arch)
  return !isOurs || (otherLibrary !== false && name.includes(otherLibrary))
}

let files = 0
let bytes = 0
for (const folder of process.argv.slice(2)) {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (!entry.isFile() || !(unread.test(entry.name) || isForeign(path))) continue
    // By a link to a package a file may be listed twice.
    const size = statSync(path, { throwIfNoEntry: false })?.size
    if (size === undefined) continue
    rmSync(path)
    files += 1
    bytes += size
  }
}
process.stdout.write(`${files} files fewer, ${(bytes / 1e6).toFixed(1)} MB\n`)
