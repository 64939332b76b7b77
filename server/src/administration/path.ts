import { notFound } from '../protocol/problem.ts'
import { codeProblem, isUuid } from '../protocol/values.ts'

/** A uuid of the path; what is none names nothing. */
export function uuidOf(text: string, what: string): string {
  if (!isUuid(text)) throw notFound(what)
  return text.toLowerCase()
}

/** An id that the store has made (`newId`); what is none names nothing. */
export function idOf(text: string, what: string): string {
  if (!/^[0-9a-f]{32}$/.test(text)) throw notFound(what)
  return text
}

export const isCode = (text: string): boolean => codeProblem(text) === undefined
