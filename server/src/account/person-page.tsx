import { Problem } from '../pages/form-page.tsx'
import { Picture } from '../pages/brand.tsx'
import { Button, FieldError, Form, type FormPageProps, TextField } from '../pages/form.tsx'
import { Layout, Name, renderPage } from '../pages/layout.tsx'
import { locales, messagesFor } from '../pages/messages/index.ts'
import { pictureTypes } from '../protocol/picture.ts'
import { type AddressError, AddressPart, type ChangedBy } from './address-page.tsx'
import { BackToAccount, Done, type Option, Select } from './parts.tsx'

export interface PersonPageProps extends FormPageProps {
  name: string
  email: string
  /** Empty: as the browser says. */
  language: string
  /** Empty: none is known. */
  zoneinfo: string
  /** A declared file says who they are. */
  managed: boolean
  changedBy: ChangedBy
  /** What is wrong with the address that was typed. */
  address?: { next: string; error: AddressError } | undefined
  done?: string | undefined
  /** The path of their picture. */
  picture?: string | undefined
  error?: 'name' | 'choice' | 'managed' | 'picture' | undefined
}

/** Name, language, time zone and address. */
export function personPage(props: PersonPageProps): string {
  const { locale, email, managed, done, error, address } = props
  const { person: messages } = messagesFor(locale).account
  return renderPage(
    <Layout {...props} title={messages.title} error={error !== undefined || address !== undefined}>
      <BackToAccount locale={locale} />
      <h1>{messages.title}</h1>
      <Done done={done} words={messages.done} />
      <Problem>{error === 'choice' && messages.wrongChoice}</Problem>
      <p class="account">{messages.email(<Name>{email}</Name>)}</p>
      {managed ? <Fixed {...props} /> : <Fields {...props} />}
      {!managed && <PicturePart {...props} />}
      <AddressPart {...props} />
    </Layout>,
  )
}

function Fields({ name, language, zoneinfo, error, ...props }: PersonPageProps) {
  const { person: messages } = messagesFor(props.locale).account
  return (
    <Form {...props} hidden={{ do: 'save' }}>
      <TextField
        name="name"
        label={messages.name}
        type="text"
        autocomplete="name"
        value={name}
        error={error === 'name' ? messages.wrongName : undefined}
        autofocus={error === 'name'}
      />
      <Select
        name="locale"
        label={messages.language}
        value={language}
        options={languages(messages.ofBrowser)}
      />
      <Select name="zoneinfo" label={messages.zone} value={zoneinfo} options={zones(messages.noZone)} />
      <div class="actions">
        <Button>{messages.save}</Button>
      </div>
    </Form>
  )
}

function PicturePart({ picture, error, ...props }: PersonPageProps) {
  const { person: messages } = messagesFor(props.locale).account
  const isWrong = error === 'picture'
  return (
    <section>
      <h2>{messages.picture}</h2>
      <Picture of={picture} round />
      <Form {...props} hidden={{ do: 'picture' }} file>
        <div class="field">
          <label for="picture">{messages.newPicture}</label>
          <p class="hint" id="picture-hint">
            {messages.pictureHint}
          </p>
          {isWrong && <FieldError id="picture-error">{messages.wrongPicture}</FieldError>}
          <input
            id="picture"
            name="picture"
            type="file"
            accept={pictureTypes.join(',')}
            aria-describedby={isWrong ? 'picture-hint picture-error' : 'picture-hint'}
            aria-invalid={isWrong ? 'true' : undefined}
            autofocus={isWrong}
          />
        </div>
        <div class="actions">
          <Button kind="secondary">{messages.savePicture}</Button>
        </div>
      </Form>
      {picture && (
        <Form {...props} hidden={{ do: 'removePicture' }}>
          <div class="actions">
            <Button kind="quiet">{messages.removePicture}</Button>
          </div>
        </Form>
      )}
    </section>
  )
}

function Fixed({ name, language, zoneinfo, locale }: PersonPageProps) {
  const { person: messages } = messagesFor(locale).account
  const chosen = [...languages(messages.ofBrowser), { value: language, text: language }]
  return (
    <>
      <p>{messages.managed}</p>
      <ul class="scopes">
        <li>
          <strong>{messages.name}</strong>
          <Name>{name}</Name>
        </li>
        <li>
          <strong>{messages.language}</strong>
          <span>{chosen.find(({ value }) => value === language)?.text}</span>
        </li>
        <li>
          <strong>{messages.zone}</strong>
          <span>{zoneinfo === '' ? messages.noZone : zoneinfo}</span>
        </li>
      </ul>
    </>
  )
}

/** Each in its own words. */
const languages = (none: string): Option[] => [
  { value: '', text: none },
  ...locales.map((value) => ({
    value,
    text: new Intl.DisplayNames(value, { type: 'language' }).of(value) ?? value,
  })),
]

const zones = (none: string): Option[] => [
  { value: '', text: none },
  ...Intl.supportedValuesOf('timeZone').map((value) => ({ value, text: value.replaceAll('_', ' ') })),
]
