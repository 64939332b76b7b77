import { anyProduct, clientOf, type Recipe } from '../../administration/recipes.ts'
import { answersTo, type Question } from '../ask.ts'
import type { ApiObject } from '../connection.ts'
import { type Context, isTerminal, note } from '../context.ts'

/** What is asked of a product that has no page: where people come back to, and what it sends. */

interface ClientQuestion extends Question {
  field: string
  value: (answer: string) => unknown
}

const yes = 'Y/n'
const isYes = (answer: string): boolean => !/^n/i.test(answer)
const list = (answer: string): string[] => answer.split(/[\s,]+/).filter((one) => one !== '')
/** Reads addresses. `-`, `no` and `none` stand for none. */
const nowhere = (answer: string): string[] => (/^(-|no|none)$/i.test(answer) ? [] : list(answer))

/** The fields of its client that nobody typed; by default those of the recipe, where nobody can be asked. */
export async function askedFields(
  context: Context,
  { recipe, url, typed }: { recipe: Recipe; url: string; typed: ApiObject },
): Promise<ApiObject> {
  const named = { client_name: new URL(url).hostname, ...typed }
  const questions = questionsOf({ ...clientOf(recipe, url), ...named }).filter(
    ({ field }) => !(field in typed),
  )
  const fields: ApiObject = isTerminal(context) ? await answered(context, questions) : {}
  const told = { ...named, ...fields }
  return { ...told, client_id: idOf(String(told.client_name)) }
}

async function answered(context: Context, questions: readonly ClientQuestion[]): Promise<ApiObject> {
  if (questions.length === 0) return {}
  note(context, 'Answer by its documentation; Enter takes what stands in brackets.')
  const answers = await answersTo(questions, context)
  return Object.fromEntries(questions.map(({ field, value }, at) => [field, value(answers[at] ?? '')]))
}

/** Makes a client_id of a name. A name without Latin letters becomes `other`. */
const idOf = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '') || anyProduct

const questionsOf = (client: ApiObject): ClientQuestion[] => [
  { field: 'client_name', text: 'What is it called?', proposed: String(client.client_name), value: String },
  {
    field: 'redirect_uris',
    text: 'Where do people come back to after signing in, its redirect URI?',
    proposed: String(client.redirect_uris),
    value: list,
  },
  {
    field: 'post_logout_redirect_uris',
    text: 'And after signing out, or none?',
    proposed: String(client.post_logout_redirect_uris),
    value: nowhere,
  },
  {
    field: 'type',
    text: 'Does it run on a server, which keeps a secret?',
    proposed: yes,
    value: (answer) => (isYes(answer) ? 'web' : 'public'),
  },
  ...['state', 'nonce', 'pkce'].map((name) => ({
    field: `require_${name}`,
    text: `Does it send ${{ state: 'a state', nonce: 'a nonce', pkce: 'PKCE with S256 (a code_challenge)' }[name] ?? ''}?`,
    proposed: yes,
    value: isYes,
  })),
]
