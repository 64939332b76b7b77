import { notUtf8 } from '../import/lines.ts'
import type { ExportFile } from './told.ts'

/** An export that can't be read. The message is for whoever gave it. */
export class UnreadableExport extends Error {
  override readonly name = 'UnreadableExport'
}

/** Yields what is read of a file. Throws with its name where it can't be read. */
export async function* readOf<T>({ name }: ExportFile, parts: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* parts
  } catch (error) {
    throw new UnreadableExport(`${name}: ${reasonOf(error)}`)
  }
}

/** Throws again what nobody foresaw: a defect is no fault of the file. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) throw error
  if ('code' in error && error.code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return notUtf8
  // What reads lines and CSV says it by plain errors.
  if (error instanceof UnreadableExport || error.constructor === Error) return error.message
  throw error
}
