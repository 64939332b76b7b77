/**
 * Keeps what V8 compiles for a start beside the bundle: runs the service once, on a database of its own, until it has
 * answered. A process of its own, with the flags that the command has.
 */
'use strict'
const { execFileSync } = require('node:child_process')
const { mkdtempSync, rmSync } = require('node:fs')
const { tmpdir } = require('node:os')
const { join } = require('node:path')
const { compiled, keep, prepare, run } = require('../server/bin/compiled.cjs')

const bundle = join(__dirname, '../server/dist/bundle/tessera.cjs')
const folder = mkdtempSync(join(tmpdir(), 'tessera-compile-'))
for (const name of Object.keys(process.env)) if (name.startsWith('TESSERA_')) delete process.env[name]
Object.assign(process.env, {
  TESSERA_MODE: 'development',
  TESSERA_HOST: '127.0.0.1',
  TESSERA_PORT: '0',
  TESSERA_DATABASE_URL: `sqlite:${join(folder, 'tessera.sqlite')}`,
  TESSERA_DECLARED: join(__dirname, '../examples/development.yaml'),
  TESSERA_LOG_LEVEL: 'silent',
})
process.argv[2] = 'serve'
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))

prepare()
const script = compiled(bundle)
const write = process.stdout.write
process.stdout.write = (text) => {
  const [, url] = /^tessera listens on (\S+)/.exec(text) ?? []
  if (url === undefined) return write.call(process.stdout, text)
  void answered(url)
  return true
}
run(script, bundle)

async function answered(url) {
  const answer = await fetch(`${url}/.well-known/openid-configuration`)
  if (answer.status !== 200) throw new Error(`The service answered ${answer.status}.`)
  keep(script, bundle)
  const { flags } = await import('../server/dist/declaring/child.js')
  const declaring = [...flags, join(__dirname, 'compile-declaring.cjs'), process.env.TESSERA_DATABASE_URL]
  execFileSync(process.execPath, declaring, { stdio: 'inherit' })
  process.exit()
}
