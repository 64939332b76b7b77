import type { Child } from 'hono/jsx'
import { formPage, type FormPageParts } from '../pages/form-page.tsx'
import { messagesFor } from '../pages/messages/index.ts'
import { connectPath } from '../administration/upstream-invitations/routes.ts'

/** A step of the guide, with the way back to all of them. */
export function stepPage({ below, ...parts }: FormPageParts): string {
  const { connect: messages } = messagesFor(parts.locale)
  const back = (
    <p class="note">
      <a href={connectPath}>{messages.back}</a>
    </p>
  )
  return formPage({ wide: true, ...parts, below: [below, back] })
}

/** What is to be pasted elsewhere: the name of each field there, and its value. */
export function Pasted({
  fields,
}: {
  fields: readonly (readonly [name: string, value: string | undefined])[]
}) {
  return (
    <dl class="pasted">
      {fields.map(
        ([name, value]): Child =>
          value !== undefined && (
            <div>
              <dt>{name}</dt>
              <dd>
                <code translate="no">{value}</code>
              </dd>
            </div>
          ),
      )}
    </dl>
  )
}

/** The words of a provider, which its console has in English. */
export const Theirs = ({ children }: { children: string }) => (
  <b lang="en" translate="no">
    {children}
  </b>
)
