/** The package as whoever installs it gets it. Its licence is brought when it is packed: server/test/house/package.test.ts. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { promisify } from 'node:util'
import { execFile } from 'node:child_process'
import { posix } from 'node:path'
import { expect, it } from 'vitest'

const folder = new URL('../', import.meta.url)
const read = (file: string) => readFileSync(new URL(file, folder), 'utf8')

it('holds what its entries and its source maps need, and nothing left over from a build', async () => {
  const { stdout } = await promisify(execFile)('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: folder,
  })
  const [packed] = JSON.parse(stdout) as { files: { path: string }[] }[]
  const files = new Set(packed?.files.map(({ path }) => path))
  const { exports } = JSON.parse(read('package.json')) as { exports: Record<string, Record<string, string>> }
  const entries = Object.values(exports).flatMap((conditions) => Object.values(conditions))
  expect(entries.length).toBeGreaterThan(0)
  const sources = [...files]
    .filter((file) => file.endsWith('.map'))
    .flatMap((file) =>
      (JSON.parse(read(file)) as { sources: string[] }).sources.map((source) =>
        posix.join(posix.dirname(file), source),
      ),
    )
  const needed = [...entries, ...sources, 'README.md'].map((file) => posix.normalize(file))
  expect(needed.filter((file) => !files.has(file))).toEqual([])
  expect([...files].filter((file) => /tsbuildinfo|^test\//.test(file))).toEqual([])
})

it('can be required by a CommonJS service, each entry as what import gives', async () => {
  const require = createRequire(import.meta.url)
  for (const name of ['', '/node', '/fastify', '/web', '/testing'].map((entry) => `@tessera/guard${entry}`)) {
    expect(Object.keys(require(name) as object).sort()).toEqual(
      Object.keys((await import(name)) as object).sort(),
    )
  }
})
