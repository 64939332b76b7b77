import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { run, temporaryFolder } from '../../server/test/harness/process.ts'
import type { Round } from './rounds.ts'

const acme = fileURLToPath(new URL('../../server/test/fixtures/acme.yaml', import.meta.url))

/** Files that differ are applied at once, each twice: what is left is one of them, whole. */
export const applyAgainstApply: Round = async (racers, _parallel, random) => {
  const folder = temporaryFolder()
  const text = readFileSync(acme, 'utf8')
  const files = ['one', 'two'].map((name) => {
    const path = join(folder, `${name}.yaml`)
    const mark = `${name} ${Math.floor(random() * 1e9)}`
    // Something of many kinds, so that a mixture would show.
    writeFileSync(
      path,
      text
        .replace('name: Submissions tool', `name: Submissions ${mark}`)
        .replace('name: Acme Importer', `name: Importer ${mark}`)
        .replace('client_name: Nightly import', `client_name: Nightly ${mark}`)
        .replace('name: Globex', `name: Globex ${mark}`),
    )
    return path
  })
  const environment = { TESSERA_MODE: 'development', ...racers.environment }
  const applied = await Promise.all(
    [...files, ...files].map((file) => run(['apply', file, '--yes'], { environment })),
  )
  const failed = applied.find(({ code }) => code !== 0)
  if (failed !== undefined) throw new Error(`A file can't be applied: ${failed.stderr}`)
  const plans = await Promise.all(files.map((file) => run(['plan', file], { environment })))
  const codes = plans.map(({ code }) => String(code)).sort((one, other) => one.localeCompare(other))
  // 0: nothing to do; 2: changes.
  if (codes.join() !== '0,2') throw new Error(`What is left is neither file: ${codes.join()}`)
}
