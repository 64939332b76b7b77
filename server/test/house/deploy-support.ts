import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'
import { read, root } from './support.ts'

/** Every file of deploy/, as paths from the root of the repository. */
export const deployFiles = readdirSync(join(root, 'deploy'), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name).slice(root.length))
  .filter((file) => !/^deploy\/(secrets\/|\.env$)/.test(file))

/** The instructions of a Dockerfile, continued lines joined: `['COPY', 'a b']`. */
export function instructionsOf(dockerfile: string): [string, string][] {
  return dockerfile
    .replaceAll(/^\s*#.*\n/gm, '')
    .replaceAll(/\\\n/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, name = '', rest = ''] = /^(\S+)\s+(.*)$/.exec(line) ?? []
      return [name, rest.trim()]
    })
}

/** The YAML of a file; throws at the first mistake in it. */
export function yamlOf(text: string): unknown {
  const [document, ...more] = parseAllDocuments(text, { merge: true })
  if (document === undefined || !('toJS' in document) || more.length > 0)
    throw new Error('It is not one document.')
  const [mistake] = document.errors
  if (mistake !== undefined) throw mistake
  return document.toJS() as unknown
}

/**
 * What stands in a template of the chart, with every branch taken once: lines that only steer are left out, and an
 * expression within a line is `x`. Helm itself renders it otherwise; this shows that it is YAML and what it holds.
 */
export function templateOf(file: string): unknown {
  return yamlOf(
    read(file)
      .split('\n')
      .filter((line) => !/^\s*\{\{.*\}\}\s*$/.test(line))
      .map((line) => line.replaceAll(/\{\{.*?\}\}/g, 'x'))
      .join('\n'),
  )
}
