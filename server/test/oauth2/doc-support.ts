import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../house/support.ts'

/** What tests of the recipes of a document share. */

export const pageOf = (name: string): string => readFileSync(join(root, 'docs', name), 'utf8')

/** The blocks of a language, as they stand there. */
export const blocksOf = (page: string, language: string): string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)\`\`\``, 'gms'))].map(([, block = '']) => block)

/** The commands that begin so, each as its words. */
export const commandsOf = (page: string, begins: string): string[][] =>
  blocksOf(page, 'sh')
    .flatMap((block) => block.replaceAll(/\\\n\s*/g, '').split('\n'))
    .filter((line) => line.startsWith(begins))
    .map((line) => [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain = '']) => quoted ?? plain))
