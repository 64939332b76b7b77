import type { Child } from 'hono/jsx'
import { BrandLinks, Picture } from '../pages/brand.tsx'
import { formPage } from '../pages/form-page.tsx'
import { Button, type FormPageProps } from '../pages/form.tsx'
import { Name } from '../pages/layout.tsx'
import type { Locale } from '../pages/locale.ts'
import type { Messages } from '../pages/messages/en.ts'
import { webAddress } from '../pages/web-address.ts'
import { entryOf, messagesFor } from '../pages/messages/index.ts'
import type { Branding } from '../protocol/branding.ts'

/** `isNew`: it was not asked for when the person allowed something before. */
export interface Marked {
  text: string
  isNew: boolean
}

/** A service that tokens are for, and what may be done there. */
export interface ConsentService {
  /** Undefined: of this service itself, whose permissions are `iam.<resource>.<action>`. */
  name: string | undefined
  isNew: boolean
  permissions: readonly Marked[]
}

/** The publisher of a client is its organisation. */
interface Publisher {
  name: string
  links: Pick<Branding, 'policy_uri' | 'tos_uri'>
}

/** What a client asks a person to allow. */
export interface AllowanceProps {
  locale: Locale
  clientName: string
  scopes: readonly Marked[]
  /** Claims that tell more than scopes do: see `toldBeyond`. */
  claims: readonly Marked[]
  services: readonly ConsentService[]
  /** Where these services may act in turn. */
  onward: readonly ConsentService[]
  /** Something was allowed before: what is new is marked. */
  more: boolean
}

export interface ConsentPageProps extends FormPageProps, AllowanceProps {
  clientName: string
  clientUri?: string | null | undefined
  /** The path of its logo. */
  logo?: string | undefined
  publisher?: Publisher | undefined
  accountName: string
  /** The host of the document that the client is. */
  documentHost?: string | undefined
  /** The browser goes back to a program on this computer. */
  toProgram?: boolean
  /** Host (and port) the browser goes back to; of a native client it may be a private-use scheme. */
  redirectPlace: string
  /** All that it may go to: of every redirect URI. */
  redirectHosts: readonly Marked[]
}

export function consentPage(props: ConsentPageProps): string {
  const { locale, clientName } = props
  const { common, consent: messages } = messagesFor(locale)
  const client = <Name>{clientName}</Name>
  return formPage({
    ...props,
    title: messages.title(clientName),
    heading: [<Picture of={props.logo} />, messages.heading(client)],
    above: [
      <p class="account">{common.signedInAs(<Name>{props.accountName}</Name>)}</p>,
      props.documentHost && <p>{messages.documentAt(<Name>{props.documentHost}</Name>)}</p>,
      props.toProgram && <p>{messages.toProgram}</p>,
      <AllowanceParts {...props} />,
      <OtherPlaces {...props} />,
    ],
    fields: <Decision locale={locale} />,
    below: <SmallPrint {...props} />,
  })
}

/** Allow and refuse are as easy to press. */
export function Decision({ locale }: { locale: Locale }) {
  const { consent: messages } = messagesFor(locale)
  return (
    <div class="actions actions-equal">
      <Button choice="allow">{messages.allow}</Button>
      <Button kind="secondary" choice="deny">
        {messages.deny}
      </Button>
    </div>
  )
}

export function AllowanceParts({
  locale,
  clientName,
  scopes,
  claims,
  services,
  onward,
  more,
}: AllowanceProps) {
  const { consent: messages } = messagesFor(locale)
  const client = <Name>{clientName}</Name>
  return (
    <>
      {more && <p>{messages.more(client)}</p>}
      <h2>{messages.scopesHeading(client)}</h2>
      <ul class="scopes">
        {scopes.map((scope) => (
          <Scope messages={messages} scope={scope} />
        ))}
        {claims.map((claim) => (
          <Claim messages={messages} claim={claim} />
        ))}
      </ul>
      {services.map((service) => (
        <ServicePart messages={messages} service={service} />
      ))}
      {onward.length > 0 && <h2>{messages.onwardHeading}</h2>}
      {onward.map((service) => (
        <ServicePart messages={messages} service={service} />
      ))}
    </>
  )
}

/** The page where a person sees and withdraws what they allowed. */
export const allowedPath = '/account/applications'

