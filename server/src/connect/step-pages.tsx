import { Problem } from '../pages/form-page.tsx'
import { Button, type FormPageProps, TextField } from '../pages/form.tsx'
import { messagesFor } from '../pages/messages/index.ts'
import { type Provider, providerNames, providers } from '../upstream/providers.ts'
import type { DomainLook } from './domain.ts'
import { providerWords } from './provider-words.ts'
import { Pasted, stepPage, Theirs } from './step-page.tsx'
import { pathOf } from './visit.ts'

export interface StepPageProps extends FormPageProps {
  throttled?: boolean | undefined
}

/** The page that asks which provider signs people in. */
export function providerPage(props: StepPageProps & { chosen: Provider | undefined }): string {
  const { locale, chosen, throttled } = props
  const { connect: messages } = messagesFor(locale)
  const called = (name: Provider) =>
    name === 'oidc' ? messages.otherOidc : name === 'saml' ? messages.otherSaml : providers[name].name
  return stepPage({
    ...props,
    wide: false,
    title: messages.steps.provider,
    error: throttled,
    above: [
      <p class="lead">{messages.texts.provider}</p>,
      <Problem>{throttled && messages.throttled}</Problem>,
      chosen && <p>{messages.changes}</p>,
    ],
    fields: (
      <div class="choice-list">
        {providerNames.map((name) => (
          <button type="submit" class="choice" name="provider" value={name} autofocus={name === chosen}>
            <span class="choice-text">
              <span class="choice-name">{called(name)}</span>
            </span>
          </button>
        ))}
      </div>
    ),
  })
}

export interface DomainPageProps extends StepPageProps {
  domain: { name: string; token: string } | undefined
  look?: DomainLook | undefined
  wrong?: string | undefined
}

/** The domain, its record, and what a look found. */
export function domainPage(props: DomainPageProps): string {
  const { locale, domain, look, wrong, throttled } = props
  const { connect: messages } = messagesFor(locale)
  const isMissing = look !== undefined && look !== 'found'
  return stepPage({
    ...props,
    title: messages.steps.domain,
    error: throttled ?? wrong ?? (isMissing || undefined),
    above: [
      <p class="lead">{messages.domainLead}</p>,
      look === 'found' && <p role="status">{messages.looks.found}</p>,
      <Problem>{throttled ? messages.throttled : isMissing && messages.looks[look]}</Problem>,
      domain && <Record {...props} domain={domain} />,
    ],
    fields: (
      <TextField
        name="domain"
        label={messages.domain}
        type="text"
        autocomplete="off"
        value={wrong ?? domain?.name}
        error={wrong === undefined ? undefined : messages.wrongDomain}
        autofocus={wrong !== undefined}
      />
    ),
    buttons: [
      domain && <Button choice="look">{messages.look}</Button>,
      <Button kind={domain ? 'secondary' : 'primary'}>{messages.keepDomain}</Button>,
    ],
  })
}

function Record({ locale, domain }: DomainPageProps & { domain: { name: string; token: string } }) {
  const { connect: messages } = messagesFor(locale)
  return (
    <>
      <p>{messages.record}</p>
      <Pasted
        fields={[
          [messages.recordName, `_tessera.${domain.name}`],
          [messages.recordType, 'TXT'],
          [messages.recordValue, domain.token],
        ]}
      />
    </>
  )
}

export interface ProvisioningPageProps extends StepPageProps {
  provider: Provider | undefined
  baseUrl: string
  hasToken: boolean
  /** Shown this once. */
  token?: string | undefined
}

/** The token by which a provider provisions people. */
export function provisioningPage(props: ProvisioningPageProps): string {
  const { locale, provider = 'oidc', baseUrl, hasToken, token, throttled } = props
  const { connect: messages } = messagesFor(locale)
  const [open, url, secret] = providerWords[provider].scim
  return stepPage({
    ...props,
    title: messages.steps.provisioning,
    error: throttled,
    above: [
      <p class="lead">{messages.provisioningLead}</p>,
      <Problem>{throttled && messages.throttled}</Problem>,
      <p>{messages.open(<Theirs>{open}</Theirs>)}</p>,
      <p>{messages.paste}</p>,
      <Pasted
        fields={[
          [url, baseUrl],
          [secret, token],
        ]}
      />,
      token && <p role="status">{messages.tokenOnce}</p>,
      <p>{messages.tokenWaits}</p>,
      hasToken && !token && <p>{messages.replaces}</p>,
    ],
    buttons: (
      <Button kind={hasToken ? 'secondary' : 'primary'}>
        {hasToken ? messages.replaceToken : messages.makeToken}
      </Button>
    ),
  })
}

export interface FinishPageProps extends StepPageProps {
  /** What is handed in: terms and values. */
  entered: readonly (readonly [string, string | undefined])[]
  notTried: boolean
  /** No address of their people will count. */
  noDomain: boolean
  empty: boolean
}

export function finishPage(props: FinishPageProps): string {
  const { locale, entered, notTried, noDomain, empty, throttled } = props
  const { connect: messages } = messagesFor(locale)
  return stepPage({
    ...props,
    title: messages.steps.finish,
    error: throttled,
    above: [
      <Problem>{throttled && messages.throttled}</Problem>,
      <p class="lead">{empty ? messages.nothingYet : messages.finishLead}</p>,
      <Pasted fields={entered} />,
      notTried && <p class="caution">{messages.notTried}</p>,
      noDomain && !empty && (
        <p class="caution">
          {messages.noDomain} <a href={pathOf('domain')}>{messages.steps.domain}</a>
        </p>
      ),
    ],
    buttons: empty ? undefined : <Button>{noDomain ? messages.handInWithout : messages.handIn}</Button>,
  })
}

/** A sign-in for show. `first`: nothing is entered that could be tried. */
export function tryPage(props: StepPageProps & { first: boolean; tried: boolean }): string {
  const { locale, first, tried, throttled } = props
  const { connect: messages } = messagesFor(locale)
  return stepPage({
    ...props,
    wide: false,
    title: messages.steps.trial,
    error: throttled,
    above: [
      <Problem>{throttled && messages.throttled}</Problem>,
      <p class="lead">{messages.trialLead}</p>,
      first && <p class="caution">{messages.trialFirst}</p>,
      tried && <p role="status">{messages.trialBegun}</p>,
    ],
    buttons: first ? undefined : <Button>{messages.tryIt}</Button>,
  })
}
