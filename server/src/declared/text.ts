import { stringify } from 'yaml'

/** How declared files are written: by the export, and by what moves in. */

const layout = { version: '1.2', schema: 'core', aliasDuplicateObjects: false, lineWidth: 0 } as const

/** A mapping as the file has it; what is undefined is left out. */
export type DeclaredEntry = Record<string, unknown>

/** What stands at a name of its own. */
export const valuesText = (name: string, values: object): string => stringify({ [name]: values }, layout)

/** Entry by entry: the library makes a tree of what it writes, which takes many times the room. */
export function entriesText(sections: Record<string, readonly DeclaredEntry[]>): string {
  const lines = Object.entries(sections).flatMap(([name, entries]) => {
    if (entries.length === 0) return [stringify({ [name]: [] }, layout)]
    const heading = `${name}:\n`
    return [heading, ...entries.map((one) => stringify({ [name]: [one] }, layout).slice(heading.length))]
  })
  return lines.join('')
}
