/**
 * Keeps what V8 compiles for the work on a declared file over HTTP: plans one, in a process as the service starts it, on the
 * database of the service that compile.cjs runs.
 */
'use strict'
const { readFileSync } = require('node:fs')
const { join } = require('node:path')
const { compiled, keep, run } = require('../server/bin/compiled.cjs')

const bundle = join(__dirname, '../server/dist/bundle/declaring.cjs')
const file = join(__dirname, '../examples/development.yaml')
const [, , databaseUrl] = process.argv
const script = compiled(bundle)
process.send = ({ done, ...more }) => {
  if (done === undefined) throw new Error(JSON.stringify(more))
  keep(script, bundle)
  process.exit()
}
run(script, bundle)
const sent = { text: readFileSync(file, 'utf8'), file: 'development.yaml', prune: false }
const settings = {
  databaseUrl,
  databaseLimits: {},
  secret: 'none',
  mode: 'development',
  mail: undefined,
  issuer: 'http://localhost',
}
process.emit('message', { task: { kind: 'plan', sent, asker: { now: Date.now() } }, settings })
