import { useWords } from '../../messages/messages.tsx'
import { codeFrom } from '../../shared/code.ts'
import { Check, Choice, Field, List, type Wrong } from '../../shared/form.tsx'
import { Origins } from '../proxied-fields.tsx'
import { type Draft, fieldsOfRecipe, type Recipe, recipesOf, redirectsOf, typeOf } from './draft.ts'

export interface WhereProps {
  draft: Draft
  set: (changes: Partial<Draft>) => void
  wrong: Wrong
  /** What is wrong with where the product is. */
  wrongUrl: string | undefined
  recipe: Recipe | undefined
  recipes: readonly Recipe[]
}

/** Its name, its identifier, and where people come back to. */
export function Where(asked: WhereProps) {
  const { wizard, fields } = useWords()
  const { draft, set, wrong, wrongUrl, recipe } = asked
  if (draft.kind === 'document') return <WhereDocument {...asked} />
  const redirects = redirectsOf(draft, recipe)
  const isProxied = typeOf(draft, recipe) === 'proxied'
  const hasAddress = draft.kind !== 'machine' && !isProxied && !(draft.kind === 'device' && draft.byCode)
  return (
    <section className="card">
      <RecipeChoice {...asked} />
      <Field
        label={fields.name}
        description={wizard.nameHow}
        value={draft.name}
        onChange={(name) => set({ name })}
        error={wrong('client_name')}
      />
      <Field
        label={wizard.id}
        description={wizard.idHow}
        value={draft.id ?? codeFrom(draft.name)}
        onChange={(id) => set({ id })}
        error={wrong('client_id')}
      />
      {draft.kind === 'device' && (
        <Check
          label={wizard.byCode}
          description={wizard.byCodeHow}
          checked={draft.byCode}
          onChange={(byCode) => set({ byCode })}
        />
      )}
      {isProxied && (
        <Origins
          values={draft.origins}
          onChange={(origins) => set({ origins })}
          error={wrong('origins', draft.origins)}
        />
      )}
      {hasAddress && recipe?.url !== undefined && (
        <Field
          label={wizard.url(draft.kind === 'product' ? recipe.product : draft.name || recipe.product)}
          type="url"
          placeholder={recipe.url}
          value={draft.url}
          onChange={(url) => set({ url, redirects: undefined })}
          error={wrongUrl}
        />
      )}
      {hasAddress && (
        <>
          <List
            label={fields.redirects}
            description={fields.exactly}
            values={redirects}
            onChange={(redirects) => set({ redirects })}
            error={wrong('redirect_uris', redirects)}
          />
          <Hints redirects={redirects} isDevice={draft.kind === 'device'} />
        </>
      )}
    </section>
  )
}

/** The address of a document, and where it may send people. */
function WhereDocument({ draft, set, wrong }: WhereProps) {
  const { documents: words } = useWords()
  return (
    <section className="card">
      <Field
        label={words.address}
        description={words.addressHow}
        type="url"
        value={draft.url}
        onChange={(url) => set({ url })}
        error={wrong('client_id')}
      />
      <List
        label={words.hosts}
        description={words.hostsHow}
        values={draft.hosts}
        onChange={(hosts) => set({ hosts })}
        error={wrong('redirect_hosts', draft.hosts)}
      />
    </section>
  )
}

/** The choice of a library by chips; a product has to be one of them. */
function RecipeChoice({ draft, set, recipes }: WhereProps) {
  const { wizard } = useWords()
  const known = recipesOf(draft.kind, recipes)
  if (known.length === 0) return null
  const choose = (name: string) => {
    const recipe = known.find((one) => one.name === name)
    const { scope = '', type } = fieldsOfRecipe(recipe, '')
    // A proxy is not what is behind it.
    const isNamed = draft.kind === 'product' && type !== 'proxied'
    const proposed = isNamed && draft.name === '' ? recipe?.product : undefined
    set({
      recipe: recipe?.name,
      redirects: undefined,
      ...(proposed && { name: proposed }),
      ...(scope && { scope: scope.replace(' service.api', '') }),
    })
  }
  if (draft.kind === 'product')
    return (
      <Choice
        label={wizard.product}
        value={draft.recipe ?? ''}
        onChange={choose}
        data={[
          { value: '', label: wizard.choose },
          ...known.map(({ name, product }) => ({ value: name, label: product })),
        ]}
      />
    )
  return (
    <div className="field">
      <p className="label" id="library">
        {wizard.library}
      </p>
      <p className="soft">{wizard.libraryHow}</p>
      <div className="chips" role="group" aria-labelledby="library">
        {known.map(({ name, product }) => (
          <button
            key={name}
            type="button"
            className="chip"
            aria-pressed={draft.recipe === name}
            onClick={() => choose(draft.recipe === name ? '' : name)}
          >
            {product}
          </button>
        ))}
      </div>
    </div>
  )
}

/** What is right by the rules and wrong in practice. */
function Hints({ redirects, isDevice }: { redirects: readonly string[]; isDevice: boolean }) {
  const { wizard } = useWords()
  const endsInSlash = redirects.find((one) => /^https?:\/\/[^/]+\/(.+\/)?$/.test(one))
  const local = redirects.find((one) => /^http:\/\/(localhost|127\.0\.0\.1)\b/.test(one))
  return (
    <div className="hints" role="status">
      {endsInSlash && <p>{wizard.endsInSlash(endsInSlash)}</p>}
      {local && <p>{isDevice ? wizard.anyPort : wizard.local}</p>}
    </div>
  )
}