function SmallPrint({ locale, clientUri, redirectPlace, publisher }: ConsentPageProps) {
  const { common, consent: messages, account } = messagesFor(locale)
  const website = webAddress(clientUri)
  return (
    <div class="note">
      {publisher && <p>{messages.publisher(<Name>{publisher.name}</Name>)}</p>}
      {publisher && <BrandLinks locale={locale} brand={publisher.links} />}
      <p>{messages.returnTo(<Name>{redirectPlace}</Name>)}</p>
      <p>
        {messages.withdraw(
          <a href={allowedPath} target="_blank" rel="noopener noreferrer">
            {account.applications.title} {common.newTab}
          </a>,
        )}
      </p>
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

function Scope({ messages, scope: { text, isNew } }: { messages: Messages['consent']; scope: Marked }) {
  const known = entryOf(messages.scopes, text)
  return (
    <Item messages={messages} isNew={isNew}>
      {known ? <strong>{known.label}</strong> : <code>{text}</code>}
      <span>{known?.text ?? messages.unknownScope}</span>
    </Item>
  )
}

function Claim({ messages, claim: { text, isNew } }: { messages: Messages['consent']; claim: Marked }) {
  const [source = '', service = ''] = text.split(':')
  return (
    <Item messages={messages} isNew={isNew}>
      <strong>
        {source === 'permissions'
          ? messages.permissionsAt(<Name>{service}</Name>)
          : (entryOf(messages.claims, source) ?? source)}
      </strong>
    </Item>
  )
}

/** An item of a list, marked in words where it is new. */
function Item(props: { messages: Messages['consent']; isNew: boolean; children: Child }) {
  return (
    <li {...(props.isNew && { 'data-new': '' })}>
      {props.isNew && <em class="new">{props.messages.isNew}</em>}
      {props.children}
    </li>
  )
}

/** Permissions of a service that are in sight; the rest unfolds. */
const inSight = 8

/** A service, and what may be done there. */
export function ServicePart({
  messages,
  service,
}: {
  messages: Messages['consent']
  service: ConsentService
}) {
  const { name, isNew, permissions } = service
  const texts = name === undefined ? administrationTexts(messages, permissions) : permissions
  const items = texts
    .toSorted((a, b) => Number(b.isNew) - Number(a.isNew))
    .map(({ text, isNew: fresh }) => (
      <Item messages={messages} isNew={fresh && !isNew}>
        <Name>{text}</Name>
      </Item>
    ))
  return (
    <section>
      <h3 {...(isNew && { 'data-new': '' })}>
        {isNew && <em class="new">{messages.isNew}</em>}
        {name === undefined ? messages.administration : <Name>{name}</Name>}
      </h3>
      {items.length === 0 ? (
        <p>{messages.nothingThere}</p>
      ) : (
        <ul class="permissions">{items.slice(0, inSight)}</ul>
      )}
      {items.length > inSight && (
        <details>
          <summary>{messages.moreThere(items.length - inSight)}</summary>
          <ul class="permissions">{items.slice(inSight)}</ul>
        </details>
      )}
    </section>
  )
}

/** `iam.users.read` and `iam.users.update` as one item: "People: see, change". */
function administrationTexts(messages: Messages['consent'], permissions: readonly Marked[]): Marked[] {
  const resources = new Map<string, { actions: string[]; isNew: boolean }>()
  for (const { text, isNew } of permissions) {
    const [, resource = '', action = ''] = text.split('.')
    const found = resources.get(resource) ?? { actions: [], isNew: false }
    resources.set(resource, {
      actions: [...found.actions, entryOf(messages.actions, action) ?? action],
      isNew: found.isNew || isNew,
    })
  }
  return [...resources].map(([resource, { actions, isNew }]) => ({
    text: `${entryOf(messages.resources, resource) ?? resource}: ${actions.join(', ')}`,
    isNew,
  }))
}

/** The places, other than that of this request, to which the client may send the browser. */
function OtherPlaces({ locale, redirectPlace, redirectHosts }: ConsentPageProps) {
  const { consent: messages } = messagesFor(locale)
  const others = redirectHosts.filter(({ text, isNew }) => isNew || text !== redirectPlace)
  if (others.length === 0) return undefined
  return (
    <section>
      <h3>{messages.otherPlaces}</h3>
      <ul class="permissions">
        {others.map(({ text, isNew }) => (
          <Item messages={messages} isNew={isNew}>
            <Name>{text}</Name>
          </Item>
        ))}
      </ul>
    </section>
  )
}
