/** What is wrong with a draft, each at its field: in the API's words, or that it is missing. */
import { useWords } from '../../messages/messages.tsx'
import { type Wrong, wrongIn } from '../../shared/form.tsx'
import { isUnnamed } from '../allowed.tsx'
import { type Draft, isMadeOfUrl, isNamed, type Recipe } from './draft.ts'

export interface Problems {
  wrong: Wrong
  /** What is wrong with the product's URL. */
  wrongUrl: string | undefined
  /** What no field of this step shows: the field, and what is wrong with it. */
  others: [field: string, detail: string][]
  /** Something has to be put right before one asks what it may do. */
  blocks: boolean
  /** Nobody has said who may use it. */
  lacksAllowed: boolean
}

/** The fields of each step. */
const ofStep = {
  where: ['client_name', 'client_id', 'redirect_uris', 'redirect_hosts', 'origins'],
  may: [
    ...['scope', 'services', 'permissions', 'organisation_uuid', 'first_party', 'allowed'],
    ...['routes', 'headers', 'remote_user'],
  ],
}
const isOf = (step: keyof typeof ofStep, field: string) => ofStep[step].includes(field.split('.')[0] ?? '')

export function useProblems({
  fields,
  draft,
  recipe,
  step,
  told,
}: {
  fields: Readonly<Record<string, string>>
  draft: Draft
  recipe: Recipe | undefined
  step: keyof typeof ofStep
  /** Somebody wanted to go on, so what nobody typed yet is told, too. */
  told: boolean
}): Problems {
  const { wizard, allowed: words } = useWords()
  const lacksAllowed = draft.kind !== 'machine' && (draft.allowed === undefined || isUnnamed(draft.allowed))
  const named = isNamed(draft)
  const all = Object.entries(fields)
  const ofUrl = all.filter(([field]) => isMadeOfUrl(field, draft, recipe))
  const isTyped = told || draft.redirects !== undefined
  const wrong: Wrong = (name, values) => {
    if (name === 'client_name' && !named) return told ? wizard.nameMissing : undefined
    if (name === 'client_id' && !named)
      return told && draft.kind === 'document' ? wizard.urlMissing : undefined
    if (name === 'redirect_uris' && (!isTyped || isMadeOfUrl(name, draft, recipe))) return undefined
    if (name === 'origins' && draft.origins.length === 0) return told ? wizard.urlMissing : undefined
    if (name === 'allowed' && lacksAllowed)
      return told ? (draft.allowed ? words.unnamed : words.missing) : undefined
    return wrongIn(fields)(name, values)
  }
  const [atUrl] = isTyped || draft.url !== '' ? ofUrl : []
  return {
    wrong,
    wrongUrl: atUrl && (draft.url.trim() === '' ? wizard.urlMissing : atUrl[1]),
    others: all.filter(([field]) => {
      if (step === 'may') return !isOf('may', field)
      return !isOf('where', field) && !isOf('may', field) && !isMadeOfUrl(field, draft, recipe)
    }),
    lacksAllowed,
    blocks: !named || all.some(([field]) => !isOf('may', field)),
  }
}
