import type { Writable } from 'node:stream'
import { DeclaredFileError } from '../declared/problems.ts'
import { Problem } from '../protocol/problem.ts'
import { SettingsError } from '../settings.ts'
import { isHeld, lacksRoom } from '../database/failure.ts'
import { plain } from './plain.ts'
import { Refused } from './refused.ts'

/** Ends a command whose change was tried out, and told of. */
export class DryRunOver extends Error {
  override readonly name = 'DryRunOver'
}

/**
 * Says why in one line and yields the exit code. A declared file has a line for each problem, the administration API
 * one for each field. No stack for what a person can mend.
 */
export function fail(error: unknown, errors: Writable = process.stderr): number {
  if (error instanceof DryRunOver) return 0
  if (error instanceof Refused && error.json) {
    errors.write(`${plain(JSON.stringify(error.problem))}\n`)
    return error.exitCode
  }
  errors.write(`${plain(`tessera: ${wordsOf(error)}`)}\n`)
  return error instanceof Refused ? error.exitCode : 1
}

export function wordsOf(error: unknown): string {
  if (error instanceof Refused) return error.text
  if (error instanceof SettingsError || error instanceof DeclaredFileError) return error.message
  if (error instanceof Problem) return error.description
  if (lacksRoom(error))
    return `The disk has no room, or fails: make room, then run this again. What was done stays, nothing is half done (${messageOf(error)}).`
  if (isHeld(error))
    return `Another process held the database for too long: run this again when it is done. What was done stays, nothing is half done (${messageOf(error)}).`
  const { code, message } =
    error instanceof Error ? (error as NodeJS.ErrnoException) : { code: undefined, message: String(error) }
  if (code === 'EADDRINUSE')
    return `The port is taken: stop what listens there, or set TESSERA_PORT to another (${message}).`
  if (code === 'ENOENT' || code === 'ENOTDIR')
    return `There is no such file or folder: check the path (${message}).`
  if (code === 'EACCES' || code === 'EROFS')
    return `Not allowed: choose a port above 1023 or a path that this user may write (${message}).`
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return `TESSERA_HOST is no address of this machine: set it to one, such as localhost (${message}).`
  return message
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
