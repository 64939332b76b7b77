import type { Readable, Writable } from 'node:stream'

/** What a command is run in: tests have one of their own. */
export interface World {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly input: Readable & { isTTY?: boolean }
  readonly output: Writable
  readonly errors: Writable & { isTTY?: boolean }
  /** The exit code of what did its work, and found something that a script wants to know. */
  foundWith(code: number): void
}

/** Opened when they are first asked for: a service needs no standard input. */
export const thisProcess: World = {
  environment: process.env,
  get input() {
    return process.stdin
  },
  get output() {
    endWithReader()
    return process.stdout
  },
  get errors() {
    return process.stderr
  },
  foundWith(code) {
    process.exitCode = code
  },
}

let watched = false

/** Whoever reads no more, as `head` does after ten lines, ends the command, and that is no failure. */
function endWithReader(): void {
  if (watched) return
  watched = true
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0)
    throw error
  })
}

/** Whether somebody can be asked. */
export const isTerminal = ({ input, errors }: World): boolean => input.isTTY === true && errors.isTTY === true

export function print({ output }: World, text: string): void {
  output.write(`${text}\n`)
}

/** What is not the result: standard output holds that alone. */
export function note({ errors }: World, text: string): void {
  errors.write(`${text}\n`)
}
