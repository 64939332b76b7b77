import { Button, Form } from '../pages/form.tsx'
import { Layout, Name, renderPage } from '../pages/layout.tsx'
import type { Locale } from '../pages/locale.ts'
import { type Messages, messagesFor } from '../pages/messages/index.ts'

export interface ConsentPageProps {
  locale: Locale
  requestId: string
  action: string
  csrf: string
  clientName: string
  clientUri?: string | undefined
  accountName: string
  scopes: readonly string[]
  /** Host (and port) the browser goes back to; of a native client it may be a private-use scheme. */
  redirectPlace: string
  hidden?: Readonly<Record<string, string>> | undefined
}

export function consentPage(props: ConsentPageProps): string {
  const { locale, requestId, clientName } = props
  const { common, consent: messages } = messagesFor(locale)
  const client = <Name>{clientName}</Name>
  return renderPage(
    <Layout locale={locale} requestId={requestId} title={messages.title(clientName)}>
      <h1>{messages.heading(client)}</h1>
      <p class="account">{common.signedInAs(<Name>{props.accountName}</Name>)}</p>
      <h2>{messages.scopesHeading(client)}</h2>
      <ul class="scopes">
        {props.scopes.map((scope) => (
          <Scope messages={messages} scope={scope} />
        ))}
      </ul>
      <Form action={props.action} csrf={props.csrf} hidden={props.hidden}>
        <div class="actions actions-equal">
          <Button choice="allow">{messages.allow}</Button>
          <Button kind="secondary" choice="deny">
            {messages.deny}
          </Button>
        </div>
      </Form>
      <SmallPrint {...props} />
    </Layout>,
  )
}

function SmallPrint({ locale, clientUri, redirectPlace }: ConsentPageProps) {
  const { common, consent: messages } = messagesFor(locale)
  const website = webAddress(clientUri)
  return (
    <div class="note">
      <p>{messages.returnTo(<Name>{redirectPlace}</Name>)}</p>
      <p>{messages.withdraw}</p>
      {website && (
        <p>
          {messages.about(
            <a href={website.href} target="_blank" rel="noopener noreferrer">
              <bdi>{website.host}</bdi> {common.newTab}
            </a>,
          )}
        </p>
      )}
    </div>
  )
}

function Scope({ messages, scope }: { messages: Messages['consent']; scope: string }) {
  const known = isKnown(messages.scopes, scope) ? messages.scopes[scope] : undefined
  return (
    <li>
      {known ? <strong>{known.label}</strong> : <code>{scope}</code>}
      <span>{known?.text ?? messages.unknownScope}</span>
    </li>
  )
}

function isKnown(scopes: Messages['consent']['scopes'], scope: string): scope is keyof typeof scopes {
  return Object.hasOwn(scopes, scope)
}

/** A link is made of http and https only: escaping does not disarm `javascript:`. */
function webAddress(uri: string | undefined): URL | undefined {
  if (uri === undefined || !URL.canParse(uri)) return undefined
  const url = new URL(uri)
  return url.protocol === 'https:' || url.protocol === 'http:' ? url : undefined
}
