import { addressOf, asset } from './asset.ts'

const parts = ['tokens', 'base', 'controls', 'lists']

/** One file for all pages: small, cached for ever, since its path changes with its content. */
export const stylesheet: string = parts.map((part) => asset(`pages/${part}.css`)).join('\n')

export const stylesheetPath = addressOf('tessera', 'css', stylesheet)
