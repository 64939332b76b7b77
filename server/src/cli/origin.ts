import { randomUUID } from 'node:crypto'
import { hostname, userInfo } from 'node:os'
import type { Actor } from '../store/audit.ts'

/** For the audit: who runs the command, where, and an id for all that this run does. */
export function commandOrigin(): { actor: Actor; requestId: string } {
  return { actor: { kind: 'command', id: `${userName()}@${hostname()}` }, requestId: randomUUID() }
}

/** In a container the user often has a number alone. */
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return `uid-${process.getuid?.() ?? 'unknown'}`
  }
}
