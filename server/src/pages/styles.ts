import { createHash } from 'node:crypto'
import { base } from './styles/base.ts'
import { controls } from './styles/controls.ts'
import { lists } from './styles/lists.ts'
import { tokens } from './styles/tokens.ts'

/** One file for all pages: small, cached for ever, since its path changes with its content. */
export const stylesheet: string = [tokens, base, controls, lists].join('\n')

const fingerprint = createHash('sha256').update(stylesheet).digest('hex').slice(0, 16)

export const stylesheetPath = `/assets/tessera-${fingerprint}.css`
