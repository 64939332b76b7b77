import { DeclaredFileError } from '../declared/problems.ts'
import { SettingsError } from '../settings.ts'

/** Says why in one line (a declared file: one per problem) and sets exit code 1. No stack for what a person can mend. */
export function fail(error: unknown): void {
  process.exitCode = 1
  if (error instanceof SettingsError || error instanceof DeclaredFileError) return say(error.message)
  const { code, message } =
    error instanceof Error ? (error as NodeJS.ErrnoException) : { code: undefined, message: String(error) }
  if (code === 'EADDRINUSE')
    return say(`The port is taken: stop what listens there, or set TESSERA_PORT to another (${message}).`)
  if (code === 'EACCES')
    return say(`Not allowed: choose a port above 1023 or a path that this user may write (${message}).`)
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return say(`TESSERA_HOST is no address of this machine: set it to one, such as localhost (${message}).`)
  say(message)
}

function say(text: string): void {
  process.stderr.write(`tessera: ${text}\n`)
}
