import { createHash, createHmac } from 'node:crypto'
import { basename } from 'node:path'
import { lasting, type Plan } from './plan.ts'

/** A file that somebody sends over HTTP. */
export interface SentText {
  text: string
  /** The name that it manages things by. */
  file: string
  prune: boolean
}

/**
 * The digest of a plan that somebody saw: of the text, so that another password is another plan, and of all that it
 * would do. Keyed, so that it is made by planning alone, and tells nothing of a text.
 */
export function digestOf({ text, file, prune }: SentText, plan: Plan, secret: string): string {
  const ofText = createHash('sha256').update(text).digest('base64url')
  const seen = JSON.stringify([basename(file), prune, ofText, lasting(plan)])
  return createHmac('sha256', secret).update(`declared plan\n${seen}`).digest('base64url')
}
