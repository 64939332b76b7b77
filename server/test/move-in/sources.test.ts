import { mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { movedSystems } from '../../dist/protocol/move-in.js'
import { runHere } from '../cli/command-support.ts'
import { exportFiles, moved } from './support.ts'

const exports = new URL('exports/', import.meta.url).pathname
const run = async (source: string, named: readonly string[]) => {
  const out = join(mkdtempSync(join(tmpdir(), 'move-in-')), 'out')
  const ran = await runHere(['move-in', source, ...named.map((one) => join(exports, one)), '--out', out])
  return { ...ran, out }
}

describe('each source', () => {
  it.each(Object.entries(exportFiles))('%s is read by the command, twice the same', async (source, named) => {
    const [first, second] = [await run(source, named), await run(source, named)]
    expect(first).toMatchObject({ code: 0 })
    const written = readdirSync(first.out).toSorted()
    expect(written).toEqual(['declared.yaml', 'mapping.yaml', 'people.jsonl', 'report.md'])
    for (const one of written) {
      expect(statSync(join(first.out, one)).mode & 0o777).toBe(0o600)
      expect(readFileSync(join(second.out, one), 'utf8')).toBe(readFileSync(join(first.out, one), 'utf8'))
    }
  })

  it.each(movedSystems)('%s writes nothing of a file that is none of its own', async (source) => {
    const { code, stderr, out } = await run(source, ['README.md'])
    expect(code).toBe(1)
    expect(stderr).toContain('README.md')
    expect(readdirSync(out)).toEqual([])
  })

  it.each(movedSystems.filter((one) => one !== 'keycloak' && one !== 'ldif'))(
    '%s refuses keys of prototypes and numbers in place of text',
    async (source) => {
      const content = '[{"__proto__":{"email":"a@b.example"},"constructor":1,"toString":2},5,[],"x",null]'
      await expect(moved(source, { 'x.json': content })).rejects.toThrow('Nothing in x.json')
    },
  )
})
