import { readdirSync, readFileSync } from 'node:fs'
import { join, posix, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../../..', import.meta.url))

/** The TypeScript files below these folders, as paths from the root of the repository. */
export function sourceFiles(...folders: string[]): string[] {
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(ts|tsx|cts|mts)$/.test(entry.name))
      .map((entry) => relative(root, join(entry.parentPath, entry.name)))
      .filter((file) => !/(^|\/)(node_modules|dist)\//.test(file))
      .sort(),
  )
}

export const read = (file: string): string => readFileSync(join(root, file), 'utf8')

export interface Import {
  /** What stands between the quotes. */
  from: string
  /** It vanishes when compiled. */
  typeOnly: boolean
}

const importPattern =
  /^\s*(?:import|export)\s+(?<clause>(?:type\s)?[^'";=()]*?)\s*\bfrom\s*'(?<from>[^']+)'|^\s*import\s*'(?<bare>[^']+)'|\bimport\(\s*'(?<dynamic>[^']+)'\s*\)/gm

/** Every import and re-export of a file. */
export function importsOf(source: string): Import[] {
  return [...source.matchAll(importPattern)].map(({ groups = {} }) => ({
    from: groups.from ?? groups.bare ?? groups.dynamic ?? '',
    typeOnly: groups.clause !== undefined && isTypeOnly(groups.clause),
  }))
}

function isTypeOnly(clause: string): boolean {
  if (/^type\s/.test(clause)) return true
  const names = /^\{([^}]*)\}$/.exec(clause)?.[1]
  const each = names?.split(',').map((name) => name.trim()) ?? []
  return each.length > 0 && each.every((name) => name === '' || name.startsWith('type '))
}

/** `server/src/oauth2/token.ts` and `../store/open.ts` → `server/src/database/open.ts`. */
export function resolved(file: string, from: string): string {
  return posix.join(posix.dirname(file), from)
}

/** The code without its comments and strings, lines kept. */
export function codeOf(source: string): string {
  const noise = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\[\s\S]|[^`\\])*`/g
  return source.replaceAll(noise, (text) => text.replaceAll(/[^\n]/g, ' '))
}

/** `file:line` of each match. */
export function linesOf(file: string, code: string, pattern: RegExp): string[] {
  return code
    .split('\n')
    .flatMap((line, index) => (pattern.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : []))
}
