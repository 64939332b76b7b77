import { createHash } from 'node:crypto'
import { asset } from './asset.ts'

const parts = ['tokens', 'base', 'controls', 'lists']

/** One file for all pages: small, cached for ever, since its path changes with its content. */
export const stylesheet: string = parts.map((part) => asset(`pages/${part}.css`)).join('\n')

const fingerprint = createHash('sha256').update(stylesheet).digest('hex').slice(0, 16)

export const stylesheetPath = `/assets/tessera-${fingerprint}.css`
