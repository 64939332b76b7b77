/** docs/security.md names files that there are; each measure the source that takes it and a test that holds it. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { read, root } from './support.ts'

const security = read('docs/security.md')
const filesOf = (text: string) =>
  [...text.matchAll(/`((?:server|guard|console|deploy)\/[^`]+)`/g)].map(([, file = '']) => file)

/** The rows of every table with this head. */
function rowsUnder(head: string): string[][] {
  return security
    .split(`${head}\n`)
    .slice(1)
    .flatMap((table) =>
      table.split('\n').slice(
        1,
        table.split('\n').findIndex((line) => !line.startsWith('|')),
      ),
    )
    .map((line) => line.split(' | '))
}

describe('docs/security.md', () => {
  const measures = rowsUnder('| measure | where | held by |')

  it('names files that exist', () => {
    const files = filesOf(security)
    expect(files.length).toBeGreaterThan(80)
    for (const file of files) expect(existsSync(join(root, file)), file).toBe(true)
  })

  it('names for each measure the source that takes it, and a test that holds it', () => {
    expect(measures.length).toBeGreaterThan(35)
    for (const [measure = '', where = '', held = ''] of measures) {
      const [sources, tests] = [filesOf(where), filesOf(held)]
      expect(sources.length, `${measure}: where`).toBeGreaterThan(0)
      expect(tests.length, `${measure}: held by`).toBeGreaterThan(0)
      for (const file of sources) expect(file, measure).not.toMatch(/\/test\//)
      for (const file of tests) expect(file, measure).toMatch(/\/test\/.*\.test\.ts$/)
    }
  })

  it('goes through RFC 9700, and names a test wherever it says that something is done', () => {
    const points = rowsUnder('| section | what | here |')
    const sections = new Set(points.map(([section = '']) => section.replace('| ', '')))
    for (let section = 1; section <= 17; section++) expect(sections).toContain(`4.${section}`)
    for (const [section = '', , here = ''] of points.filter(([, , text = '']) => text.startsWith('done')))
      expect(here, section).toMatch(/\.test\.ts|as 2\.1|is refused, so/)
  })

  it('goes through ASVS 5.0, chapters 6 and 7, and SP 800-63B-4, and names a test for what is done', () => {
    const asvs = rowsUnder('| ASVS | what | here |')
    const counts = {
      '6.1': 3,
      '6.2': 12,
      '6.3': 8,
      '6.4': 6,
      '6.5': 8,
      '7.1': 3,
      '7.2': 4,
      '7.4': 5,
      '7.5': 3,
    }
    const named = asvs.map(([requirement = '']) => requirement.replace('| ', ''))
    for (const [section, count] of Object.entries(counts))
      expect(
        named.filter((one) => one.startsWith(`${section}.`)),
        section,
      ).toHaveLength(count)
    const nist = rowsUnder('| SP 800-63B-4 | what | here |')
    expect(nist.length).toBeGreaterThan(20)
    for (const [section = '', , here = ''] of [...asvs, ...nist].filter(([, , text = '']) =>
      text.startsWith('done'),
    ))
      expect(here, section).toMatch(/\.test\.ts|there are none|nothing has|they stay|\.md\)/)
  })
})
