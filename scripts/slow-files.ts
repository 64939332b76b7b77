import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** What a test file names that starts PostgreSQL, a browser or a process, as each request about a declared file does. */
const starts =
  /chromium|-page\.ts'|axe\.ts|harness\/postgres|cluster\.ts'|'postgres'|Serving|TesseraProcess|two-processes|bench\/|\brun\(|node:child_process|move-in-support|['`]\/declared\/|scripts\/release/

/** What attackers found, and the files that take longest of the others: more than half of the time of those on SQLite. */
const longer = new RegExp(
  `attack|/(${[
    'http/(hostile-bounds|http-malformed|openapi|pictures|tracing)',
    'oauth2/(client-document-fetch|device-code|logout-backchannel)',
    'account/(not-me|whose-account)',
    'administration/(access|bulk|delegation|list-files|references|resources)',
    'cli/(client-for|login)',
    'declared/(many|random)',
    'house/page-errors',
    'identity/(addresses|throttling)',
    'invitation/invitation',
    'keys/secret',
    'mail/(allowances|outbox)',
    'sign-in/(enrolment-code|forgotten)',
    'store/ending',
    'upstream/(account-links|ldap|trial-kinds)',
    'webhooks/(admin|retries)',
  ].join('|')})\\.test\\.ts$`,
)

/** Whether a test file starts a server of PostgreSQL, a browser or a process, or takes longer than most. */
export const isSlow = (path: string): boolean => longer.test(path) || starts.test(readFileSync(path, 'utf8'))

/** The slow test files, by their paths from here. */
export function slowFiles(): string[] {
  return ['server/test', 'guard/test', 'examples'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.test.ts') && !name.includes('node_modules'))
      .map((name) => join(folder, name))
      .filter(isSlow),
  )
}
