import { Button, FieldError, Form, type FormPageProps } from '../pages/form.tsx'
import { Layout, Name, renderPage } from '../pages/layout.tsx'
import { messagesFor } from '../pages/messages/index.ts'
import { withoutDeceiving } from '../protocol/characters.ts'

/** A profile as people know it. */
export interface ProfileNames {
  roleName: string
  organisationName?: string | undefined
  unitName?: string | undefined
}

export interface ProfileChoice extends ProfileNames {
  uuid: string
}

export interface ChooseProfilePageProps extends FormPageProps {
  clientName: string
  accountName: string
  profiles: readonly ProfileChoice[]
  /** The uuid chosen last time. */
  selected?: string | undefined
  error?: 'missing_choice' | 'not_available' | undefined
}

/** Beyond this many a second column halves the scrolling, and the last choice moves to the top. */
const longList = 8

export function chooseProfilePage(props: ChooseProfilePageProps): string {
  const { locale, clientName, profiles } = props
  const { common, chooseProfile: messages } = messagesFor(locale)
  return renderPage(
    <Layout
      {...props}
      title={messages.title(clientName)}
      error={props.error !== undefined}
      wide={profiles.length > longList}
    >
      <h1>{messages.heading}</h1>
      <p class="lead">{messages.lead(<Name>{clientName}</Name>)}</p>
      <p class="account">{common.signedInAs(<Name>{props.accountName}</Name>)}</p>
      <Form {...props}>
        <Profiles {...props} />
        <div class="actions">
          <Button>{common.continue}</Button>
          <Button kind="secondary" choice="switch">
            {common.useAnotherAccount}
          </Button>
          <Button kind="quiet" choice="cancel">
            {common.cancel}
          </Button>
        </div>
      </Form>
    </Layout>,
  )
}

function Profiles({ locale, selected, error, ...props }: ChooseProfilePageProps) {
  const { chooseProfile: messages } = messagesFor(locale)
  const profiles = inOrder(props.profiles, selected)
  // A radio group is entered at the checked one, or at its first.
  const chosen = profiles.findIndex((profile) => profile.uuid === selected)
  const focused = error ? Math.max(chosen, 0) : chosen
  return (
    <fieldset class="choices" aria-describedby={error ? 'profile-error' : undefined}>
      <legend>{messages.legend}</legend>
      {error && (
        <FieldError id="profile-error">
          {error === 'missing_choice' ? messages.missingChoice : messages.notAvailable}
        </FieldError>
      )}
      <div class="choice-list">
        {profiles.map((profile, index) => (
          <Choice
            profile={profile}
            checked={index === chosen}
            autofocus={index === focused}
            invalid={error !== undefined}
          />
        ))}
      </div>
    </fieldset>
  )
}

/** The focus goes to the last choice: far down a long list, it would scroll the heading out of sight. */
function inOrder(profiles: readonly ProfileChoice[], selected: string | undefined): readonly ProfileChoice[] {
  if (profiles.length <= longList) return profiles
  return [...profiles].sort((a, b) => Number(b.uuid === selected) - Number(a.uuid === selected))
}

interface ChoiceProps {
  profile: ProfileChoice
  checked: boolean
  autofocus: boolean
  invalid: boolean
}

function Choice({ profile, checked, autofocus, invalid }: ChoiceProps) {
  return (
    <label class="choice">
      <input
        type="radio"
        name="profile_uuid"
        value={profile.uuid}
        checked={checked}
        autofocus={autofocus}
        aria-describedby={invalid ? 'profile-error' : undefined}
      />
      <span class="choice-text">
        <ProfilePlace {...profile} />
      </span>
    </label>
  )
}

/** Its role, and where. */
export function ProfilePlace({ roleName, organisationName = '', unitName = '' }: ProfileNames) {
  const place = [organisationName, unitName].filter((name) => name !== '')
  return (
    <>
      <bdi class="choice-name">{withoutDeceiving(roleName)}</bdi>
      {place.length > 0 && (
        <span class="choice-place">
          {place.map((name, index) => (
            <>
              {index > 0 && ' · '}
              <bdi>{withoutDeceiving(name)}</bdi>
            </>
          ))}
        </span>
      )}
    </>
  )
}
