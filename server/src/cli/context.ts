import type { Readable, Writable } from 'node:stream'
import type { Connection } from './connection.ts'
import { plain } from './plain.ts'

/** A terminal tells that it is one, and how many columns it has. */
export type Output = Writable & { isTTY?: boolean; columns?: number }

/** What a command runs in: tests have one of their own. */
export interface Context {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly input: Readable & { isTTY?: boolean }
  readonly output: Output
  readonly errors: Output
  /** Milliseconds since the epoch. */
  now(): number
  /** Sets the exit code of a command that did its work and found something, such as changes. */
  foundWith(code: number): void
  /** The administration API at this address, or as the environment says. */
  readonly connect: Connect
}

export type Connect = (context: Context, url: string | undefined) => Promise<Connection>

/** Whether somebody can be asked. */
export const isTerminal = ({ input, errors }: Context): boolean =>
  input.isTTY === true && errors.isTTY === true

/** Prints a result. Names come from anybody: none of them reaches a terminal as an instruction to it. */
export function print({ output }: Context, text: string): void {
  output.write(`${plain(text)}\n`)
}

export const printJson = (context: Context, value: unknown): void =>
  print(context, JSON.stringify(value, null, 2))

/** Prints what is not the result: standard output holds that alone. */
export function note({ errors }: Context, text: string): void {
  errors.write(`${plain(text)}\n`)
}

/** Shows on a terminal what is being done, while it is. */
export async function withProgress<T>(
  { errors, environment }: Context,
  doing: string,
  work: () => Promise<T>,
): Promise<T> {
  if (errors.isTTY !== true) return await work()
  const erases = environment.TERM !== 'dumb'
  // The text comes before the work, which may keep this process too busy to write.
  errors.write(erases ? plain(doing) : `${plain(doing)}\n`)
  try {
    return await work()
  } finally {
    if (erases) errors.write('\r\u001B[K')
  }
}
