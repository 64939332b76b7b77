/** Pastes what `client create --for` prints, character by character. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Product } from './product.ts'

export interface Setting {
  where: string
  text: string
}

/** The line of an application that what is pasted replaces. */
const place = /^.*\bPASTE\b.*$/m

/** Each setting goes to the file that the product names for it: to its next place, else to its end. */
export function paste({ name, pasted }: Product, folder: string, settings: readonly Setting[]): void {
  if (settings.length !== pasted.length)
    throw new Error(`${name} has ${settings.length} settings; interop/products.ts pastes ${pasted.length}.`)
  for (const [index, { text }] of settings.entries()) {
    const path = join(folder, pasted[index] ?? '')
    const before = existsSync(path) ? readFileSync(path, 'utf8') : ''
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, place.test(before) ? before.replace(place, () => text) : `${before}${text}`)
  }
  for (const file of pasted)
    if (place.test(readFileSync(join(folder, file), 'utf8')))
      throw new Error(`${file} of ${name} has a place that nothing is pasted into.`)
}
