import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import dockerignore from '@balena/dockerignore'
import { parseAllDocuments } from 'yaml'
import { read, root } from './support.ts'

/** Every file of deploy/, as paths from the root of the repository. */
export const deployFiles = readdirSync(join(root, 'deploy'), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name).slice(root.length))
  .filter((file) => !/^deploy\/(secrets\/|\.env$)/.test(file))

// A module of CommonJS that says of itself to be another one.
const filter = dockerignore.default().add(read('.dockerignore').split('\n')).createFilter()

/** Whether a builder of images gets a file of the repository. */
export const isSent = (path: string): boolean => filter(path)

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
  const [document, ...more] = yamlsOf(text)
  if (document === undefined || more.length > 0) throw new Error('It is not one document.')
  return document
}

/** Each document of a file of YAML; throws at the first mistake in it. */
export function yamlsOf(text: string): unknown[] {
  const documents = parseAllDocuments(text, { merge: true })
  if (!Array.isArray(documents)) return []
  for (const { errors } of documents) if (errors[0] !== undefined) throw errors[0]
  return documents.map((one) => one.toJS() as unknown)
}
