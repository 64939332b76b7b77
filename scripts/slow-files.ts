import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** What a test file names that starts PostgreSQL, a browser or a process, as each request about a declared file does. */
const starts =
  /chromium|-page\.ts'|axe\.ts|harness\/postgres|cluster\.ts'|'postgres'|Serving|TesseraProcess|two-processes|bench\/|\brun\(|node:child_process|move-in-support|['`]\/declared\/|scripts\/release/

/** Whether a test file starts a server of PostgreSQL, a browser or a process. */
export const isSlow = (path: string): boolean => starts.test(readFileSync(path, 'utf8'))

/** The test files that do, by their paths from here. */
export function slowFiles(): string[] {
  return ['server/test', 'guard/test', 'examples'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.test.ts') && !name.includes('node_modules'))
      .map((name) => join(folder, name))
      .filter(isSlow),
  )
}
