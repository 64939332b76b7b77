import { clientProblems } from '../protocol/client-rules.ts'
import type { DeclaredClient } from './declared.ts'
import type { Fields, Located, Reading } from './fields.ts'

interface Context {
  fields: Fields
  reading: Reading
  permissions: readonly Located<string>[]
  method: string | undefined
}

/** The rules that depend on what type of client it is, each at its line of the file. */
export function checkClient(client: DeclaredClient, { fields, reading, permissions, method }: Context): void {
  const written = {
    has: (key: string) => fields.has(key),
    isEmptyList: (key: string) => fields.isEmptyList(key),
    method,
  }
  for (const { field, reason, permission } of clientProblems(client, written)) {
    const lines = permissions.filter((one) => one.value === permission).map((one) => one.line)
    for (const line of permission === undefined ? [fields.lineOf(field)] : lines) {
      reading.problems.add(line, reason)
    }
  }
}
