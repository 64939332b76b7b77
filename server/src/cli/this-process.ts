import type { Context } from './context.ts'

/** The streams are opened when they are first asked for: a service needs no standard input. */
export const thisProcess: Context = {
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
  now: Date.now,
  foundWith(code) {
    process.exitCode = code
  },
  connect: async (...to) => (await import('./connect.ts')).connect(...to),
}

let watched = false

/** A reader that reads no more, as `head` after ten lines, ends the command; that is no failure. */
function endWithReader(): void {
  if (watched) return
  watched = true
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0)
    throw error
  })
}
